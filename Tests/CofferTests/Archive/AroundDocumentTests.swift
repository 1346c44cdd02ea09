import BackupFormats
import ByteStreams
import Coffer
import Testing
import ZIPArchives

/// A document that was validated separately and the archive around it give the report of a single pass.
@Suite struct AroundDocumentTests {
  static let backups: [SampleBackup] = [
    SampleBackup(), SampleBackup().reversed, SampleBackup().renaming { "backup_temp_1759415422000/" + $0 },
    SampleBackup().removing("photos/102_cake.jpg"), SampleBackup().adding("photos/stray.jpg"),
    SampleBackup().adding("../evil.txt"),
    SampleBackup().replacing("b928a5b3c6e42c86858cb2a08dcda35d", by: "ffffffffffffffffffffffffffffffff"),
    SampleBackup().replacing("\"fileSize\": 18,\n     \"checksum\"", by: "\"fileSize\": 999,\n     \"checksum\""),
    SampleBackup().replacing("\"categoryId\": 1, \"name\": \"dune.jpg\"", by: "\"categoryId\": 7, \"name\": \"dune.jpg\""),
    SampleBackup().replacing("\"version\": 2", by: "\"version\": 3"),
    SampleBackup().replacing("\"photos\": [", by: "\"photos\": [["),
    SampleBackup().adding("photos/"), SampleBackup().adding("__MACOSX/metadata.json"), SampleBackup().adding("readme.txt"),
  ]

  private func archive(_ bytes: [UInt8]) throws -> OpenedBackup {
    let name = "backup.zip"
    return try OpenedBackup(StoredBytes(bytes, named: name), named: name, .detected(SampleBackup.catalog), Execution())
  }

  private func report(_ backup: OpenedBackup) throws -> ValidationReport {
    let options = ValidationOptions(now: SampleBackup.now)
    let formats = try #require(backup.archive).formats
    let document = try Validator(.detected(FormatCatalog(formats)), options: options).validate(backup.document())
    return try Validator(.detected(SampleBackup.catalog), options: options).report(on: backup, around: document)
  }

  @Test(arguments: backups)
  func `validating document and archive apart gives the report of one pass`(backup: SampleBackup) throws {
    var backup = backup
    // A folder has no data.
    for index in backup.entries.indices where backup.entries[index].name.hasSuffix("/") { backup.entries[index].bytes = [] }
    let bytes = try archiveAllowingAnyName(backup)
    let parts = try report(archive(bytes))
    let whole = try SampleBackup.report(bytes)
    #expect(SampleBackup.lines(of: parts) == SampleBackup.lines(of: whole))
    #expect(parts.error == whole.error)
    #expect(parts.counts == whole.counts)
    #expect(parts.container == whole.container)
    #expect(parts.bytes == whole.bytes)
    #expect(parts.format == whole.format)
    #expect(parts.file == whole.file)
  }

  @Test func `a damaged file is a finding when the archive is validated apart`() throws {
    var bytes = try SampleBackup().archive()
    let text = Array("sample photo one".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: text) })
    bytes[place] ^= 1
    let parts = try report(archive(bytes))
    #expect(SampleBackup.lines(of: parts) == SampleBackup.lines(of: try SampleBackup.report(bytes)))
    #expect(parts.findings.map(\.code).contains("zip-checksum"))
  }

  private func archiveAllowingAnyName(_ backup: SampleBackup) throws -> [UInt8] {
    var options = ZIPWriter<MemorySink>.Options()
    options.allowsUnsafeNames = true
    var writer = ZIPWriter(to: MemorySink(), options: options)
    for (name, bytes) in backup.entries {
      try writer.addStored(name, size: bytes.count, checksum: CRC32(of: bytes), from: MemorySource(bytes))
    }
    try writer.finish()
    return writer.sink.bytes
  }
}
