import BackupFormats
import ByteStreams
import Coffer
import Findings
import GRDB
import Platform
import SystemPackage

/// One backup's rows in a temporary database, verified before the import.
///
///     document ─▶ validation and rows, in one pass ─▶ tables ─▶ indexes ─▶ checks ─▶ fsync
///
/// It is an ordinary database. For a new target, it is renamed to the target. For an existing one, its rows are copied in one
/// transaction.
final class Stage {
  /// The use of a stage.
  enum Purpose {
    /// The stage becomes the target: it has indexes, and is synced to the disk.
    case database
    /// The rows are copied to another database, which checks them.
    case changes
    /// The stage is only read: keys may have duplicates.
    case query
  }

  let path: FilePath
  let tables: StagedTables
  /// The validated document, with its report.
  let document: ValidatedDocument
  /// The migration, if the document was of an older version.
  let migration: MigrationReport?
  /// Which records with errors were left out, or `nil` if none were.
  let skipped: RecoveryReport?
  let properties: BackupProperties
  /// Where the rules come from, if neither the caller nor the document named them.
  let assumed: AssumedRules?

  init(
    _ path: FilePath, _ tables: StagedTables, _ document: ValidatedDocument, _ attempt: ImportDecision.Attempt,
    _ properties: BackupProperties, _ assumed: AssumedRules?
  ) {
    self.path = path
    self.tables = tables
    self.document = document
    migration = attempt.migration
    skipped = attempt.skipped
    self.properties = properties
    self.assumed = assumed
  }

  var layout: DatabaseLayout { tables.layout }

  /// Opens a private database, which needs no journal, and 4 MiB of memory. Its only transaction stays open between writes, and
  /// after a failure, which removes the file.
  static func open(_ path: FilePath) throws -> DatabaseQueue {
    try DatabaseQueue(
      path,
      pragmas: """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096; PRAGMA temp_store = FILE
        """, keepsTransactions: true)
  }

  /// Stores the name of the set of files that belongs to the rows.
  func setFiles(_ name: String) throws {
    do {
      let queue = try Self.open(path)
      try queue.writeWithoutTransaction { try BackupProperties.set("files", name, in: $0) }
      try queue.close()
    } catch let error as DatabaseError {
      throw CofferError(error, database: path.string)
    }
    try DatabaseFile.sync(path)
  }

  /// Returns the changes that an import makes to an empty database.
  func changes(_ options: DatabaseImportOptions) -> ImportChanges {
    var changes = ImportChanges()
    if options.addsNestedViews { changes.views = layout.nestedViews.filter { layout.keeps($0.collection) }.map(\.name) }
    changes.danglingReferences = layout.choice?.danglingReferences(rules: layout.format.rules) ?? []
    for table in layout.tables where layout.keeps(table.pointer) {
      var collection = CollectionChanges(pointer: table.pointer, title: table.title)
      collection.inserted = tables.rowCounts[table.name] ?? 0
      changes.collections.append(collection)
    }
    return changes
  }

  /// Returns a report on the import of the stage.
  func report(
    _ changes: ImportChanges, file: String, database: String, mode: DatabaseImportOptions.Mode, isNew: Bool = false
  ) -> DatabaseImportReport {
    var report = DatabaseImportReport(
      file: file, database: database, format: properties.format, version: properties.version, createdAt: properties.createdAt,
      validation: document.report, migration: migration, changes: changes, mode: mode, isNew: isNew)
    report.assumed = assumed
    report.skipped = skipped
    report.warnings = [rulesWarning].compactMap(\.self)
    return report
  }

  /// A warning that the database doesn't keep the rules, or `nil` if it does.
  private var rulesWarning: String? {
    layout.format.isBuiltIn || !layout.format.refersToFiles
      ? nil : "the rules refer to other files, so the database doesn't keep them: exports need them again"
  }

  /// A warning that names the unknown fields of a document of an unknown newer version, or `nil` if the version is known.
  var newerVersionWarning: String? {
    guard let policy = layout.format.version, let version = properties.version, version > policy.current else { return nil }
    var places: [String] = []
    for finding in document.report.findings where finding.code == "unknown-field" {
      // The pointer with `*` in the place of each array index.
      let names = finding.place.pointer.split(separator: "/", omittingEmptySubsequences: false)
      let place = names.map { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } ? "*" : $0 }.joined(separator: "/")
      if !places.contains(place) { places.append(place) }
    }
    let shown = places.prefix(20).joined(separator: ", ") + (places.count > 20 ? " and \(places.count - 20) more" : "")
    let isComplete = document.report.findings.count == document.report.counts.total
    return "version \(version) of '\(layout.format.name)' is newer than \(policy.current), the newest that Coffer knows"
      + (places.isEmpty ? "" : "; unknown fields are kept unchecked: \(shown)")
      + (isComplete ? "" : "; there may be more, because not all findings were kept")
  }
}

/// The tables of a stage and the number of their rows.
struct StagedTables: Sendable {
  let layout: DatabaseLayout
  /// Row counts by table.
  var rowCounts: [String: Int] = [:]

  /// Removes all but the first of equal records with the same key, in tables whose rules allow them.
  ///
  /// - Parameter findings: the counts of validation. Without errors, records with the same key are equal.
  mutating func dropEqualRecords(_ findings: FindingCounts, in database: Database) throws {
    if findings.total == 0 { return }
    for table in layout.tables where table.dropsEqualRecords && !table.key.isEmpty {
      let columns = findings.count(.error) == 0 ? table.key : table.columnNames
      let hasKey = table.key.map { "\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
      try database.execute(
        sql: """
          DELETE FROM main.\(table.sqlName) WHERE rowid IN (
            SELECT number FROM (
              SELECT rowid AS number, row_number() OVER (PARTITION BY \(columns.identifierList) ORDER BY rowid) AS n
              FROM main.\(table.sqlName) WHERE \(hasKey))
            WHERE n > 1)
          """)
      rowCounts[table.name, default: 0] -= database.changesCount
    }
  }

  /// Creates the missing indexes.
  ///
  /// - Parameter areUnique: false if records may have the same key.
  /// - Throws: `CofferError` with the code `conflict` if two records have the same key.
  func addIndexes(in database: Database, areUnique: Bool, _ cancellation: Cancellation?) throws {
    // If the sort's runs fit into the processor's cache, it takes two thirds of its time with 8 MiB.
    try database.execute(sql: "PRAGMA main.cache_size = -1000")
    for table in layout.tables {
      for index in table.indexes where try !database.has(index) {
        try cancellation.check()
        do {
          try database.execute(sql: areUnique ? index.creation : index.nonUnique.creation)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
          throw CofferError(
            .conflict,
            "two records of \(table.title) have the same key (\(index.columns.joined(separator: ", ")))")
        }
      }
    }
  }

  /// - Throws: `CofferError` with the code `verification` if a table's row count differs from the number of written rows.
  func checkCounts(in database: Database) throws {
    for table in layout.tables {
      let written = rowCounts[table.name] ?? 0
      let count = try database.count("main.\(table.sqlName)")
      if count != written {
        throw CofferError(.verification, "\(table.title): \(written) rows were written, but \(count) found")
      }
    }
  }
}

extension ScratchFolder {
  /// The path for a stage in the folder.
  var stagePath: FilePath { path.appending("stage.db") }
}
