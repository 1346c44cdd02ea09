import Coffer

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
