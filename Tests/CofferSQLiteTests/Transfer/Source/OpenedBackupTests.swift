import ByteStreams
import Coffer
import CofferSQLite
import Foundation
import LZ4Streams
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

@Suite struct OpenedBackupTests {
  let folder: TemporaryFolder
  private let sample = ArchiveSample(["photos/a.jpg": "a"])

  init() throws { folder = try TemporaryFolder() }

  private func source(_ bytes: [UInt8]) throws -> OpenedBackup {
    try OpenedBackup(StoredBytes(bytes, named: "backup"), named: "backup", .detected(ArchiveSample.catalog), Execution())
  }

  private func text(of source: OpenedBackup) throws -> String {
    var document = try source.document().source
    return String(decoding: try document.all(), as: UTF8.self)
  }

  /// A backup as JSON, LZ4 and ZIP.
  private var files: [(container: BackupFormat.Container, bytes: [UInt8])] {
    get throws {
      let text = sample.document
      var compressed = LZ4StreamWriter(to: MemorySink())
      try compressed.write(text)
      try compressed.finish()
      return [(.json, Array(text.utf8)), (.json, compressed.sink.bytes), (.zip, try sample.bytes)]
    }
  }

  @Test func `the document can be read repeatedly`() throws {
    for (container, bytes) in try files {
      let source = try source(bytes)
      #expect(source.byteCount == bytes.count)
      #expect(source.container == container)
      for _ in 0..<2 { #expect(try text(of: source) == sample.document) }
    }
  }

  @Test func `a file stays readable after another file replaces it`() throws {
    for (container, bytes) in try files {
      let path = folder.path.appending("backup")
      try Data(bytes).write(to: URL(filePath: path.string))
      let source = try OpenedBackup(path, .detected(ArchiveSample.catalog))
      #expect(source.container == container)
      #expect(source.name == path.string)
      #expect(try text(of: source) == sample.document)
      try source.checkUnchanged()
      try Data(bytes + [0]).write(to: URL(filePath: path.string))
      // A new file at the path doesn't affect this source.
      #expect(try text(of: source) == sample.document)
    }
  }

  @Test func `a change of the file is detected`() throws {
    try folder.write(sample.document, to: "backup.json")
    let source = try OpenedBackup(folder.path.appending("backup.json"), .detected(ArchiveSample.catalog))
    let file = try FileHandle(forWritingTo: URL(filePath: folder.path.appending("backup.json").string))
    try file.seekToEnd()
    try file.write(contentsOf: Data([0x20]))
    try file.close()
    let error = #expect(throws: CofferError.self) { try source.checkUnchanged() }
    #expect(error?.code == .inputChanged)
  }

  @Test func `a file that is not a backup is refused`() throws {
    #expect(throws: CofferError.self) {
      try OpenedBackup(folder.path.appending("none.zip"), .detected(ArchiveSample.catalog))
    }
    var writer = ZIPWriter(to: MemorySink())
    try writer.addCompressed("a.txt", from: MemorySource("a".utf8), size: 1)
    try writer.finish()
    let stranger = writer.sink.bytes
    #expect(throws: CofferError.self) { try source(stranger) }
    var two = sample
    two.files.append(("other/metadata.json", "{}"))
    let bytes = try two.bytes
    #expect(throws: CofferError.self) { try source(bytes) }
    let part = try Array(sample.bytes.dropLast(10))
    #expect(throws: CofferError.self) { try source(part) }
  }

  /// Validation reports the faults of other entries.
  @Test func `the document is readable despite faulty entries`() throws {
    let faulty = ArchiveSample(["../evil": "x", "photos/a.jpg": "a"])
    #expect(try text(of: source(faulty.bytes)) == faulty.document)
  }

  @Test func `a damaged document is an error while it is read`() throws {
    var bytes = try sample.bytes
    // Its first byte, after the header and the name: only the checksum detects the change.
    let start = 30 + "metadata.json".utf8.count
    #expect(bytes[start] == UInt8(ascii: "{"))
    bytes[start] = UInt8(ascii: "[")
    let source = try source(bytes)
    let error = #expect(throws: CofferError.self) { try text(of: source) }
    #expect(error?.code.rawValue == "zip-checksum")
  }
}
