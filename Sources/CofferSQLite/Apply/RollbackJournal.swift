import ByteStreams
import GRDB
import Platform
import SystemPackage

/// The journal of a transaction, created empty before SQLite opens it: if SQLite itself can't create the file, it doesn't report the reason.
///
/// SQLite takes an empty journal for none, whatever becomes of this process.
struct RollbackJournal {
  private let path: String

  /// - Parameter database: within a transaction that holds off all other writers.
  /// - Returns: `nil` if it needs none, or has one.
  /// - Throws: `ByteStreamError` if it can't be created; `DatabaseError`.
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
