import BackupFormats
package import Coffer
import Failpoints
import GRDB
package import SystemPackage

/// One backup's rows in a database of their own, verified, ready to be imported.
///
///     document ─▶ validation and rows, in one pass ─▶ tables ─▶ indexes ─▶ checks ─▶ fsync
///
/// The stage is an ordinary database. A new target is created by renaming it; an existing target receives its rows in one
/// transaction.
package struct Stage {
  /// The purpose of a stage.
  package enum Purpose {
    /// It becomes the target itself: it has indexes, and is synced to the disk.
    case database
    /// Its rows are copied to an existing target, which checks them.
    case changes
  }

  package let path: FilePath
  package let layout: StoreLayout
  /// The document, with its findings.
  package let document: ContainedDocument
  /// The migration, if the document was of an older version.
  package let migration: MigrationReport?
  package let contents: StoreContents

  /// The memory for SQLite's page cache, in KiB; further pages are written to the file.
  private static let cacheSize = 4 << 10

  /// Opens a private database, which needs no journal.
  ///
  /// - Parameter path: the database's file; created if missing.
  static func open(_ path: FilePath) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.label = "stage"
    // After an error, the file is discarded with its open transaction. GRDB would treat that as a programmer error, and end the
    // process.
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

  /// Records the set of files that belongs to the rows.
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

  /// Returns the changes for an empty target.
  ///
  /// - Parameter pointers: the imported collections; `nil`: all.
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
