import ByteStreams
import Coffer
import Failpoints
package import GRDB
import GRDBSQLite

/// The one transaction in which a stage's rows go into a database.
package struct StageTransaction {
  private let stage: Stage
  private let options: StoreImportOptions
  /// How messages call the database.
  private let name: String

  package init(_ stage: Stage, options: StoreImportOptions, database name: String) {
    self.stage = stage
    self.options = options
    self.name = name
  }

  /// What an import would do. Nothing is written.
  package func preview(in writer: any DatabaseWriter) throws -> (changes: StoreChanges, before: StoreContents?) {
    try writer.writeWithoutTransaction { database in
      try attached(to: database) {
        let (application, plan) = try planned(in: database)
        return (plan.changes, application.before)
      }
    }
  }

  /// Imports the stage, or leaves everything as it was.
  ///
  /// - Parameters:
  ///   - writer: the target. Others may read it all the while, as its journal mode allows.
  ///   - preview: receives the planned changes before the transaction begins, so that it doesn't block other writers. An error that it throws ends the
  ///     import.
  ///   - prepare: is told what will change, within the transaction, so that nobody changes anything in between: what it throws ends the import. It says
  ///     which set of files belongs to the rows from then on.
  /// - Returns: what was changed.
  /// - Throws: `StoreError`, `CancellationError`, and what `preview` and `prepare` throw: then nothing has changed.
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
          let reported = told(error, by: database)
          if database.isInsideTransaction { journal?.removeIfUnused() }
          // Some errors have rolled back already.
          if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
          throw reported
        }
      }
    }
  }

  /// The plan for the database as it is. The transaction has ended, and the plan's temporary tables stay.
  private func planned(in database: Database) throws -> (application: StageApplication, plan: StageApplication.Plan) {
    try database.execute(sql: "BEGIN DEFERRED")
    do {
      let application = try StageApplication(stage, to: database, options: options)
      let plan = try application.plan()
      try database.execute(sql: "COMMIT")
      return (application, plan)
    } catch {
      let reported = told(error, by: database)
      if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
      throw reported
    }
  }

  /// - Throws: `StoreError`, of the code `uncertain` where the disk fails at a moment when all may be written already: a log whose last page has come to the
  ///   disk counts, even if the system couldn't say so.
  private func commit(_ database: Database) throws {
    do {
      try database.execute(sql: "COMMIT")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_IOERR {
      guard let reason = told(error, by: database) as? StoreError else { throw error }
      throw StoreError(
        code: .uncertain, message: "\(reason.message), just when it was committed: all of it is in, or nothing; run it again")
    }
    // Nothing behind it can fail any more.
    try? Failpoint.reach(.afterCommit)
  }

  /// The error in the words of this library; what the system said of the file is asked for before anything else is done with it.
  private func told(_ error: any Error, by database: Database) -> any Error {
    do {
      return try database.reporting(as: name) { throw error }
    } catch {
      return options.validation.execution.cancellation?.isRequested == true ? CancellationError() : error
    }
  }

  private func attached<R>(to database: Database, _ body: () throws -> R) throws -> R {
    let watch = options.validation.execution.cancellation.map { CancellationWatch($0, of: database) }
    defer { watch?.end() }
    // References are proved once, at the end: tables come one after the other, and rows that stay may refer to rows that are replaced.
    let enforces = try Bool.fetchOne(database, sql: "PRAGMA foreign_keys") ?? false
    if enforces { try database.execute(sql: "PRAGMA foreign_keys = OFF") }
    defer { if enforces { try? database.execute(sql: "PRAGMA foreign_keys = ON") } }
    do {
      try StageApplication.attach(stage, to: database)
      let result: Result<R, any Error>
      do { result = .success(try body()) } catch { result = .failure(told(error, by: database)) }
      watch?.end()
      try? StageApplication.detach(stage, from: database)
      return try result.get()
    } catch {
      throw told(error, by: database)
    }
  }
}

/// Interrupts SQLite's statements once a cancellation is requested.
final class CancellationWatch {
  private let cancellation: Cancellation
  private let connection: SQLiteConnection?

  /// - Parameter database: it must not outlive ``end()``'s call.
  init(_ cancellation: Cancellation, of database: Database) {
    self.cancellation = cancellation
    connection = database.sqliteConnection
    guard let connection else { return }
    // Every some thousand steps of SQLite's machine: a fraction of a millisecond.
    sqlite3_progress_handler(
      connection, 20_000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<CancellationWatch>.fromOpaque(context).takeUnretainedValue().cancellation.isRequested ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  func end() { if let connection { sqlite3_progress_handler(connection, 0, nil, nil) } }
}
