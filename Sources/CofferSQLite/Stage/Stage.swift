import BackupFormats
package import ByteStreams
package import Coffer
import Failpoints
import Findings
import GRDB
import Platform
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

extension Stage {
  /// A warning that names the unknown fields of a document of an unknown newer version, or `nil` if the version is known.
  package var newerVersionWarning: String? {
    guard let policy = layout.format.version, let version = contents.version, version > policy.current else { return nil }
    var places: [String] = []
    for finding in document.report.findings where finding.code == "unknown-field" {
      let place = finding.place.pointer.withoutIndices
      if !places.contains(place) { places.append(place) }
    }
    let shown = places.prefix(20).joined(separator: ", ") + (places.count > 20 ? " and \(places.count - 20) more" : "")
    let isComplete = document.report.findings.count == document.report.counts.total
    return "version \(version) of '\(layout.format.name)' is newer than \(policy.current), the newest that Coffer knows"
      + (places.isEmpty ? "" : "; unknown fields are kept unchecked: \(shown)")
      + (isComplete ? "" : "; there may be more, because not all findings were kept")
  }
}

extension String {
  /// The pointer with `*` in the place of each array index.
  fileprivate var withoutIndices: String {
    split(separator: "/", omittingEmptySubsequences: false)
      .map { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } ? "*" : String($0) }
      .joined(separator: "/")
  }
}

/// The contents of a stage's tables, before the indexes are created.
struct StageContent: Sendable {
  let layout: StoreLayout
  /// Row counts by table.
  private(set) var rowCounts: [String: Int]

  init(_ layout: StoreLayout, rowCounts: [String: Int]) {
    self.layout = layout
    self.rowCounts = Dictionary(uniqueKeysWithValues: layout.tables.map { ($0.name, rowCounts[$0.name] ?? 0) })
  }

  /// Removes all but the first of equal records with the same key, in tables whose rules allow them.
  ///
  /// - Parameter findings: the counts of validation. Without errors, records with the same key are equal.
  mutating func dropEqualRecords(_ findings: FindingCounts, in database: Database) throws {
    if findings.total == 0 { return }
    for table in layout.tables where table.dropsEqualRecords && !table.key.isEmpty {
      try dropEqualRows(of: table, by: findings.count(.error) == 0 ? table.key : table.columnNames, in: database)
    }
  }

  /// Creates the missing indexes.
  ///
  /// - Throws: `CofferError` with the code `conflict` if two records have the same key.
  func addIndexes(in database: Database, cancellation check: () throws -> Void) throws {
    // If the sort's runs fit into the processor's cache, it takes two thirds of its time with 8 MiB.
    try database.execute(sql: "PRAGMA main.cache_size = -1000")
    for table in layout.tables {
      for index in table.indexes where try !index.exists(in: database) {
        try check()
        do {
          try database.execute(sql: index.creation(in: "main"))
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
          throw CofferError(
            .conflict,
            "two records of \(table.title) have the same key (\(index.columns.joined(separator: ", ")))")
        }
      }
    }
  }

  /// Removes all but the first of the rows with the same key and the same values in `columns`.
  private mutating func dropEqualRows(of table: TableLayout, by columns: [String], in database: Database) throws {
    let name = "main.\(table.name.quotedIdentifier)"
    let hasKey = table.key.map { "\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
    try database.execute(
      sql: """
        DELETE FROM \(name) WHERE rowid IN (
          SELECT number FROM (
            SELECT rowid AS number, row_number() OVER (PARTITION BY \(columns.identifierList) ORDER BY rowid) AS n
            FROM \(name) WHERE \(hasKey))
          WHERE n > 1)
        """)
    rowCounts[table.name, default: 0] -= database.changesCount
  }

  /// - Throws: `CofferError` with the code `verification` if a table's row count differs from the number of written rows.
  func checkCounts(in database: Database) throws {
    for table in layout.tables {
      let written = rowCounts[table.name] ?? 0
      let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM main.\(table.name.quotedIdentifier)") ?? 0
      if count != written {
        throw CofferError(.verification, "\(table.title): \(written) rows were written, but \(count) found")
      }
    }
  }
}

/// A folder for temporary files, in the environment's temporary folder. Creating it first removes the leftovers of killed runs.
package struct StageFolder {
  private let path: FilePath
  private let lock: FolderLock

  /// The path for a database in the folder.
  package var databasePath: FilePath { path.appending("stage.db") }

  /// - Throws: `CofferError` if the folder can't be created.
  package init(in parent: FilePath = SpillFile.defaultFolder) throws(CofferError) {
    do {
      (path, lock) = try Leftovers.makeFolder(in: parent, permissions: .ownerReadWriteExecute)
    } catch {
      throw CofferError(error, verb: "make a folder in", name: parent.string)
    }
  }

  /// Removes the folder and its database.
  package func remove() {
    _ = try? DatabaseFile.remove(databasePath)
    rmdir(path.string)
  }
}
