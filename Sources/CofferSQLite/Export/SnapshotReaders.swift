import Coffer
import GRDB

/// Connections to a database file that all read the state that one other connection reads.
///
/// SQLite can't make one connection read what another reads. So each begins a read transaction of its own, and SQLite says before the first and behind the
/// last of them whether anybody has committed in between (`PRAGMA data_version`).
package final class SnapshotReaders: Sendable {
  /// One for each thread.
  let connections: [DatabaseQueue]
  /// Watches for commits, and then reads, too.
  let watcher: DatabaseQueue

  /// - Returns: `nil` if one of the connections can't be opened.
  package init?(_ path: String, count: Int) {
    var configuration = Configuration()
    configuration.readonly = true
    // Transactions stay open from one call to the next.
    configuration.allowsUnsafeTransactions = true
    // A writer that waits for its lock holds off new readers until the present ones have ended, and one of them is ours.
    configuration.busyMode = .immediateError
    guard let opened = try? (0...count).map({ _ in try DatabaseQueue(path: path, configuration: configuration) }) else {
      return nil
    }
    connections = Array(opened.dropLast())
    watcher = opened[count]
  }

  /// What ``join(since:)`` compares with. To be asked before the other connection begins to read.
  package func version() throws -> Int? { try watcher.writeWithoutTransaction { try Self.version(of: $0) } }

  private static func version(of database: Database) throws -> Int? {
    try Int.fetchOne(database, sql: "PRAGMA main.data_version")
  }

  /// Begins to read, while the other connection is reading. ``end()`` must follow.
  ///
  /// - Returns: whether all read the same.
  package func join(since version: Int) -> Bool {
    do {
      for connection in connections + [watcher] {
        try connection.writeWithoutTransaction {
          try $0.execute(sql: "BEGIN DEFERRED")
          // SQLite begins with the first statement that reads.
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
