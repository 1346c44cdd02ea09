public import BackupFormats
import ByteStreams
public import Coffer
import Findings
import GRDB
import Rules
public import SystemPackage

/// Imports backup files into database files, all or nothing.
///
///     detect ─▶ validate, and stage the rows ─▶ migrate if older ─▶ preview ─▶ confirm ─▶ one transaction:
///       safety copy ─▶ changes ─▶ checks ─▶ commit
///
/// A document of no known format gets the database's rules, or drafted ones: ``AssumedRules``.
///
/// For example:
///
///     let importer = DatabaseImporter(.detected(catalog), catalog: catalog, options: DatabaseImportOptions(validation: validation))
///     let report = try importer.run("export.json", into: "backup.db")
///     report.changes.collections.first?.inserted       // 2000
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
  fileprivate let options: DatabaseImportOptions
  /// Called before existing rows are replaced. If it throws, the import ends without changes.
  public var confirm: ((DatabaseImportReport) throws -> Void)?
  /// Called once if the import waits for another one.
  public var onWaiting: () -> Void = {}

  /// Receives a warning before a backup of an unknown newer version changes anything.
  public var onNewerVersion: (String) -> Void = { _ in }

  /// Receives the records that ``DatabaseImportOptions/invalidRecords`` leaves out, with their bytes.
  public var onReject: (LeftOut, UnsafeRawBufferPointer) throws -> Void = { _, _ in }

  /// - Parameters:
  ///   - rules: the rules for validating backups.
  ///   - catalog: the known formats, for detection and migration.
  ///   - options: merge or replace, and options for validation.
  public init(_ rules: RuleSource, catalog: FormatCatalog, options: DatabaseImportOptions) {
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
      let source = try opened(file)
      let lock = try DatabaseTarget(database).lock(cancellation: cancellation, onWaiting: onWaiting)
      defer { withExtendedLifetime(lock) {} }
      // The previous holder of the lock may have created the database.
      let target = try DatabaseTarget(database)
      let followsKilledRun = try DatabaseFile.remove(target.stagePath)
      try DatabaseFile.remove(target.unfinishedCopyPath)
      Leftovers.remove(in: target.folder)
      let run = try ImportRun(source, at: target.stagePath, for: target, self, database: database.string)
      defer { _ = try? DatabaseFile.remove(target.stagePath) }
      return try target.exists ? run.change(confirm: confirm) : run.create(followsKilledRun: followsKilledRun)
    }
  }

  /// Returns what ``run(_:into:)`` would do. Writes only to the folder for temporary files.
  ///
  /// - Throws: the errors of ``run(_:into:)``.
  public func preview(_ file: FilePath, into database: FilePath) throws -> DatabaseImportReport {
    try cancellation.watch {
      let source = try opened(file)
      let target = try DatabaseTarget(database, isWritten: false)
      let folder = try ScratchFolder(within: options.validation.execution.temporaryFolder)
      return try ImportRun(source, at: folder.stagePath, for: target, self, database: database.string).preview()
    }
  }

  /// Reads a backup into new tables for queries.
  func tables(of file: FilePath, at path: FilePath) throws -> DatabaseImportReport {
    let source = try opened(file)
    let stage = try stage(source, at: path, .query, for: nil).stage
    var report = stage.report(stage.changes(options), file: source.name, database: path.string, mode: options.mode, isNew: true)
    report.warnings += [stage.newerVersionWarning].compactMap(\.self)
    return report
  }

  private var cancellation: Cancellation? { options.validation.execution.cancellation }

  private static func isAboutContent(_ error: CofferError) -> Bool {
    [.noBackup, .unknownFormat, .newerVersion, .incompatible].contains(error.code)
  }

  private func opened(_ file: FilePath) throws -> OpenedBackup {
    try OpenedBackup(file, rules, execution: options.validation.execution, acceptsAnyDocument: rules.areDetected)
  }

  /// Reads the backup into a stage.
  ///
  /// - Parameter target: the database that the stage is for, if there is one.
  fileprivate func stage(
    _ source: OpenedBackup, at path: FilePath, _ purpose: Stage.Purpose, for target: DatabaseTarget?
  ) throws -> (source: OpenedBackup, stage: Stage) {
    var (source, rules, catalog) = (source, rules, catalog)
    let found = try AssumedRules.find(rules, for: source, options.validation) { try target.flatMap(properties) }
    if let found {
      rules = found.rules
      if case .format(let format) = rules { catalog = catalog.preceded(by: [format]) }
      // The rules tell which entry of an archive is its document.
      if source.archive != nil, let bytes = source.stored {
        source = try OpenedBackup(bytes, named: source.name, rules, options.validation.execution)
      }
    }
    let stage = try StageLoader(
      backup: source, rules: rules, catalog: catalog, options: options.admitting(found?.assumed),
      purpose: purpose, path: path, reject: onReject, model: target?.path, assumed: found?.assumed
    ).load()
    if let warning = stage.newerVersionWarning { onNewerVersion(warning) }
    return (source, stage)
  }

  /// Returns the properties of the backup that the database holds, if there is one that can be read.
  private func properties(of target: DatabaseTarget) throws -> BackupProperties? {
    guard target.exists else { return nil }
    let exporter = DatabaseExporter(catalog, options: DatabaseExportOptions(), now: options.validation.now)
    do {
      return try exporter.properties(of: target.path).properties
    } catch let error as CofferError where Self.isAboutContent(error) {
      // The import itself will say what is wrong.
      return nil
    }
  }
}

/// One import of a staged backup.
private struct ImportRun {
  private let source: OpenedBackup
  private let target: DatabaseTarget
  private let stage: Stage
  private let options: DatabaseImportOptions
  /// The database's path as given, for messages.
  private let database: String

  init(
    _ source: OpenedBackup, at path: FilePath, for target: DatabaseTarget, _ importer: DatabaseImporter, database: String
  ) throws {
    self.target = target
    self.database = database
    (self.source, stage) = try importer.stage(source, at: path, target.exists ? .changes : .database, for: target)
    options = importer.options.admitting(stage.assumed)
  }

  private var cancellation: Cancellation? { options.validation.execution.cancellation }
  private var progress: WorkProgress? { options.validation.execution.progress }

  private var sets: FileSets { FileSets(ofDatabase: target.path) }

  private func report(_ changes: ImportChanges, isNew: Bool) -> DatabaseImportReport {
    stage.report(changes, file: source.name, database: database, mode: options.mode, isNew: isNew)
  }

  private func newReport() -> DatabaseImportReport { report(stage.changes(options), isNew: true) }

  // MARK: A new database

  /// Gives the stage the database's name.
  ///
  /// - Parameter followsKilledRun: true if a killed run left a stage. Its sets of files belong to no database.
  /// - Throws: `CofferError` with the code `conflict` if files of an earlier database of this name exist: it may have been
  ///   renamed.
  func create(followsKilledRun: Bool) throws -> DatabaseImportReport {
    if sets.hasSets, !followsKilledRun {
      throw CofferError(
        .conflict,
        "\(sets.folder) has the files of another database with this name: move the folder to that database, or elsewhere")
    }
    let files = try source.archive.map { try sets.stage($0, .replacing, current: nil, cancellation: cancellation) }
    if let name = files?.name { try stage.setFiles(name) }
    try cancellation.check()
    try source.checkUnchanged()
    var result = newReport()
    try target.place(stage.path)
    // The database is in place and names its files, even if a later step fails.
    files?.commit()
    result.files = files?.changes
    try target.settle(stage.path)
    // Remove sets that killed runs left for this database.
    if followsKilledRun { sets.removeUnreferenced(keeping: files?.name) }
    return result
  }

  // MARK: A database that is there

  func preview() throws -> DatabaseImportReport {
    var result: DatabaseImportReport
    var before: BackupProperties?
    if target.exists {
      progress?.say("comparing with the database")
      let planned = try opened(isReadOnly: !target.isWritable) { try $0.plan() }
      before = planned.before
      result = report(planned.changes, isNew: false)
    } else {
      result = newReport()
    }
    result.files = try source.archive.map { archive in
      try sets.preview(archive, combination(before), current: before?.files, cancellation: cancellation)
    }
    result.isPreview = true
    return result
  }

  /// What an import has prepared outside of the rows, and how they were before.
  private struct Preparation {
    var before: BackupProperties?
    var files: StagedFiles?
    var safetyCopy: FilePath?
  }

  /// Changes the database in one transaction. Other writers aren't blocked while the user answers and files are copied.
  func change(confirm: ((DatabaseImportReport) throws -> Void)?) throws -> DatabaseImportReport {
    try DatabaseFile.createLog(of: target.path)
    progress?.say("comparing with the database")
    let (changes, prepared) = try opened { transaction -> (ImportChanges, Preparation) in
      let confirm = options.mode == .replace ? confirm : nil
      let planned = confirm != nil || source.archive != nil ? try transaction.plan() : nil
      if let confirm, let planned, planned.before != nil {
        var preview = report(planned.changes, isNew: false)
        preview.isPreview = true
        try confirm(preview)
      }
      var prepared = Preparation(before: planned?.before)
      prepared.files = try source.archive.map { archive in
        try sets.stage(archive, combination(prepared.before), current: prepared.before?.files, cancellation: cancellation)
      }
      do {
        let changes = try transaction.write(planned) { now in
          if planned != nil, now.before?.files != prepared.before?.files {
            throw CofferError(.locked, "another process changed \(database) in the meantime: try again")
          }
          prepared.before = now.before
          try prepare(&prepared, now.changes)
          return prepared.files?.name
        }
        prepared.files?.commit()
        return (changes, prepared)
      } catch {
        if case CofferError.Code.uncertain = error {
          // The commit may have named the new set, so it stays. The next import removes it if unreferenced.
          prepared.files?.commit()
        } else if let safetyCopy = prepared.safetyCopy {
          // Nothing changed, so the copy is superfluous.
          SafetyCopies(of: target).remove(safetyCopy)
        }
        throw error
      }
    }
    return finish(report(changes, isNew: false), prepared)
  }

  /// Prepares the changes within the transaction: copies a database that is about to change.
  private func prepare(_ prepared: inout Preparation, _ changes: ImportChanges) throws {
    try source.checkUnchanged()
    let changesFiles = source.archive != nil && prepared.files?.name != prepared.before?.files
    if let before = prepared.before, !changes.isEmpty || changesFiles {
      progress?.say("copying the database")
      prepared.safetyCopy = try SafetyCopies(of: target).make(
        files: before.files, now: options.validation.now, cancellation: cancellation)
    }
    progress?.say("writing the rows")
  }

  /// Removes what the changed database no longer needs.
  private func finish(_ report: DatabaseImportReport, _ prepared: Preparation) -> DatabaseImportReport {
    var result = report
    let (files, before) = (prepared.files, prepared.before)
    // Make the path relative to the database's path as given.
    result.safetyCopy = prepared.safetyCopy?.lastComponent.map {
      FilePath(database).removingLastComponent().appending($0).string
    }
    result.files = files?.changes
    SafetyCopies(of: target).trim(keeping: prepared.safetyCopy)
    if source.archive == nil, before?.files != nil {
      result.warnings.append("the database's files are unchanged: this backup has none")
    }
    if files != nil || before?.files != nil { sets.removeUnreferenced(keeping: files == nil ? before?.files : files?.name) }
    return result
  }

  private func combination(_ before: BackupProperties?) -> FileCombination {
    if options.mode == .replace || before == nil && !target.exists { return .replacing }
    return switch options.conflicts {
    case .keepExisting: .keepingExisting
    case .replace: .takingImported
    // A file's own time may be that of its copying, so the backups' dates decide.
    case .keepNewest: stage.properties.isNewer(than: before) == true ? .takingImported : .keepingExisting
    }
  }

  /// Opens the database with the stage attached.
  private func opened<R>(isReadOnly: Bool = false, _ body: (StageTransaction) throws -> R) throws -> R {
    do {
      // EXTRA syncs the removal of the journal, too: a reported commit survives a power failure.
      let queue = try DatabaseQueue(
        target.path, isReadOnly: isReadOnly,
        pragmas: "PRAGMA cache_size = -16384; PRAGMA temp_store = FILE; PRAGMA synchronous = EXTRA", named: database, cancellation
      )
      let result = try StageTransaction.run(stage, in: queue, named: database, options: options, body)
      try queue.close()
      return result
    } catch let error as DatabaseError {
      throw CofferError(error, database: database)
    }
  }
}
