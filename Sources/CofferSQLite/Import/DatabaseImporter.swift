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
///     detect ─▶ validate, and stage the rows ─▶ migrate if older ─▶ what would change ─▶ confirm ─▶ safety copy ─▶ one transaction ─▶ checks ─▶ commit
///
/// For example:
///
///     let importer = DatabaseImporter(.detected(catalog), catalog: catalog, options: StoreImportOptions(validation: validation))
///     let report = try importer.run("export.json", into: "backup.db")
///     report.rows.changes.collections.first?.inserted       // 2000
///     report.safetyCopy                                     // backup.db.before-import-20261122T101500Z.sqlite
///
/// A database that isn't there appears whole, under its name, when all is in it and on the disk. One that is there changes in one transaction, after a
/// copy of it was made; readers see the old rows until the commit. Files of an archive come as a new set (`FileSets`), which the same transaction names.
///
/// Cost: as `StageLoader`; then a copy of the database, and its transaction. On the disk: once more what the rows take. Memory: bounded.
public struct DatabaseImporter {
  private let rules: ValidationRules
  private let catalog: FormatCatalog
  private let options: StoreImportOptions
  /// Is asked before rows that are there are replaced: what it throws ends the import, and nothing has changed.
  public var confirm: ((DatabaseImportReport) throws -> Void)?
  /// Is told once that somebody else's import is waited for.
  public var tellWaiting: () -> Void = {}

  /// Gets a warning before a backup of a newer version than is known changes anything.
  public var tellNewer: (String) -> Void = { _ in }

  /// - Parameters:
  ///   - rules: what backups are checked against.
  ///   - catalog: the formats that they may be of, or become.
  ///   - options: merge or replace, and how they are validated.
  public init(_ rules: ValidationRules, catalog: FormatCatalog, options: StoreImportOptions) {
    self.rules = rules
    self.catalog = catalog
    self.options = options
  }

  /// Imports a backup.
  ///
  /// - Parameters:
  ///   - file: JSON, LZ4 data that holds it, or a ZIP archive; `-` is standard input.
  ///   - database: the database's file; it is made if it isn't there.
  /// - Throws: `ImportRefusal`, `StoreError`, `MigrationError`, `CollectionError`, `RuleCompileError`, `ByteStreamError`, `ZIPError`, `CancellationError`. Then
  ///   nothing has changed.
  public func run(_ file: FilePath, into database: FilePath) throws -> DatabaseImportReport {
    try cancellation.watch {
      let source = try BackupSource(file, rules, execution: options.validation.execution)
      let lock = try DatabaseTarget(database).lock(cancellation: cancellation, tell: tellWaiting)
      defer { withExtendedLifetime(lock) {} }
      // Whoever held the lock may have made it.
      let target = try DatabaseTarget(database)
      let followsKilledRun = try DatabaseFile.remove(target.stagePath)
      try DatabaseFile.remove(target.unfinishedCopyPath)
      Leftovers.remove(in: target.folder)
      let stage = try self.stage(source, at: target.stagePath, for: target)
      defer { _ = try? DatabaseFile.remove(target.stagePath) }
      if let warning = stage.newerVersionWarning { tellNewer(warning) }
      let run = ImportRun(
        source: source, target: target, stage: stage, options: options, file: file.string, database: database.string,
        followsKilledRun: followsKilledRun)
      return try target.exists ? run.change(confirm: confirm) : run.make()
    }
  }

  /// What ``run(_:into:)`` would do. Nothing is written but to the folder for temporary files.
  ///
  /// - Throws: as that.
  public func preview(_ file: FilePath, into database: FilePath) throws -> DatabaseImportReport {
    try cancellation.watch {
      let source = try BackupSource(file, rules, execution: options.validation.execution)
      let target = try DatabaseTarget(database, isWritten: false)
      let folder = try StageFolder(in: options.validation.execution.temporaryFolder)
      defer { folder.remove() }
      let stage = try self.stage(source, at: folder.databasePath, for: target)
      if let warning = stage.newerVersionWarning { tellNewer(warning) }
      return try ImportRun(
        source: source, target: target, stage: stage, options: options, file: file.string, database: database.string
      ).preview()
    }
  }

  private var cancellation: Cancellation? { options.validation.execution.cancellation }

  private func stage(_ source: BackupSource, at path: FilePath, for target: DatabaseTarget) throws -> Stage {
    let validator = Validator(rules, options: options.validation)
    return try StageLoader(rules, catalog: catalog, options: options, for: target.exists ? .changes : .database).load(
      reopening: { try metered(source) }, named: source.name, in: source.container, to: path, like: target.path,
      report: { try source.report(around: $0, by: validator) })
  }

  private func metered(_ source: BackupSource) throws -> any ByteSource {
    guard let progress = options.validation.execution.progress else { return try source.document() }
    progress.expect(source.documentByteCount)
    return MeteredSource(try source.document(), progress)
  }
}
