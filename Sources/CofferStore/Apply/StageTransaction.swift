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
      try applying(to: database) { application in
        try database.execute(sql: "BEGIN DEFERRED")
        defer { try? database.execute(sql: "ROLLBACK") }
        return (try application.preview(), application.before)
      }
    }
  }

  /// Imports the stage, or leaves everything as it was.
  ///
  /// - Parameters:
  ///   - writer: the target. Others may read it all the while, as its journal mode allows.
  ///   - prepare: is told what will change, within the transaction, so that nobody changes anything in between: what it throws ends the import. It says
  ///     which set of files belongs to the rows from then on.
  /// - Returns: what was changed.
  /// - Throws: `StoreError`, `CancellationError`, and what `prepare` throws: then nothing has changed.
  package func run(
    in writer: any DatabaseWriter, prepare: (StoreChanges, StoreContents?) throws -> String?
  ) throws -> StoreChanges {
    try writer.writeWithoutTransaction { database in
      try applying(to: database) { application in
        try database.execute(sql: "BEGIN IMMEDIATE")
        var journal: RollbackJournal?
        do {
          let changes = try application.preview()
          let files = try prepare(changes, application.before)
          journal = try RollbackJournal(of: database)
          try application.apply(changes, files: files)
          journal?.removeIfUnused()
          try commit(database)
          return changes
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
      return options.validation.cancellation?.isRequested == true ? CancellationError() : error
    }
  }

  private func applying<R>(to database: Database, _ body: (StageApplication) throws -> R) throws -> R {
    let watch = options.validation.cancellation.map { CancellationWatch($0, of: database) }
    defer { watch?.end() }
    // References are proved once, at the end: tables come one after the other, and rows that stay may refer to rows that are replaced.
    let enforces = try Bool.fetchOne(database, sql: "PRAGMA foreign_keys") ?? false
    if enforces { try database.execute(sql: "PRAGMA foreign_keys = OFF") }
    defer { if enforces { try? database.execute(sql: "PRAGMA foreign_keys = ON") } }
    do {
      let application = try database.reporting(as: name) { try StageApplication(stage, to: database, options: options) }
      let result: Result<R, any Error>
      do { result = .success(try body(application)) } catch { result = .failure(told(error, by: database)) }
      watch?.end()
      try? application.end()
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
