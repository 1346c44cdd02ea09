public import BackupFormats
import ByteStreams
public import Coffer
import Failpoints
import Findings
import GRDB
import Rules
public import SystemPackage

/// Imports backup files into database files, all or nothing.
///
///     detect ─▶ validate, and stage the rows ─▶ migrate if older ─▶ preview ─▶ confirm ─▶ one transaction:
///       safety copy ─▶ changes ─▶ checks ─▶ commit
///
/// For example:
///
///     let importer = DatabaseImporter(.detected(catalog), catalog: catalog, options: StoreImportOptions(validation: validation))
///     let report = try importer.run("export.json", into: "backup.db")
///     report.rows.changes.collections.first?.inserted       // 2000
///     report.safetyCopy                                     // backup.db.before-import-20261122T101500Z.sqlite
///
/// A new database gets its name when it is complete and synced to the disk. An existing one changes in one transaction, after a
/// safety copy; readers see the old rows until the commit. An archive's files become a new set (`FileSets`), which the same
/// transaction names.
///
/// Cost: that of `StageLoader`, a copy of the database, and its transaction. Disk: a second copy of the rows. Memory: bounded.
public struct DatabaseImporter {
  private let rules: RuleSource
  private let catalog: FormatCatalog
  private let options: StoreImportOptions
  /// Called before existing rows are replaced. If it throws, the import ends without changes.
  public var confirm: ((DatabaseImportReport) throws -> Void)?
  /// Called once if the import waits for another one.
  public var onWaiting: () -> Void = {}

  /// Receives a warning before a backup of an unknown newer version changes anything.
  public var onNewerVersion: (String) -> Void = { _ in }

  /// - Parameters:
  ///   - rules: the rules for validating backups.
  ///   - catalog: the known formats, for detection and migration.
  ///   - options: merge or replace, and options for validation.
  public init(_ rules: RuleSource, catalog: FormatCatalog, options: StoreImportOptions) {
    self.rules = rules
    self.catalog = catalog
    self.options = options
  }

  /// Imports a backup.
  ///
  /// - Parameters:
  ///   - file: JSON, compressed data that holds it, or a ZIP archive; `-` is standard input.
  ///   - database: the database's file, which is created if it is missing.
  /// - Throws: `CofferError`, `CancellationError`. Nothing has changed in that case.
  public func run(_ file: FilePath, into database: FilePath) throws -> DatabaseImportReport {
    try cancellation.watch {
      let source = try OpenedBackup(file, rules, execution: options.validation.execution)
      let lock = try DatabaseTarget(database).lock(cancellation: cancellation, tell: onWaiting)
      defer { withExtendedLifetime(lock) {} }
      // The previous holder of the lock may have created the database.
      let target = try DatabaseTarget(database)
      let followsKilledRun = try DatabaseFile.remove(target.stagePath)
      try DatabaseFile.remove(target.unfinishedCopyPath)
      Leftovers.remove(in: target.folder)
      let stage = try self.stage(source, at: target.stagePath, for: target)
      defer { _ = try? DatabaseFile.remove(target.stagePath) }
      if let warning = stage.newerVersionWarning { onNewerVersion(warning) }
      let run = ImportRun(
        source: source, target: target, stage: stage, options: options, file: source.name, database: database.string,
        followsKilledRun: followsKilledRun)
      return try target.exists ? run.change(confirm: confirm) : run.make()
    }
  }

  /// Returns what ``run(_:into:)`` would do. Writes only to the folder for temporary files.
  ///
  /// - Throws: the errors of ``run(_:into:)``.
  public func preview(_ file: FilePath, into database: FilePath) throws -> DatabaseImportReport {
    try cancellation.watch {
      let source = try OpenedBackup(file, rules, execution: options.validation.execution)
      let target = try DatabaseTarget(database, isWritten: false)
      let folder = try StageFolder(in: options.validation.execution.temporaryFolder)
      defer { folder.remove() }
      let stage = try self.stage(source, at: folder.databasePath, for: target)
      if let warning = stage.newerVersionWarning { onNewerVersion(warning) }
      return try ImportRun(
        source: source, target: target, stage: stage, options: options, file: source.name, database: database.string
      ).preview()
    }
  }

  private var cancellation: Cancellation? { options.validation.execution.cancellation }

  private func stage(_ source: OpenedBackup, at path: FilePath, for target: DatabaseTarget) throws -> Stage {
    let validator = Validator(rules, options: options.validation)
    return try StageLoader(rules, catalog: catalog, options: options, for: target.exists ? .changes : .database).load(
      source, to: path, like: target.path, report: { try validator.report(on: source, around: $0) })
  }
}
