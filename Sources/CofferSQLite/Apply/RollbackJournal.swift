import ByteStreams
import GRDB
import Platform
import SystemPackage

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
