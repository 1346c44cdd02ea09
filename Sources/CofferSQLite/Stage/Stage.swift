import BackupFormats
package import Coffer
import Failpoints
import GRDB
package import SystemPackage

/// One backup's rows in a database of their own, verified: what an import is made of.
///
///     document ─▶ validation and rows, in one pass ─▶ tables ─▶ indexes ─▶ checks ─▶ fsync
///
/// It is an ordinary database: a new one becomes what was asked for by getting its name; from another its rows go over in one transaction.
package struct Stage {
  /// What it is made for.
  package enum Purpose {
    /// It becomes a database itself: it has indexes, and is on the disk.
    case database
    /// Another database gets its rows, and checks itself what it gets.
    case changes
  }

  package let path: FilePath
  package let layout: StoreLayout
  /// What validation found in the document.
  package let document: ContainedDocument
  /// What the document was before, if it was older.
  package let migration: MigrationReport?
  package let contents: StoreContents

  /// So much memory SQLite may take for pages; what is more goes to the file.
  private static let cacheSize = 4 << 10

  /// Opens a database that nobody else sees, so that it needs no journal.
  ///
  /// - Parameter path: a file that is not there.
  static func open(_ path: FilePath) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.label = "stage"
    // What fails in the middle of its one transaction is thrown away with the file: GRDB takes an open one for a mistake, and ends the process.
    configuration.allowsUnsafeTransactions = true
    configuration.prepareDatabase { database in
      try database.execute(
        sql: """
          PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
          PRAGMA cache_size = -\(cacheSize); PRAGMA temp_store = FILE;
          """)
    }
    return try DatabaseQueue(path: path.string, configuration: configuration)
  }

  /// Says which set of files belongs to the rows.
  ///
  /// - Throws: `StoreError`, `ByteStreamError`.
  package func setFiles(_ name: String) throws {
    do {
      let queue = try Self.open(path)
      try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: "INSERT OR REPLACE INTO \(StoreLayout.backupTable) (name, value) VALUES ('files', ?)", arguments: [name])
      }
      try queue.close()
    } catch let error as DatabaseError {
      throw StoreError(error, database: path.string)
    }
    try DatabaseFile.sync(path)
  }

  /// What it does to a database in which there is nothing.
  ///
  /// - Parameter pointers: the collections that are imported; `nil`: all.
  package func changes(only pointers: [String]?) -> StoreChanges {
    var changes = StoreChanges()
    for table in layout.tables where pointers?.contains(table.pointer) ?? true {
      var collection = CollectionChanges(pointer: table.pointer, title: table.title)
      collection.inserted = contents.counts[table.name] ?? 0
      changes.collections.append(collection)
    }
    return changes
  }
}
