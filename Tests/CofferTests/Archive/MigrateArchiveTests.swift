import ByteStreams
import Coffer
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

/// Migrating a ZIP backup changes its document and copies everything else.
@Suite struct MigrateArchiveTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A backup from an older app: it has a member that was dropped later, and lacks newer ones.
  private static let old = SampleBackup()
    .replacing(#""format": "ZIP","#, by: "")
    .replacing(#""isDefault": true, "#, by: "")
    .replacing(#""isFromAssets": false, "createdAt": 1759320060000"#, by: #""isFavorite": true, "createdAt": 1759320060000"#)

  private func migrate(_ archive: [UInt8], format: String? = nil) throws -> (bytes: [UInt8], report: MigrationReport) {
    try folder.write(archive, to: "in.zip")
    let catalog = SampleBackup.catalog
    let options = MigrationOptions(now: SampleBackup.now)
    let migrator = Migrator(catalog, format: format.flatMap { catalog[$0] }, options: options)
    var sink = MemorySink()
    let report = try migrator.migrate(FileSource(path: folder.path.appending("in.zip")), to: &sink)
    var other = MemorySink()
    #expect(try migrator.migrate(MemorySource(archive, chunkSize: 100), to: &other) == report)
    #expect(other.bytes == sink.bytes)
    return (sink.bytes, report)
  }

  private func files(of archive: [UInt8]) throws -> [(name: String, bytes: [UInt8])] {
    let reader = ZIPReader(MemorySource(archive))
    var files: [(String, [UInt8])] = []
    while let entry = try reader.next() {
      var contents = reader.contents
      files.append((entry.name, try contents.readPrefix(1 << 20)))
    }
    return files
  }

  @Test(arguments: [false, true], ["", "album/"]) func `the document is migrated, and all other entries are copied`(
    compresses: Bool, top: String
  ) throws {
    let backup = Self.old.adding("photos/empty/", "").renaming { top + $0 }.reversed
    let (bytes, report) = try migrate(try backup.archive(compresses: compresses))
    #expect(report.format == "smilepile" && report.versionAfter == 2)
    #expect(
      report.steps.filter { $0.changed > 0 }.map(\.pointer)
        == ["/format", "/categories/*/isDefault", "/photos/*/isFromAssets", "/photos/*/isFavorite"])
    let files = try files(of: bytes)
    #expect(files.map(\.name) == backup.entries.map(\.name))
    for (file, entry) in zip(files, backup.entries) where !file.name.hasSuffix(".json") { #expect(file.bytes == entry.bytes) }
    let document = String(decoding: try #require(files.last).bytes, as: UTF8.self)
    #expect(document.contains(#""format":"ZIP""#) && !document.contains("isFavorite"))
    #expect(SampleBackup.lines(of: try SampleBackup.report(bytes)).allSatisfy { $0.hasPrefix("dialect note") })
  }

  @Test func `a second migration gives the same archive`() throws {
    let first = try migrate(try Self.old.archive(compresses: true))
    let second = try migrate(first.bytes)
    #expect(!second.report.hasChanged)
    #expect(second.bytes == first.bytes)
  }

  @Test func `compressed entries are copied without recompression`() throws {
    // The compression level differs from Coffer's, so recompressed data would have other bytes.
    let photo = [UInt8](repeating: 7, count: 10_000)
    var backup = Self.old
    backup.entries.append(("photos/stray.jpg", photo))
    let archive = try backup.archive(compresses: true)
    let reader = try ZIPReader(StoredBytes(archive, named: "archive"))
    while try reader.next() != nil {}
    let entry = try #require(reader.storedEntries.last)
    #expect(entry.range.count < 100)
    let (bytes, _) = try migrate(archive)
    #expect(bytes.firstRange(of: Array(archive[entry.range])) != nil)
  }

  @Test(arguments: [
    (SampleBackup().removing("metadata.json"), CofferError.Code.notABackup),
    (SampleBackup().adding("backup_metadata.json", "{}"), .notABackup),
    (SampleBackup().replacing(#""version": 2"#, by: #""version": 3"#), .newerVersion),
  ])
  func `an archive that cannot be migrated gets its error code`(backup: SampleBackup, code: CofferError.Code) throws {
    let error = #expect(throws: CofferError.self) { try migrate(try backup.archive()) }
    #expect(error?.code == code)
  }

  @Test func `an archive in place of the document is refused`() throws {
    var backup = SampleBackup()
    backup.entries[0].bytes = try SampleBackup().archive()
    let archive = try backup.archive()
    let error = #expect(throws: CofferError.self) { try migrate(archive) }
    #expect(error?.message == "metadata.json must be plain JSON, but is a ZIP archive")
    #expect(SampleBackup.lines(of: try SampleBackup.report(archive)) == ["zip-archive"])
  }

  @Test func `a format whose backups aren't archives is refused`() throws {
    let error = #expect(throws: CofferError.self) { try migrate(try SampleBackup().archive(), format: "aquavate") }
    #expect(error?.message == "backups of the format aquavate can't be ZIP archives")
  }

  /// Like `coffer unpack`, migration refuses it before anything is written.
  @Test func `a damaged archive is refused before anything is written`() throws {
    let sound = try Self.old.archive()
    let place = try #require(sound.firstRange(of: Array("sample photo two".utf8))).lowerBound
    var damaged = sound
    damaged[place] ^= 1
    for (archive, code) in [
      (damaged, CofferError.Code.zipChecksum), (Array(sound.dropLast(3)), .zipTruncated), (sound + [1], .zipInconsistent),
    ] {
      try folder.write(archive, to: "in.zip")
      var sink = MemorySink()
      let migrator = Migrator(SampleBackup.catalog, options: MigrationOptions(now: SampleBackup.now))
      let error = #expect(throws: CofferError.self) {
        try migrator.migrate(FileSource(path: folder.path.appending("in.zip")), to: &sink)
      }
      #expect(error?.code == code)
      #expect(sink.bytes.isEmpty)
    }
  }

  @Test func `a file that is not an archive is migrated as a document`() throws {
    let (bytes, report) = try migrate(Self.old.entries[0].bytes)
    #expect(report.format == "smilepile")
    #expect(bytes.first == UInt8(ascii: "{"))
  }
}
