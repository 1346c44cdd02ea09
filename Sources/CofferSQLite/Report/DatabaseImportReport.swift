public import Coffer
import Findings
public import Rules

/// The result of an import, or of a preview.
public struct DatabaseImportReport: Sendable {
  /// The paths of the backup and the database, as given.
  public let file: String
  public let database: String
  /// The backup's format.
  public let format: String
  public let version: Int?
  /// The time at which the backup was made.
  public let createdAt: Instant?
  /// The rules that were used because none were given and no format fits, or `nil`.
  public internal(set) var assumed: AssumedRules?
  /// The findings of validation: without errors, unless findings were allowed.
  public let validation: ValidationReport
  /// The migration, if the backup was of an older version.
  public let migration: MigrationReport?
  /// Which records were left out because of errors, or `nil` if none were: the import isn't complete.
  public internal(set) var skipped: RecoveryReport?
  /// The changes to the rows.
  public let changes: ImportChanges
  public let mode: DatabaseImportOptions.Mode
  /// True if the import created the database.
  public let isNew: Bool
  /// True if nothing was written.
  public internal(set) var isPreview = false
  /// The copy of the database from before the import, or `nil` if it is new or nothing changed.
  public internal(set) var safetyCopy: String?
  /// The changes to the files, or `nil` if the backup isn't an archive.
  public internal(set) var files: FileChanges?
  /// Warnings about the completed import.
  public internal(set) var warnings: [String] = []

  /// Counts of the changes to the files that belong to the rows.
  public struct FileChanges: Sendable, Equatable, Encodable {
    /// Files with a new name.
    public internal(set) var added = 0
    /// Files with an existing name and new contents.
    public internal(set) var replaced = 0
    /// Unchanged files.
    public internal(set) var kept = 0
    /// Existing files that the set no longer has.
    public internal(set) var removed = 0
  }
}

/// An import or its preview in a report:
///
///     {"file": "export.json", "database": "backup.db", "format": "ev-charging-tracker", "version": 9,
///       "createdAt": "2026-06-28T20:15:00Z", "mode": "merge", "preview": false, "new": false,
///       "collections": [{"pointer": "/expenses", "title": "expenses", "count": 2000, "inserted": 12, "replaced": 1, "kept": 0,
///           "unchanged": 1987, "onlyInDatabase": 0, "removed": 0}],
///       "members": {"changed": 1, "kept": 0, "removed": 0}, "files": {"added": 0, "replaced": 0, "kept": 2, "removed": 0},
///       "safetyCopy": "backup.db.before-import-20261122T101500Z.sqlite", "migratedFrom": 7, "migration": {…},
///       "views": ["invoices_lines"], "rules": {"origin": "drafted", "keys": 2, "references": 1}, "findings": {"error": 0, "warning": 2, "note": 0}}
///
/// `rules` has the assumed rules, `skipped` what `coffer recover` reports. They, `createdAt`, `version`, `files`, `safetyCopy`, `migratedFrom`, `migration`, `views`,
/// `chosenByCreation`, `danglingReferences` and `warnings` occur only if they have values.
extension DatabaseImportReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "file": file, "database": database, "format": format, "version": IfPresent(version),
      "createdAt": IfPresent(createdAt), "mode": mode.rawValue, "preview": isPreview, "new": isNew,
      "collections": changes.collections,
      "chosenByCreation": IfPresent(changes.chosenByCreation.isEmpty ? nil : changes.chosenByCreation),
      "members": [
        "changed": changes.changedMembers, "kept": changes.keptMembers, "removed": changes.removedMembers,
      ] as ReportMembers,
      "files": IfPresent(files), "safetyCopy": IfPresent(safetyCopy), "migratedFrom": IfPresent(migration?.versionBefore),
      "migration": IfPresent(migration), "skipped": IfPresent(skipped), "views": IfPresent(changes.views),
      "rules": IfPresent(assumed),
      "danglingReferences": IfPresent(
        changes.danglingReferences.isEmpty ? nil : changes.danglingReferences.map(\.description)),
      "warnings": IfPresent(warnings.isEmpty ? nil : warnings), "findings": validation.counts.severityCounts,
    ])
  }
}

extension CollectionChanges: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "pointer": pointer, "title": title, "count": count, "inserted": inserted, "replaced": replaced, "kept": kept,
      "unchanged": unchanged, "onlyInDatabase": onlyInDatabase, "removed": removed,
    ])
  }
}

/// The changes that an import makes, or would make, to a database.
public struct ImportChanges: Sendable, Equatable {
  /// The imported collections, in the format's order.
  public internal(set) var collections: [CollectionChanges] = []
  /// The number of other root members that are added or replaced.
  public internal(set) var changedMembers = 0
  /// The number of other root members that differ from the backup's, and are kept.
  public internal(set) var keptMembers = 0
  /// The number of other root members that are removed.
  public internal(set) var removedMembers = 0
  /// The names of the views of lists inside records, or `nil` if none were asked for.
  public internal(set) var views: [String]?
  /// References to collections that are not imported, and of which the database has no records.
  public internal(set) var danglingReferences: [DanglingReference] = []

  init() {}

  /// The titles of the collections in which the backups' creation times decided between different records.
  public var chosenByCreation: [String] { collections.filter(\.isChosenByCreation).map(\.title) }

  /// True if nothing changes.
  public var isEmpty: Bool {
    changedMembers == 0 && removedMembers == 0 && !collections.contains(where: \.changesRows)
  }
}

/// The changes to the rows of one collection.
public struct CollectionChanges: Sendable, Equatable {
  /// A JSON Pointer.
  public let pointer: String
  public let title: String
  /// Records that only the backup has.
  public internal(set) var inserted = 0
  /// Rows that differ from the backup's, and are replaced.
  public internal(set) var replaced = 0
  /// Rows that differ from the backup's, and are kept.
  public internal(set) var kept = 0
  /// Rows that equal the backup's.
  public internal(set) var unchanged = 0
  /// Rows that the backup doesn't have, and that are kept.
  public internal(set) var onlyInDatabase = 0
  /// Rows that the backup doesn't have, and that are removed.
  public internal(set) var removed = 0

  /// True if records without a time of modification differ, so that the backups' creation times decide (`keep-newest`).
  public internal(set) var isChosenByCreation = false

  init(pointer: String, title: String) {
    self.pointer = pointer
    self.title = title
  }

  /// The number of rows after the import.
  public var count: Int { inserted + replaced + kept + unchanged + onlyInDatabase }

  /// True if rows are inserted, replaced or removed.
  var changesRows: Bool { inserted + replaced + removed > 0 }
}

/// An import that was refused, in a report. `validation` is the report on the backup, if its findings are the reason:
///
///     {"file": "export.json", "database": "backup.db", "error": {"code": "findings", "message": …}, "validation": {…}}
public struct RefusedImport: Encodable {
  private let file: String
  private let database: String
  private let error: CofferError

  public init(of file: String, into database: String, _ error: CofferError) {
    self.file = file
    self.database = database
    self.error = error
  }

  public func encode(to encoder: any Encoder) throws {
    let report = (error.underlying as? FindingsError)?.report
    try encoder.encode(["file": file, "database": database, "error": error, "validation": IfPresent(report)])
  }
}
