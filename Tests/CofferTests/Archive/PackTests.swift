import ByteStreams
import Coffer
import Foundation
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

@Suite struct PackTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ backup: SampleBackup, below name: String = "in") throws {
    for (entry, bytes) in backup.entries { try folder.write(bytes, to: "\(name)/\(entry)") }
  }

  private func pack(check: Packer.Check = .files) throws -> (bytes: [UInt8], contents: Packer.Contents) {
    var options = Packer.Options(.detected(.builtIn), now: SampleBackup.now)
    options.check = check
    var sink = MemorySink()
    let contents = try Packer(options: options).pack(folder: folder.path.appending("in"), to: &sink)
    return (sink.bytes, contents)
  }

  @Test func `packing an unpacked archive gives the same bytes`() throws {
    try write(SampleBackup())
    let packed = try pack()
    #expect(packed.contents.format == "smilepile")
    #expect(packed.contents.files == 3)
    #expect(packed.contents.findings.isEmpty)
    #expect(SampleBackup.lines(of: try SampleBackup.report(packed.bytes)) == [])
    try folder.write(packed.bytes, to: "backup.zip")
    try Unpacker().unpack(FileSource(path: folder.path.appending("backup.zip")), to: folder.path.appending("out"))
    #expect(try folder.files(below: "out") == folder.files(below: "in"))
    let source = MemorySource(packed.bytes, chunkSize: 100)
    #expect(try Unpacker().unpackStream(source, to: folder.path.appending("other")).files == 3)
    #expect(try folder.files(below: "other") == folder.files(below: "in"))
    try FileManager.default.removeItem(atPath: folder.path.appending("in").string)
    try FileManager.default.moveItem(atPath: folder.path.appending("out").string, toPath: folder.path.appending("in").string)
    #expect(try pack().bytes == packed.bytes)
  }

  @Test func `a document and a folder of files pack like a single folder`() throws {
    try write(SampleBackup())
    var sink = MemorySink()
    let options = Packer.Options(.detected(.builtIn), now: SampleBackup.now)
    let path = folder.path.appending("in")
    try Packer(options: options).pack(metadata: path.appending("metadata.json"), files: path.appending("photos"), to: &sink)
    #expect(try sink.bytes == pack().bytes)
  }

  @Test(arguments: [
    (SampleBackup().removing("photos/102_cake.jpg"), "file-missing /photoManifest/1/fileName"),
    (
      SampleBackup().removing("photos/102_cake.jpg").adding("photos/102_cake.jpg", "sample photo 2!!\n\n"),
      "checksum /photoManifest/1/checksum"
    ),
  ])
  func `files that contradict the document are refused unless checks are off`(backup: SampleBackup, finding: String) throws {
    try write(backup)
    let error = #expect(throws: CofferError.self) { try pack() }
    #expect(error?.code == .findings)
    #expect((error?.underlying as? FindingsError)?.report.findings.map { "\($0.code) \($0.place.pointer)" } == [finding])
    #expect(try pack(check: .nothing).contents.files == backup.entries.count)
  }

  @Test(
    arguments: [
      (nil, "file-missing "), (("\"photoCount\": 2", "\"photoCount\": 3"), "count-of /photoCount"),
      (("\"platform\"", "\"system\""), "required /platform"), (("", ""), ""),
    ] as [((String, String)?, String)])
  func `a side document that is missing or wrong is refused`(_ change: (old: String, new: String)?, _ finding: String) throws {
    try folder.write(FormatSheet.example("smilepile-spec-v1.backup_metadata"), to: "in/backup_metadata.json")
    for name in ["dune.jpg", "cake.jpg"] { try folder.write([1], to: "in/photos/\(name)") }
    if let change {
      let manifest = String(decoding: try FormatSheet.example("smilepile-spec-v1.manifest"), as: UTF8.self)
      try #require(change.old.isEmpty || manifest.contains(change.old))
      try folder.write(change.old.isEmpty ? manifest : manifest.replacing(change.old, with: change.new), to: "in/manifest.json")
    }
    func packBesideDocument() throws -> [UInt8] {
      var sink = MemorySink()
      let path = folder.path.appending("in")
      try Packer(options: Packer.Options(.detected(.builtIn), now: SampleBackup.now))
        .pack(metadata: path.appending("backup_metadata.json"), files: path.appending("photos"), to: &sink)
      return sink.bytes
    }
    if finding.isEmpty {
      let packed = try pack().bytes
      #expect(SampleBackup.lines(of: try SampleBackup.report(packed)) == [])
      #expect(try packBesideDocument() == packed)
      return
    }
    for attempt in [{ try pack().bytes }, packBesideDocument] {
      let error = #expect(throws: CofferError.self) { try attempt() }
      let findings = (error?.underlying as? FindingsError)?.report.findings ?? []
      #expect(findings.map { "\($0.code) \($0.place.pointer)" } == [finding])
      #expect(findings.first?.place.entry == "manifest.json")
    }
    #expect(try pack(check: .nothing).contents.files == (change == nil ? 3 : 4))
  }

  @Test func `a file that no record names is packed with a warning`() throws {
    try write(SampleBackup().adding("photos/stray.jpg"))
    let packed = try pack()
    #expect(packed.contents.findings.map(\.place.entry) == ["photos/stray.jpg"])
    #expect(packed.contents.files == 4)
  }

  @Test(arguments: [SampleBackup(), SampleBackup().renaming { "Backup/" + $0 }])
  func `the entries that macOS adds are ignored`(backup: SampleBackup) throws {
    let archive = try backup.adding("__MACOSX/metadata.json").adding("__MACOSX/Backup/._metadata.json").archive()
    let report = try SampleBackup.report(archive)
    #expect(report.error == nil)
    #expect(report.isValid)
    #expect(report.format == "smilepile")
    let options = InspectionOptions(now: SampleBackup.now)
    let inspection = try Inspector(.detected(.builtIn), options: options)
      .inspect(MemorySource(archive), named: "a.zip")
    #expect(inspection.error == nil)
    #expect(inspection.attachments?.missing == 0)
  }

  @Test func `an LZ4-compressed document in an archive is refused`() throws {
    var backup = SampleBackup()
    backup.entries[0].bytes = [0x04, 0x22, 0x4D, 0x18] + backup.entries[0].bytes
    let archive = try backup.archive()
    let report = try SampleBackup.report(archive)
    #expect(report.error?.code.rawValue == "lz4-entry")
    #expect(report.error?.message == "metadata.json must be plain JSON, but is compressed with LZ4")
    let inspection = try Inspector(.detected(.builtIn), options: InspectionOptions(now: SampleBackup.now))
      .inspect(MemorySource(archive), named: "a.zip")
    #expect(inspection.error?.code.rawValue == "lz4-entry")
    var sink = MemorySink()
    let migrator = Migrator(.builtIn, options: MigrationOptions(now: SampleBackup.now))
    let error = #expect(throws: CofferError.self) { try migrator.migrate(MemorySource(archive), to: &sink) }
    #expect(error?.code == .lz4Entry)
    #expect(sink.bytes.isEmpty)
  }

  @Test func `a document that compresses very well can be read back`() throws {
    try write(SampleBackup().replacing("]\n}", by: "]" + String(repeating: " ", count: 5 << 20) + "}"))
    #expect(SampleBackup.lines(of: try SampleBackup.report(pack().bytes)) == [])
  }

  @Test func `a symbolic link is not packed`() throws {
    try write(SampleBackup())
    try FileManager.default.createSymbolicLink(
      atPath: folder.path.appending("in/photos/link").string, withDestinationPath: "/etc/passwd")
    #expect(throws: CofferError.self) { try pack() }
  }

  @Test func `a folder without exactly one document is not packed`() throws {
    try folder.write([65], to: "in/a.txt")
    #expect(throws: CofferError.self) { try pack() }
    try folder.write(Array("{}".utf8), to: "in/metadata.json")
    try folder.write(Array("{}".utf8), to: "in/backup_metadata.json")
    #expect(throws: CofferError.self) { try pack() }
  }

  @Test(arguments: ["{\"x\": 1}", "{\"version\": 2, \"photos\": []}"])
  func `a document of another format is not packed`(text: String) throws {
    try folder.write(Array(text.utf8), to: "in/metadata.json")
    let error = #expect(throws: CofferError.self) { try pack() }
    #expect(error?.code == .notABackup)
    let path = folder.path.appending("in")
    let options = Packer.Options(.detected(.builtIn), now: SampleBackup.now)
    var sink = MemorySink()
    #expect(throws: CofferError.self) {
      try Packer(options: options).pack(metadata: path.appending("metadata.json"), files: path, to: &sink)
    }
    #expect(sink.bytes.isEmpty)
  }

  @Test func `an existing folder is never overwritten`() throws {
    let archive = try SampleBackup().archive()
    try folder.write([65], to: "out/a.txt")
    #expect(throws: CofferError.self) { try Unpacker().unpackStream(MemorySource(archive), to: folder.path.appending("out")) }
    #expect(try folder.names == ["out"])
    #expect(try folder.files(below: "out") == ["a.txt": [65]])
  }

  @Test func `a cancelled unpacking leaves nothing`() throws {
    let cancellation = Cancellation()
    cancellation.request()
    var options = Unpacker.Options()
    options.execution.cancellation = cancellation
    let archive = try SampleBackup().archive()
    #expect(throws: CancellationError.self) {
      try Unpacker(options: options).unpackStream(MemorySource(archive), to: folder.path.appending("out"))
    }
    #expect(try folder.names == [])
  }

  /// The source ends or fails at every 13th byte.
  @Test func `a source that ends or fails early leaves nothing`() throws {
    let archive = try SampleBackup().archive()
    for count in stride(from: 0, to: archive.count, by: 13) {
      let part = Array(archive.prefix(count))
      #expect(throws: CofferError.self) { try Unpacker().unpackStream(MemorySource(part), to: folder.path.appending("out")) }
      #expect(throws: CofferError.self) { try Unpacker().unpackStream(FailingSource(part), to: folder.path.appending("out")) }
    }
    #expect(try folder.names == [])
  }
}
