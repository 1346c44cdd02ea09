import ByteStreams
import Coffer
import Failpoints
import GRDB
import GRDBSQLite
import Platform
import SystemPackage

/// The transaction that imports a stage's rows into a database.
///
///     ATTACH stage ─▶ (plan, for a preview) ─▶ BEGIN IMMEDIATE ─▶ plan ─▶ (safety copy) ─▶ changes ─▶ checks ─▶ COMMIT ─▶ DETACH
///
/// Until the commit, readers see the old rows; afterwards, all of the new ones.
struct StageTransaction {
  private let stage: Stage
  private let options: DatabaseImportOptions
  private let database: Database
  /// The database's name in messages.
  private let name: String

  /// Calls `body` while the stage is attached to a connection of the database.
  ///
  /// - Parameter name: the database's name in messages.
  static func run<R>(
    _ stage: Stage, in writer: any DatabaseWriter, named name: String, options: DatabaseImportOptions,
    _ body: (StageTransaction) throws -> R
  ) throws -> R {
    try writer.writeWithoutTransaction { database in
      let transaction = StageTransaction(stage: stage, options: options, database: database, name: name)
      do {
        return try transaction.attached { try body(transaction) }
      } catch {
        throw transaction.mappedError(error)
      }
    }
  }

  private func attached<R>(_ body: () throws -> R) throws -> R {
    let schema = ImportPlan.schema
    // References are checked once, at the end: tables change one after another, and kept rows may refer to replaced ones.
    let enforces = try database.number("PRAGMA foreign_keys") == 1
    if enforces { try database.execute(sql: "PRAGMA foreign_keys = OFF") }
    defer { if enforces { try? database.execute(sql: "PRAGMA foreign_keys = ON") } }
    for function in TableChange.timeFunctions + [RecordDigests.equality, ImportPlan.settingsMerge] {
      database.add(function: function)
    }
    try database.execute(sql: "ATTACH DATABASE ? AS \(schema)", arguments: [stage.path.string])
    // The stage is only read, but SQLite doesn't know that. When two databases with journals change together, SQLite creates a
    // third file (`backup.db-mj…`), which remains if the process is killed or the disk is full.
    try database.execute(sql: "PRAGMA \(schema).journal_mode = OFF")
    let result = Result {
      do {
        return try database.interrupted(by: options.validation.execution.cancellation, body)
      } catch {
        throw mappedError(error)
      }
    }
    try? detach()
    return try result.get()
  }

  private func detach() throws {
    for table in stage.layout.tables { try TableDifference.drop(of: table, in: database) }
    try database.execute(sql: "DETACH DATABASE \(ImportPlan.schema)")
  }

  /// Plans the import for the database's current state. Its transaction ends on return; the plan's temporary tables remain. Other
  /// writers aren't blocked afterwards.
  func plan() throws -> ImportPlan {
    try database.execute(sql: "BEGIN DEFERRED")
    do {
      let plan = try ImportPlan(stage, to: database, options: options)
      try database.execute(sql: "COMMIT")
      return plan
    } catch {
      throw rolledBack(error)
    }
  }

  /// Imports the stage completely, or changes nothing.
  ///
  /// - Parameters:
  ///   - planned: the plan, if there is one.
  ///   - prepare: receives the final plan within the transaction, so that no other writer can interfere. Throwing an error ends the
  ///     import. Returns the set of files that belongs to the rows from then on.
  /// - Returns: the changes made.
  /// - Throws: `CofferError`, `CancellationError`, and the errors of `prepare`. The database is then unchanged, unless the code is
  ///   `uncertain`.
  func write(
    _ planned: ImportPlan? = nil, prepare: (ImportPlan) throws -> String? = { _ in nil }
  ) throws -> ImportChanges {
    try database.execute(sql: "BEGIN IMMEDIATE")
    var journal: RollbackJournal?
    do {
      let isCurrent = try planned?.isCurrent() == true
      let plan = try (isCurrent ? planned : nil) ?? ImportPlan(stage, to: database, options: options)
      let files = try prepare(plan)
      journal = try RollbackJournal(of: database)
      try plan.apply(files: files)
      journal?.removeIfUnused()
      try commit()
      return plan.changes
    } catch {
      throw rolledBack(error, journal)
    }
  }

  /// Ends the transaction, and returns the error to report.
  private func rolledBack(_ error: any Error, _ journal: RollbackJournal? = nil) -> any Error {
    let reported = mappedError(error)
    // SQLite has already rolled back after some errors.
    if database.isInsideTransaction {
      journal?.removeIfUnused()
      try? database.execute(sql: "ROLLBACK")
    }
    return reported
  }

  /// - Throws: `CofferError`, with the code `uncertain` if the disk fails when everything may already be written. A log whose last
  ///   page has reached the disk is committed, even if the system reported an error.
  private func commit() throws {
    do {
      try database.execute(sql: "COMMIT")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_IOERR {
      guard let reason = mappedError(error) as? CofferError else { throw error }
      throw CofferError(
        .uncertain, "\(reason.message), during the commit: the database has all changes or none; import again")
    }
    // Nothing after the commit may fail.
    try? Failpoint.reach(.afterCommit)
  }

  /// Translates an error to one of this library. Reads the system error first, before another call replaces it.
  private func mappedError(_ error: any Error) -> any Error {
    do {
      return try database.reporting(as: name) { throw error }
    } catch {
      return options.validation.execution.cancellation?.isRequested == true ? CancellationError() : error
    }
  }
}

/// The journal of a transaction, created empty before SQLite opens it: SQLite doesn't report why it can't create the file.
///
/// SQLite ignores an empty journal, even if this process is killed.
struct RollbackJournal {
  private let path: String

  /// - Parameter database: must be in a transaction that blocks all other writers.
  /// - Returns: `nil` if the database needs no journal, or already has one.
  /// - Throws: `CofferError` if the journal can't be created; `DatabaseError`.
  init?(of database: Database) throws {
    guard try String.fetchOne(database, sql: "PRAGMA main.journal_mode") == "delete",
      let file = try String.fetchOne(database, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'"), !file.isEmpty,
      try DatabaseFile.create("-journal", beside: FilePath(file))
    else { return nil }
    path = file + "-journal"
  }

  /// Removes the file if the transaction, which must be open, has not written to it.
  func removeIfUnused() {
    if (try? FilePath(path).stat(followTargetSymlink: false).size) == 0 { unlink(path) }
  }
}
