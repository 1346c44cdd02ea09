import Coffer
import GRDB

/// Connections to a database file that all read the same state as another connection.
///
/// SQLite can't make one connection read the snapshot of another. So each begins its own read transaction. Comparing `PRAGMA
/// data_version` before the first and after the last shows whether another connection has committed in between.
package final class SnapshotReaders: Sendable {
  /// One connection per thread.
  let connections: [DatabaseQueue]
  /// Detects commits. Also reads, once all connections have joined.
  let watcher: DatabaseQueue

  /// - Returns: `nil` if one of the connections can't be opened.
  package init?(_ path: String, count: Int) {
    var configuration = Configuration()
    configuration.readonly = true
    // Transactions stay open between calls.
    configuration.allowsUnsafeTransactions = true
    // A writer that waits for its lock blocks new readers until the current ones end. One of those is ours, so waiting would
    // be a deadlock.
    configuration.busyMode = .immediateError
    guard let opened = try? (0...count).map({ _ in try DatabaseQueue(path: path, configuration: configuration) }) else {
      return nil
    }
    connections = Array(opened.dropLast())
    watcher = opened[count]
  }

  /// Returns the version for ``join(since:)``. Call this before the other connection begins to read.
  package func version() throws -> Int? { try watcher.writeWithoutTransaction { try Self.version(of: $0) } }

  private static func version(of database: Database) throws -> Int? {
    try Int.fetchOne(database, sql: "PRAGMA main.data_version")
  }

  /// Begins to read while the other connection is reading. The caller must call ``end()`` afterwards.
  ///
  /// - Returns: true if all connections read the same state.
  package func join(since version: Int) -> Bool {
    do {
      for connection in connections + [watcher] {
        try connection.writeWithoutTransaction {
          try $0.execute(sql: "BEGIN DEFERRED")
          // SQLite begins the transaction with the first statement that reads.
          _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM main.sqlite_schema")
        }
      }
      return try watcher.writeWithoutTransaction { try Self.version(of: $0) == version }
    } catch { return false }
  }

  package func end() {
    for connection in connections + [watcher] {
      try? connection.writeWithoutTransaction { if $0.isInsideTransaction { try $0.execute(sql: "ROLLBACK") } }
    }
  }
}
