import ByteStreams
import Coffer
import Failpoints
package import GRDB
import GRDBSQLite
import Platform
import SystemPackage

/// The transaction that imports a stage's rows into a database.
package struct StageTransaction {
  private let stage: Stage
  private let options: StoreImportOptions
  /// The database's name in messages.
  private let name: String

  package init(_ stage: Stage, options: StoreImportOptions, database name: String) {
    self.stage = stage
    self.options = options
    self.name = name
  }

  /// Returns what an import would do, without writing anything.
  package func preview(in writer: any DatabaseWriter) throws -> (changes: StoreChanges, before: StoreContents?) {
    try writer.writeWithoutTransaction { database in
      try attached(to: database) {
        let (application, plan) = try planned(in: database)
        return (plan.changes, application.before)
      }
    }
  }

  /// Imports the stage completely, or changes nothing.
  ///
  /// - Parameters:
  ///   - writer: the target. Others can read it during the import if its journal mode allows.
  ///   - preview: receives the planned changes before the transaction begins, so that it doesn't block other writers. Throwing an
  ///     error ends the import.
  ///   - prepare: receives the final changes within the transaction, so that no other writer can interfere. Throwing an error
  ///     ends the import. Returns the set of files that belongs to the rows from then on.
  /// - Returns: the changes made.
  /// - Throws: `CofferError`, `CancellationError`, and the errors of `preview` and `prepare`. The database is then
  ///   unchanged, unless the code is `uncertain`.
  package func run(
    in writer: any DatabaseWriter, preview: ((StoreChanges, StoreContents?) throws -> Void)? = nil,
    prepare: (StoreChanges, StoreContents?) throws -> String?
  ) throws -> StoreChanges {
    try writer.writeWithoutTransaction { database in
      try attached(to: database) {
        let previewed = try preview == nil ? nil : planned(in: database)
        if let previewed { try preview?(previewed.plan.changes, previewed.application.before) }
        try database.execute(sql: "BEGIN IMMEDIATE")
        var journal: RollbackJournal?
        do {
          let application: StageApplication
          let plan: StageApplication.Plan
          if let previewed, try previewed.application.isCurrent() {
            (application, plan) = previewed
          } else {
            application = try StageApplication(stage, to: database, options: options)
            plan = try application.plan()
          }
          let files = try prepare(plan.changes, application.before)
          journal = try RollbackJournal(of: database)
          try application.apply(plan, files: files)
          journal?.removeIfUnused()
          try commit(database)
          return plan.changes
        } catch {
          let reported = mappedError(error, by: database)
          if database.isInsideTransaction { journal?.removeIfUnused() }
          // SQLite has already rolled back after some errors.
          if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
          throw reported
        }
      }
    }
  }

  /// Plans the import for the database's current state. Its transaction ends on return; the plan's temporary tables remain.
  private func planned(in database: Database) throws -> (application: StageApplication, plan: StageApplication.Plan) {
    try database.execute(sql: "BEGIN DEFERRED")
    do {
      let application = try StageApplication(stage, to: database, options: options)
      let plan = try application.plan()
      try database.execute(sql: "COMMIT")
      return (application, plan)
    } catch {
      let reported = mappedError(error, by: database)
      if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
      throw reported
    }
  }

  /// - Throws: `CofferError`, with the code `uncertain` if the disk fails when everything may already be written. A log whose last
  ///   page has reached the disk is committed, even if the system reported an error.
  private func commit(_ database: Database) throws {
    do {
      try database.execute(sql: "COMMIT")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_IOERR {
      guard let reason = mappedError(error, by: database) as? CofferError else { throw error }
      throw CofferError(
        .uncertain, "\(reason.message), during the commit: the database has all changes or none; import again")
    }
    // Nothing after the commit may fail.
    try? Failpoint.reach(.afterCommit)
  }

  /// Translates an error to one of this library. Reads the system error first, before another call replaces it.
  private func mappedError(_ error: any Error, by database: Database) -> any Error {
    do {
      return try database.reporting(as: name) { throw error }
    } catch {
      return options.validation.execution.cancellation?.isRequested == true ? CancellationError() : error
    }
  }

  private func attached<R>(to database: Database, _ body: () throws -> R) throws -> R {
    let watch = options.validation.execution.cancellation.map { CancellationWatch($0, of: database) }
    defer { watch?.end() }
    // References are checked once, at the end: tables change one after another, and kept rows may refer to replaced ones.
    let enforces = try Bool.fetchOne(database, sql: "PRAGMA foreign_keys") ?? false
    if enforces { try database.execute(sql: "PRAGMA foreign_keys = OFF") }
    defer { if enforces { try? database.execute(sql: "PRAGMA foreign_keys = ON") } }
    do {
      try StageApplication.attach(stage, to: database)
      let result: Result<R, any Error>
      do { result = .success(try body()) } catch { result = .failure(mappedError(error, by: database)) }
      watch?.end()
      try? StageApplication.detach(stage, from: database)
      return try result.get()
    } catch {
      throw mappedError(error, by: database)
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
    var information = stat()
    if lstat(path, &information) == 0, information.st_size == 0 { unlink(path) }
  }
}
