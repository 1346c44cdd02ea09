public import Coffer
import Findings
import Rules

/// The result of importing a file into a database file, or of a preview.
public struct DatabaseImportReport: Sendable {
  /// The paths of the backup and the database, as given.
  public let file: String
  public let database: String
  /// The changes to the rows, and the results of validation and migration.
  public let rows: StoreImportReport
  public let mode: StoreImportOptions.Mode
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
///       "members": {"changed": 1, "removed": 0}, "files": {"added": 0, "replaced": 0, "kept": 2, "removed": 0},
///       "safetyCopy": "backup.db.before-import-20261122T101500Z.sqlite", "migratedFrom": 7, "migration": {…},
///       "findings": {"error": 0, "warning": 2, "note": 0}}
///
/// `createdAt`, `version`, `files`, `safetyCopy`, `migratedFrom`, `migration`, `chosenByCreation` and `danglingReferences` occur only if they have values.
extension DatabaseImportReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    let changes = rows.changes
    try encoder.encode([
      "file": file, "database": database, "format": rows.format, "version": IfPresent(rows.version),
      "createdAt": IfPresent(rows.createdAt), "mode": mode.rawValue, "preview": isPreview, "new": isNew,
      "collections": changes.collections,
      "chosenByCreation": IfPresent(changes.chosenByCreation.isEmpty ? nil : changes.chosenByCreation),
      "members": ["changed": changes.changedMembers, "removed": changes.removedMembers] as ReportMembers,
      "files": IfPresent(files), "safetyCopy": IfPresent(safetyCopy), "migratedFrom": IfPresent(rows.migration?.versionBefore),
      "migration": IfPresent(rows.migration),
      "danglingReferences": IfPresent(
        changes.danglingReferences.isEmpty ? nil : changes.danglingReferences.map(\.description)),
      "findings": rows.validation.counts.severityCounts,
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
