import Coffer
import TestSupport
import Testing
import ZIPArchives

/// ZIP archives with a random damage: what it doesn't touch is in the result, and nothing else is.
@Suite struct ArchiveRecoveryTests {
  /// A document, and files that are stored or compressed, with sizes before or after their data.
  private struct Archive {
    private(set) var bytes: [UInt8] = []
    private(set) var contents: [String: [UInt8]] = [:]
    /// The range of each entry, with its header and what follows its data.
    private(set) var ranges: [String: Range<Int>] = [:]

    static let document = "data.json"

    init(_ random: inout SeededRandom) throws {
      func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
      var files: [(String, [UInt8])] = (0..<2 + Int(random.next() % 4)).map { number in
        let count = Int(random.next() % 3000)
        let text = Array(repeating: "text \(number) ", count: count / 8).joined()
        return ("files/\(number)é.bin", random.next() % 2 == 0 ? noise(count) : Array(text.utf8))
      }
      let records = (0..<Int(random.next() % 80)).map { "{\"id\": \($0), \"name\": \"record \($0)\"}" }
      let text = "{\"a\": [\n  " + records.joined(separator: ",\n  ") + "\n]}"
      files.insert((Self.document, Array(text.utf8)), at: Int(random.next() % UInt64(files.count + 1)))
      var writer = ZIPWriter(to: MemorySink())
      for (name, content) in files {
        let start = writer.sink.bytes.count
        if random.next() % 2 == 0 {
          try writer.addStored(name, size: content.count, checksum: CRC32(of: content), from: MemorySource(content))
        } else {
          try writer.addCompressed(name, from: MemorySource(content), size: content.count)
        }
        contents[name] = content
        ranges[name] = start..<writer.sink.bytes.count
      }
      try writer.finish()
      bytes = writer.sink.bytes
    }
  }

  private static func recover(
    _ bytes: [UInt8], options change: (inout RecoveryOptions) -> Void = { $0.writesArchive = true }
  ) throws -> (bytes: [UInt8], report: RecoveryReport) {
    var options = RecoveryOptions(now: Validating.now)
    change(&options)
    var sink = MemorySink()
    let report = try Recovery(.syntaxOnly(), options: options).recover(MemorySource(bytes), named: "a.zip", to: &sink)
    return (sink.bytes, report)
  }

  private static func files(in bytes: [UInt8]) throws -> [String: [UInt8]] {
    let reader = try ZIPReader(StoredBytes(bytes, named: "a.zip"))
    var files: [String: [UInt8]] = [:]
    while let entry = try reader.next() {
      var content: [UInt8] = []
      while let piece = try reader.nextPiece() { content += piece }
      files[entry.name] = content
    }
    return files
  }

  @Test(arguments: TestDepth.cases(everyday: 8, deep: 200) as Range<UInt64>) func `what a damage doesn't touch is recovered`(
    _ group: UInt64
  ) throws {
    for seed in 0..<30 as Range<UInt64> {
      var random = SeededRandom(seed: group << 32 + seed)
      let archive = try Archive(&random)
      let start = Int(random.next() % UInt64(archive.bytes.count))
      let end = min(archive.bytes.count, start + 1 + Int(random.next() % [1, 30, 500][Int(random.next() % 3)]))
      var bytes = archive.bytes
      var touched = start..<end
      switch random.next() % 5 {
      case 0:
        touched = start..<bytes.count
        bytes.removeSubrange(touched)
      case 1: bytes.replaceSubrange(touched, with: [UInt8](repeating: 0, count: touched.count))
      case 2:
        touched = start..<start + 1
        bytes[start] ^= 1 << UInt8(random.next() % 8)
      case 3: bytes.removeSubrange(touched)
      default:
        touched = start..<start
        bytes.insert(contentsOf: (0..<20).map { _ in UInt8(truncatingIfNeeded: random.next()) }, at: start)
      }
      func isTouched(_ range: Range<Int>) -> Bool {
        range.overlaps(touched) || touched.isEmpty && range.lowerBound < start && start < range.upperBound
      }
      let mayRename =
        end > (archive.ranges.values.map(\.upperBound).max() ?? 0)
        || archive.ranges.values.contains { range in
          touched.overlaps(range.lowerBound..<range.lowerBound + 60)
        }
      let directory = archive.ranges.values.map(\.upperBound).max() ?? 0
      let place = Comment("group \(group), seed \(seed): \(touched) of \(archive.ranges)")
      let result: (bytes: [UInt8], report: RecoveryReport)
      do {
        result = try Self.recover(bytes)
      } catch CofferError.Code.notABackup {
        // Only if the document's header is lost.
        #expect(isTouched(archive.ranges[Archive.document] ?? 0..<0), place)
        continue
      } catch CofferError.Code.notZIP {
        #expect(start < 4, place)
        continue
      }
      let files = try Self.files(in: result.bytes)
      for (name, content) in archive.contents {
        let isSame = files[name] == content
        // A wrong checksum or size in the directory makes a whole file look damaged.
        if !isTouched(archive.ranges[name] ?? 0..<0), end <= directory { #expect(isSame, "\(place) \(name)") }
        // Nothing tells which of two names is right, or whether a single one is.
        if name != Archive.document, files[name] != nil, !mayRename { #expect(isSame, "\(place) \(name)") }
      }
      #expect(mayRename || files.keys.allSatisfy { archive.contents[$0] != nil }, place)
      #expect(
        files.values.allSatisfy { content in archive.contents.values.contains(content) } || files[Archive.document] != nil, place)
      let isSame = files == archive.contents
      #expect(isSame || result.report.isLossy, place)
    }
  }

  @Test func `without an archive as output, the document alone is written`() throws {
    var random = SeededRandom(seed: 1)
    let archive = try Archive(&random)
    let whole = try Self.recover(archive.bytes) { _ in }
    #expect(whole.bytes == archive.contents[Archive.document])
    #expect(whole.report.isUndamaged && whole.report.fileCount == archive.contents.count - 1)
    let cut = try Self.recover(Array(archive.bytes.dropLast(30))) { _ in }
    #expect(cut.bytes == whole.bytes)
    #expect(cut.report.archiveFaults.map(\.code.rawValue) == ["zip-truncated"])
  }

  @Test func `records with errors are left out of an archive's document, too`() throws {
    var writer = ZIPWriter(to: MemorySink())
    try writer.addCompressed("data.json", from: MemorySource(#"{"a": [{"id": 1}, {}, {"id": 3}]}"#.utf8), size: nil)
    try writer.finish()
    let rules = try RuleDocument(MemorySource(#"{"properties": {"a": {"items": {"required": ["id"]}}}}"#.utf8))
    var options = RecoveryOptions(now: Validating.now)
    options.invalidRecords = InvalidRecords()
    options.writesArchive = true
    var sink = MemorySink()
    let report = try Recovery(.document(rules, name: "rules"), options: options)
      .recover(MemorySource(writer.sink.bytes, chunkSize: 7), named: "a.zip", to: &sink)
    #expect(report.validation.isValid && report.lossCount == 1)
    #expect(try Self.files(in: sink.bytes) == ["data.json": Array(#"{"a": [{"id": 1}, {"id": 3}]}"#.utf8)])
  }

  @Test func `of several entries with one name, the last counts; unsafe names are left out`() throws {
    var options = ZIPWriter<MemorySink>.Options()
    options.allowsUnsafeNames = true
    var writer = ZIPWriter(to: MemorySink(), options: options)
    for (name, text) in [("data.json", "[1]"), ("x", "old"), ("../y", "unsafe"), ("x", "new"), ("data.json", "[2]")] {
      try writer.addCompressed(name, from: MemorySource(text.utf8), size: nil)
    }
    try writer.finish()
    let (bytes, report) = try Self.recover(writer.sink.bytes)
    #expect(try Self.files(in: bytes) == ["data.json": Array("[2]".utf8), "x": Array("new".utf8)])
    #expect(report.archiveFaults.map(\.code.rawValue).sorted() == ["duplicate-entry", "duplicate-entry", "path-unsafe"])
  }

  /// An archive in an archive, stored, in which the file is cut: its files are not those of the archive.
  @Test func `the entries of an archive inside are not taken for those around it`() throws {
    var inner = ZIPWriter(to: MemorySink())
    try inner.addCompressed("data.json", from: MemorySource("[9]".utf8), size: nil)
    try inner.addCompressed("inner.txt", from: MemorySource("inner".utf8), size: nil)
    try inner.finish()
    var writer = ZIPWriter(to: MemorySink())
    try writer.addCompressed("data.json", from: MemorySource("[1]".utf8), size: nil)
    let archive = inner.sink.bytes
    try writer.addStored("inner.zip", size: archive.count, checksum: CRC32(of: archive), from: MemorySource(archive))
    let end = writer.sink.bytes.count
    try writer.finish()
    #expect(try Self.files(in: Self.recover(writer.sink.bytes).bytes).count == 2)
    for cut in [end - 10, end - archive.count + 150, end - archive.count + 60] {
      let (bytes, report) = try Self.recover(Array(writer.sink.bytes.prefix(cut)))
      #expect(try Self.files(in: bytes) == ["data.json": Array("[1]".utf8)], "\(cut)")
      #expect(report.archiveFaults.compactMap(\.place.entry) == ["inner.zip"], "\(cut)")
    }
  }

  /// Each description of an entry is damaged in turn: the header before the data, what follows it, and the directory.
  @Test(arguments: [true, false]) func `an entry is whole if one of its descriptions fits`(isStored: Bool) throws {
    let content = Array("the content of a file, which is the same in all".utf8)
    var writer = ZIPWriter(to: MemorySink())
    try writer.addCompressed("data.json", from: MemorySource("[1]".utf8), size: nil)
    let start = writer.sink.bytes.count
    if isStored {
      try writer.addStored("x", size: content.count, checksum: CRC32(of: content), from: MemorySource(content))
    } else {
      try writer.addCompressed("x", from: MemorySource(content), size: nil)
    }
    let end = writer.sink.bytes.count
    try writer.addCompressed("y", from: MemorySource("y".utf8), size: nil)
    let directory = writer.sink.bytes.count
    try writer.finish()
    let whole = writer.sink.bytes
    let data = start + 31..<end - (isStored ? 0 : 16)
    var lost = 0
    for place in Array(start..<data.lowerBound) + Array(data.upperBound..<end) + Array(directory..<whole.count) {
      var bytes = whole
      bytes[place] ^= 0x10
      let (result, _) = try Self.recover(bytes)
      let files = try Self.files(in: result)
      if files["x"] != content || files["y"] != [UInt8(ascii: "y")] { lost += 1 }
      // Nothing tells which of two names is right.
      #expect(files.values.contains(Array("[1]".utf8)), "byte \(place), directory at \(directory): \(files.keys)")
    }
    // A changed name in the directory, or a length there that hides the entry's neighbours.
    #expect(lost <= 8, "\(lost)")
  }

  @Test func `a file that expands too much is left out`() throws {
    var options = ZIPWriter<MemorySink>.Options()
    options.allowsBombs = true
    var writer = ZIPWriter(to: MemorySink(), options: options)
    try writer.addCompressed("data.json", from: MemorySource("[1]".utf8), size: nil)
    try writer.addCompressed("bomb", from: MemorySource([UInt8](repeating: 0, count: 4 << 20)), size: nil)
    try writer.finish()
    let (bytes, report) = try Self.recover(writer.sink.bytes)
    #expect(try Self.files(in: bytes) == ["data.json": Array("[1]".utf8)])
    #expect(report.archiveFaults.map(\.code.rawValue) == ["limit"])
  }
}
