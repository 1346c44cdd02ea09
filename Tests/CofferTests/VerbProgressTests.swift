import Coffer
import SyntheticBackups
import SystemPackage
import TestSupport
import Testing

/// Each verb reads as many bytes as its progress expects, and counts records.
@Suite struct VerbProgressTests {
  private let folder: TemporaryFolder
  private let path: FilePath
  private let byteCount: Int
  private let recordCount: Int

  private static let now = SampleBackup.now

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path.appending("a.json")
    let format = try SyntheticFormat(try #require(FormatCatalog.builtIn["ev-charging-tracker"]))
    let backup = try SyntheticBackup(of: format, options: .init(size: 4_000_000, seed: 1))
    var file = try AtomicFile(path)
    let summary = try backup.write(to: &file)
    try file.commit()
    byteCount = summary.bytes
    recordCount = summary.records.total
  }

  private var file: FileSource { get throws { try FileSource(path: path) } }

  /// Returns the last snapshot of some work, and checks that it read everything.
  @discardableResult
  private func snapshot(
    ofReading count: Int, _ work: (Execution) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> WorkProgress.Snapshot {
    let progress = WorkProgress()
    var execution = Execution()
    execution.progress = progress
    try work(execution)
    let snapshot = progress.snapshot
    #expect(snapshot.byteCount == count, sourceLocation: sourceLocation)
    // The start is read twice, to recognise the format.
    #expect((count..<count + count / 10).contains(snapshot.bytesRead), "\(snapshot)", sourceLocation: sourceLocation)
    #expect(snapshot.message == nil, sourceLocation: sourceLocation)
    return snapshot
  }

  @Test func `a validation counts all records`() throws {
    var records: Int?
    let last = try snapshot(ofReading: byteCount) { execution in
      var options = ValidationOptions(now: Self.now)
      options.execution = execution
      records = try Validator(.detected(.builtIn), options: options).validate(file, named: "a.json").records
    }
    #expect(last.records == records)
  }

  @Test func `an inspection before an import reads once`() throws {
    try snapshot(ofReading: byteCount) { execution in
      var (options, validation) = (InspectionOptions(now: Self.now), ValidationOptions(now: Self.now))
      (options.execution, validation.execution) = (execution, execution)
      let inspection = try Inspector(.detected(.builtIn), options: options)
        .inspect(file, named: "a.json", importingBy: validation)
      #expect(inspection.importability == .current)
      #expect(inspection.storedBytes == byteCount)
    }
  }

  @Test func `a conversion counts the records of large collections`() throws {
    let last = try snapshot(ofReading: byteCount) { execution in
      var (options, sink) = (ConversionOptions(), MemorySink())
      options.execution = execution
      try Converter(options: options).convert(file, to: &sink)
    }
    #expect((recordCount / 2...recordCount).contains(last.records))
  }

  @Test func `compressing and decompressing count stored bytes`() throws {
    let compressed = folder.path.appending("a.json.lz4")
    try snapshot(ofReading: byteCount) { execution in
      var options = Compressor.Options()
      options.execution = execution
      var sink = try AtomicFile(compressed)
      _ = try Compressor(options: options).compress(file, to: &sink)
      try sink.commit()
    }
    let source = try FileSource(path: compressed)
    try snapshot(ofReading: try #require(source.byteCount)) { execution in
      var (options, sink) = (Decompressor.Options(), MemorySink())
      options.execution = execution
      try Decompressor(options: options).decompress(source, to: &sink)
    }
  }

  @Test func `a migration reads twice`() throws {
    try snapshot(ofReading: 2 * byteCount) { execution in
      var (options, sink) = (MigrationOptions(now: Self.now), MemorySink())
      options.execution = execution
      try Migrator(.builtIn, options: options).migrate(file, to: &sink)
    }
  }

  /// The copy of a stream is read, too.
  @Test func `a migrated stream is read three times`() throws {
    try snapshot(ofReading: 3 * byteCount) { execution in
      var (options, sink) = (MigrationOptions(now: Self.now), MemorySink())
      options.execution = execution
      let source = try OnceSource(file: file)
      try Migrator(.builtIn, options: options).migrate(source, to: &sink)
    }
  }

  @Test func `comparing reads both, merging the first one again`() throws {
    let (a, b) = (Backup(path: path.string), Backup(path: path.string))
    let last = try snapshot(ofReading: 2 * byteCount) { execution in
      var options = ComparisonOptions()
      options.execution = execution
      let difference = try Comparer(.detected(.builtIn), options: options).difference(from: a, to: b)
      #expect(difference.isSame)
    }
    #expect(last.records >= recordCount)
    var options = MergeOptions(conflicts: .replace)
    options.layout = .compact
    try snapshot(ofReading: 3 * byteCount) { execution in
      options.comparison.execution = execution
      var sink = MemorySink()
      _ = try Merger(.detected(.builtIn), options: options).merge(a, with: b, to: &sink)
    }
    try snapshot(ofReading: 2 * byteCount) { execution in
      options.comparison.execution = execution
      _ = try Merger(.detected(.builtIn), options: options).preview(a, with: b)
    }
  }

  @Test func `packing counts the files, unpacking the archive`() throws {
    for (name, bytes) in SampleBackup().entries { try folder.write(bytes, to: "in/\(name)") }
    try folder.write([UInt8](repeating: 7, count: 3_000_000), to: "in/photos/103_large.jpg")
    let archive = folder.path.appending("backup.zip")
    let size = SampleBackup().entries.reduce(3_000_000) { $0 + $1.bytes.count }
    try snapshot(ofReading: size) { execution in
      var options = Packer.Options(.detected(.builtIn), now: Self.now)
      options.execution = execution
      var sink = try AtomicFile(archive)
      try Packer(options: options).pack(folder: folder.path.appending("in"), to: &sink)
      try sink.commit()
    }
    let source = try FileSource(path: archive)
    try snapshot(ofReading: try #require(source.byteCount)) { execution in
      var options = Unpacker.Options()
      options.execution = execution
      try Unpacker(options: options).unpack(source, to: folder.path.appending("out"))
    }
  }

  @Test func `the asynchronous methods end the snapshots, even if they fail`() async throws {
    let progress = WorkProgress()
    var options = ConversionOptions()
    options.execution.progress = progress
    let work = Task { [options, folder] in
      try await Backup(path: "/no/such/file.json").convert(to: folder.path.appending("b.json").string, options: options)
    }
    for await _ in progress.snapshots {}
    await #expect(throws: CofferError.self) { try await work.value }
  }
}

/// A stream.
private struct OnceSource: ByteSource {
  var file: FileSource

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int { try file.read(into: buffer) }
}
