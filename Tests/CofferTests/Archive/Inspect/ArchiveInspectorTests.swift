import Testing

@testable import Coffer

/// Inspections of an archive's document and files.
@Suite struct ContainerInspectorTests {
  private static let descriptor = #"""
    {"$schema": "urn:coffer:rules:1",
     "backup": {
       "name": "album", "detect": "/photos",
       "version": {"pointer": "/version", "current": 2, "oldest": 1, "ifAbsent": {"zip": 2, "json": 1}},
       "archive": {"metadata": "metadata.json", "topFolder": true, "files": "photos/"}},
     "properties": {"photos": {"items": {"properties": {"name": {"type": "string", "containerEntry": "photos/"}}}}}}
    """#

  private static func archive(_ entries: [(name: String, text: String)]) throws -> [UInt8] {
    var writer = ZIPWriter(to: MemorySink())
    for (name, text) in entries { try writer.addCompressed(name, from: MemorySource(text.utf8), size: text.utf8.count) }
    try writer.finish()
    return writer.sink.bytes
  }

  private static func inspection(of bytes: [UInt8]) throws -> Inspection {
    let rules = RuleSource.format(try BackupFormat(descriptor: descriptor))
    let inspector = Inspector(rules, options: InspectionOptions(now: Instant(seconds: 1_782_900_000)))
    return try inspector.inspect(MemorySource(bytes), named: "backup.zip")
  }

  private static let document = #"{"photos": [{"name": "a.jpg"}, {"name": "b.jpg"}, {"name": "a.jpg"}]}"#

  @Test(arguments: ["", "album/"]) func `an inspection covers the document and the files`(folder: String) throws {
    let inspection = try Self.inspection(
      of: Self.archive([
        (folder + "photos/a.jpg", "12345"), (folder + "metadata.json", Self.document), (folder + "photos/c.jpg", "123"),
      ]))
    #expect(inspection.error == nil)
    #expect(inspection.container == .zip)
    #expect(inspection.collections.map(\.count) == [3])
    #expect(inspection.documentBytes == Self.document.utf8.count)
    #expect(
      inspection.attachments == Inspection.Attachments(count: 2, bytes: 8, missing: 1, missingNames: [folder + "photos/b.jpg"]))
    // The meaning of a missing version depends on the container.
    #expect(inspection.version?.number == 2)
    #expect(inspection.importability == .current)
  }

  @Test func `a document outside of an archive has no files`() throws {
    let inspection = try Self.inspection(of: Array(Self.document.utf8))
    #expect(inspection.attachments == nil)
    #expect(inspection.version?.number == 1)
  }

  @Test func `an archive without a document is not a backup`() throws {
    let inspection = try Self.inspection(of: Self.archive([("a.txt", "1")]))
    #expect(inspection.error?.code.rawValue == "not-a-backup")
    #expect(inspection.importability == .unreadable)
  }

  @Test func `an archive in place of the document is an error`() throws {
    let inner = try Self.archive([("metadata.json", Self.document)])
    var writer = ZIPWriter(to: MemorySink())
    try writer.addCompressed("metadata.json", from: MemorySource(inner), size: inner.count)
    try writer.finish()
    let inspection = try Self.inspection(of: writer.sink.bytes)
    #expect(inspection.error?.code.rawValue == "zip-archive")
    #expect(inspection.error?.message == "metadata.json must be plain JSON, but is a ZIP archive")
    #expect(inspection.importability == .unreadable && inspection.attachments == nil)
  }

  @Test func `an archive is not a backup of a format without archives`() throws {
    let rules = RuleSource.format(try BackupFormat(descriptor: #"{"backup": {"name": "plain", "detect": "/a"}}"#))
    let inspector = Inspector(rules, options: InspectionOptions(now: Instant(seconds: 0)))
    let inspection = try inspector.inspect(MemorySource(Self.archive([("metadata.json", "{}")])), named: "backup.zip")
    #expect(inspection.error?.code.rawValue == "not-a-backup")
    #expect(inspection.error?.message == "backups of the format plain can't be ZIP archives")
    #expect(inspection.container == .zip && inspection.attachments == nil)
  }

  @Test func `a broken document is inspected up to its error`() throws {
    let inspection = try Self.inspection(
      of: Self.archive([("metadata.json", #"{"photos": [{"name": "a.jpg"}, {]"#), ("photos/a.jpg", "1")]))
    #expect(inspection.error?.code.rawValue == "syntax")
    #expect(inspection.collections.map(\.count) == [1])
    #expect(inspection.attachments?.missing == 0)
  }

  @Test func `a truncated archive is an error`() throws {
    let bytes = try Self.archive([("metadata.json", Self.document), ("photos/a.jpg", String(repeating: "x", count: 1000))])
    let inspection = try Self.inspection(of: Array(bytes.dropLast(30)))
    #expect(inspection.error != nil)
    #expect(inspection.collections.map(\.count) == [3])
  }

  /// The writer refuses such entries, so they are patched in.
  @Test(arguments: [
    ("photos/b.jpg", "../hot/b.jpg", "path-unsafe"), ("photos/b.jpg", "photos/a.jpg", "duplicate-entry"),
    ("photos/b.jpg", "photos/A.jpg", "duplicate-entry"), ("photos/b.jpg", "photos\\b.jpg", "path-unsafe"),
    ("plain photo", "other photo", "zip-checksum"),
  ])
  func `an archive with an unsafe or damaged entry cannot be imported`(old: String, new: String, code: String) throws {
    var writer = ZIPWriter(to: MemorySink())
    try writer.addCompressed("metadata.json", from: MemorySource(Self.document.utf8), size: nil)
    for name in ["photos/a.jpg", "photos/b.jpg"] {
      let photo = Array("plain photo".utf8)
      try writer.addStored(name, size: photo.count, checksum: CRC32(of: photo), from: MemorySource(photo))
    }
    try writer.finish()
    var bytes = writer.sink.bytes
    for range in bytes.ranges(of: Array(old.utf8)) { bytes.replaceSubrange(range, with: Array(new.utf8)) }
    let inspection = try Self.inspection(of: bytes)
    #expect(inspection.error == nil)
    #expect(inspection.importability == .faultyArchive)
    #expect(inspection.warnings.first { $0.code == code } != nil)
  }

  @Test func `a missing file is a warning`() throws {
    let inspection = try Self.inspection(of: Self.archive([("metadata.json", Self.document), ("photos/a.jpg", "1")]))
    #expect(inspection.importability == .current)
    #expect(inspection.warnings.map(\.code) == ["file-missing"])
  }

  @Test func `an encrypted document is an error of its own`() throws {
    var bytes = try Self.archive([("metadata.json", Self.document)])
    for (signature, flags) in [([0x50, 0x4B, 3, 4] as [UInt8], 6), ([0x50, 0x4B, 1, 2], 8)] {
      let start = try #require(bytes.firstRange(of: signature)).lowerBound
      bytes[start + flags] |= 1
    }
    let inspection = try Self.inspection(of: bytes)
    #expect(inspection.error?.code.rawValue == "zip-encrypted")
    #expect(inspection.importability == .unreadable)
  }
}
