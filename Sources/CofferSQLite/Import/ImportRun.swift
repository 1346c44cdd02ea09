import ByteStreams
import Coffer
import Failpoints
import GRDB
import Rules
import SystemPackage

/// One import of a staged backup.
struct ImportRun {
  let source: OpenedBackup
  let target: DatabaseTarget
  let stage: Stage
  let options: StoreImportOptions
  /// The paths as given, for messages.
  let file: String
  let database: String
  /// True if a killed run left a stage. Its sets of files belong to no database.
  var followsKilledRun = false

  private var cancellation: Cancellation? { options.validation.execution.cancellation }
  private var progress: WorkProgress? { options.validation.execution.progress }

  private var sets: FileSets { FileSets(ofDatabase: target.path) }

  private func report(_ changes: StoreChanges, isNew: Bool) -> DatabaseImportReport {
    DatabaseImportReport(
      file: file, database: database, rows: StoreImportReport(stage, changes), mode: options.mode, isNew: isNew)
  }

  /// The changes to an empty database.
  private var newRows: StoreChanges {
    get throws { stage.changes(only: try options.validation.only?.choice(from: stage.layout.format)) }
  }

  // MARK: A new database

  /// Gives the stage the database's name.
  ///
  /// - Throws: `CofferError` with the code `conflict` if files of an earlier database of this name exist: it may have been
  ///   renamed.
  func make() throws -> DatabaseImportReport {
    if sets.hasSets, !followsKilledRun {
      throw CofferError(
        .conflict,
        "\(sets.folder) has the files of another database with this name: move the folder to that database, or elsewhere")
    }
    let files = try source.archive.map { try sets.stage($0, .replacing, current: nil, cancellation: cancellation) }
    if let name = files?.name { try stage.setFiles(name) }
    try cancellation.check()
    try source.checkUnchanged()
    var result = report(try newRows, isNew: true)
    try target.place(stage.path)
    // The database is in place and names its files, even if a later step fails.
    take(files, in: &result)
    try target.settle(stage.path)
    // Remove sets that killed runs left for this database.
    if followsKilledRun { sets.removeUnreferenced(keeping: files?.name.map { [$0] } ?? []) }
    return result
  }

  // MARK: A database that is there

  func preview() throws -> DatabaseImportReport {
    var result: DatabaseImportReport
    if target.exists {
      progress?.say("comparing with the database")
      let transaction = StageTransaction(stage, options: options, database: database)
      let (changes, before) = try opened(readOnly: !target.isWritable) { try transaction.preview(in: $0) }
      result = report(changes, isNew: false)
      result.files = try source.archive.map { archive in
        try sets.preview(archive, combination(before), current: before?.files, cancellation: cancellation)
      }
    } else {
      result = report(try newRows, isNew: true)
      result.files = try source.archive.map { archive in
        try sets.preview(archive, .replacing, current: nil, cancellation: cancellation)
      }
    }
    result.isPreview = true
    return result
  }

  func change(confirm: ((DatabaseImportReport) throws -> Void)?) throws -> DatabaseImportReport {
    try DatabaseFile.createLog(of: target.path)
    progress?.say("comparing with the database")
    return try opened { queue in
      let transaction = StageTransaction(stage, options: options, database: database)
      var before: StoreContents?
      var files: StagedFiles?
      let preview = { (changes: StoreChanges, contents: StoreContents?) in
        before = contents
        if let confirm, options.mode == .replace, contents != nil {
          var preview = report(changes, isNew: false)
          preview.isPreview = true
          try confirm(preview)
        }
        files = try source.archive.map { archive in
          try sets.stage(archive, combination(contents), current: contents?.files, cancellation: cancellation)
        }
      }
      // Other writers aren't blocked while the user answers and files are copied.
      let needsPreview = confirm != nil && options.mode == .replace || source.archive != nil
      var safetyCopy: FilePath?
      let changes: StoreChanges
      do {
        changes = try transaction.run(in: queue, preview: needsPreview ? preview : nil) { changes, now in
          if needsPreview, now?.files != before?.files {
            throw CofferError(.locked, "another process changed \(database) in the meantime: try again")
          }
          before = now
          try source.checkUnchanged()
          if !changes.isEmpty || source.archive != nil && files?.name != before?.files, before != nil {
            progress?.say("copying the database")
            safetyCopy = try SafetyCopies(of: target).make(
              files: before?.files, now: options.validation.now, cancellation: cancellation)
          }
          progress?.say("writing the rows")
          return files?.name
        }
      } catch {
        // The commit may have named the new set, so it stays. The next import removes it if unreferenced.
        if case CofferError.Code.uncertain = error {
          files?.commit()
          throw error
        }
        // Nothing changed, so the copy is superfluous.
        if let safetyCopy { SafetyCopies(of: target).remove(safetyCopy) }
        throw error
      }
      var result = report(changes, isNew: false)
      // Make the path relative to the database's path as given.
      result.safetyCopy = safetyCopy?.lastComponent.map { FilePath(database).removingLastComponent().appending($0).string }
      take(files, in: &result)
      SafetyCopies(of: target).trim(keeping: safetyCopy)
      if source.archive == nil, before?.files != nil {
        result.warnings.append("the database's files are unchanged: this backup has none")
      }
      let current = files == nil ? before?.files : files?.name
      if files != nil || before?.files != nil { sets.removeUnreferenced(keeping: current.map { [$0] } ?? []) }
      return result
    }
  }

  private func take(_ files: StagedFiles?, in report: inout DatabaseImportReport) {
    guard let files else { return }
    files.commit()
    report.files = files.changes
  }

  private func combination(_ before: StoreContents?) -> FileCombination {
    if options.mode == .replace { return .replacing }
    switch options.conflicts {
    case .keepExisting: return .merging { _ in .existing }
    case .replace: return .merging { _ in .imported }
    case .keepNewest:
      // A file's own time may be that of its copying, so the backups' dates decide.
      let winner: FileCombination.Winner = stage.contents.isNewer(than: before) == true ? .imported : .existing
      return .merging { _ in winner }
    }
  }

  private func opened<R>(readOnly: Bool = false, _ body: (DatabaseQueue) throws -> R) throws -> R {
    do {
      var configuration = Configuration()
      configuration.readonly = readOnly
      configuration.foreignKeysEnabled = false
      configuration.busyMode = .waiting(for: .seconds(10), cancellation)
      configuration.prepareDatabase { [name = database] database in
        // EXTRA syncs the removal of the journal, too: a reported commit survives a power failure.
        try database.reporting(as: name) {
          try database.execute(sql: "PRAGMA cache_size = -16384; PRAGMA temp_store = FILE; PRAGMA synchronous = EXTRA")
        }
      }
      let queue = try DatabaseQueue(path: target.path.string, configuration: configuration)
      let result = try body(queue)
      try queue.close()
      return result
    } catch let error as DatabaseError {
      throw CofferError(error, database: database)
    }
  }
}
