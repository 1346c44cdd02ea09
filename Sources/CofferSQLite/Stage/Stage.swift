import BackupFormats
package import Coffer
import Failpoints
import GRDB
package import SystemPackage

/// One backup's rows in a temporary database, verified before the import.
///
///     document ─▶ validation and rows, in one pass ─▶ tables ─▶ indexes ─▶ checks ─▶ fsync
///
/// It is an ordinary database. For a new target, it is renamed to the target. For an existing one, its rows are copied in one
/// transaction.
package struct Stage {
  /// The use of a stage.
  package enum Purpose {
    /// The stage becomes the target: it has indexes, and is synced to the disk.
    case database
    /// The rows are copied to another database, which checks them.
    case changes
  }

  package let path: FilePath
  package let layout: StoreLayout
  /// The validated document, with its report.
  package let document: ContainedDocument
  /// The migration, if the document was of an older version.
  package let migration: MigrationReport?
  package let contents: StoreContents

  /// SQLite's page cache, in KiB. Further pages spill to the file.
  private static let cacheSize = 4 << 10

  /// Opens a private database, which needs no journal.
  static func open(_ path: FilePath) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    configuration.label = "stage"
    // The only transaction stays open between writes, and after a failure, which removes the file. By default, GRDB treats an
    // open transaction as a programming error and ends the process.
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

  /// Stores the name of the set of files that belongs to the rows.
  package func setFiles(_ name: String) throws {
    do {
      let queue = try Self.open(path)
      try queue.writeWithoutTransaction { database in
        try database.execute(
          sql: "INSERT OR REPLACE INTO \(StoreLayout.backupTable) (name, value) VALUES ('files', ?)", arguments: [name])
      }
      try queue.close()
    } catch let error as DatabaseError {
      throw CofferError(error, database: path.string)
    }
    try DatabaseFile.sync(path)
  }

  /// Returns the changes that an import makes to an empty database.
  ///
  /// - Parameter choice: the imported collections, or `nil` for all.
  package func changes(only choice: CollectionChoice?) -> StoreChanges {
    var changes = StoreChanges()
    changes.danglingReferences = choice?.danglingReferences(rules: layout.format.rules) ?? []
    for table in layout.tables where choice?.kept.contains(table.pointer) ?? true {
      var collection = CollectionChanges(pointer: table.pointer, title: table.title)
      collection.inserted = contents.counts[table.name] ?? 0
      changes.collections.append(collection)
    }
    return changes
  }
}
