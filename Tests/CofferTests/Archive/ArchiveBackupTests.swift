import BackupFormats
import Coffer
import SystemPackage
import TestSupport
import Testing

/// A `Backup` can be a ZIP archive, wherever its bytes come from.
@Suite struct ArchiveBackupTests {
  private static let options = ValidationOptions(now: SampleBackup.now)

  private func backups(_ bytes: [UInt8], in folder: TemporaryFolder) throws -> [Backup] {
    let path = folder.path.appending("backup.zip")
    let file = try AtomicFile(path, existing: .replace)
    try bytes.withUnsafeBytes { try file.write($0) }
    try file.commit()
    let chunks = AsyncStream<[UInt8]> { continuation in
      for start in stride(from: 0, to: bytes.count, by: 1000) {
        continuation.yield(Array(bytes[start..<min(start + 1000, bytes.count)]))
      }
      continuation.finish()
    }
    return [
      Backup(path: path.string), Backup(bytes: bytes, named: "backup.zip"), Backup(named: "backup.zip") { MemorySource(bytes) },
      Backup(chunks: chunks, named: "backup.zip"),
    ]
  }

  @Test func `an archive is validated wherever its bytes come from`() async throws {
    let folder = try TemporaryFolder()
    let bytes = try SampleBackup().adding("photos/stray.jpg").archive()
    let rules = RuleSource.detected(SampleBackup.catalog)
    for backup in try backups(bytes, in: folder) {
      let report = try await backup.validate(rules: rules, options: Self.options)
      #expect(report.isValid)
      #expect(report.container?.kind == "zip")
      #expect(report.findings.map(\.place.entry) == ["photos/stray.jpg"])
    }
  }

  @Test func `an archive is inspected, with the progress of its bytes`() async throws {
    let folder = try TemporaryFolder()
    let bytes = try SampleBackup().archive()
    let rules = RuleSource.detected(SampleBackup.catalog)
    for backup in try backups(bytes, in: folder) {
      let progress = WorkProgress()
      var options = InspectionOptions(now: SampleBackup.now)
      options.execution.progress = progress
      let inspection = try await backup.inspect(rules: rules, options: options)
      #expect(inspection.error == nil)
      #expect(inspection.attachments?.missing == 0)
      #expect(inspection.storedBytes == bytes.count)
      #expect(progress.snapshot.bytesRead >= bytes.count / 2)
    }
  }

  @Test func `an archive is migrated into a file, which is not replaced unasked`() async throws {
    let folder = try TemporaryFolder()
    let bytes = try SampleBackup().archive()
    let catalog = SampleBackup.catalog
    let target = folder.path.appending("migrated.zip").string
    for (index, backup) in try backups(bytes, in: folder).enumerated() {
      let report = try await backup.migrate(
        to: target, existing: index == 0 ? .keep : .replace, catalog: catalog, options: MigrationOptions(now: SampleBackup.now))
      #expect(report.format == report.formatAfter)
      let migrated = try await Backup(path: target).validate(rules: .detected(catalog), options: Self.options)
      #expect(migrated.isValid)
    }
    let error = await #expect(throws: CofferError.self) {
      try await Backup(bytes: bytes).migrate(to: target, catalog: catalog, options: MigrationOptions(now: SampleBackup.now))
    }
    #expect(error?.code == .alreadyExists)
  }

  /// The first bytes decide, not the name.
  @Test(arguments: ["backup.json", "backup.ndjson", "backup"]) func `an archive is recognised under any name`(name: String)
    async throws
  {
    let rules = RuleSource.detected(SampleBackup.catalog)
    let backup = Backup(bytes: try SampleBackup().archive(), named: name)
    let report = try await backup.validate(rules: rules, options: Self.options)
    #expect(report.isValid && report.container?.kind == "zip")
    let inspection = try await backup.inspect(rules: rules, options: InspectionOptions(now: SampleBackup.now))
    #expect(inspection.error == nil && inspection.container == .zip)
  }
}
