public import Coffer

/// The result of importing a backup file into a database file, or its preview.
public struct DatabaseImportReport: Sendable {
  /// The backup and the database, as the caller named them.
  public let file: String
  public let database: String
  /// The changes to the rows, and the reports of validation and migration.
  public let rows: StoreImportReport
  public let mode: StoreImportOptions.Mode
  /// True if the database was created.
  public let isNew: Bool
  /// References to collections that were not imported, if only a part of the backup was.
  public let danglingReferences: [DanglingReference]
  /// True for a preview, which writes nothing.
  public internal(set) var isPreview = false
  /// The copy of the database from before the import; `nil` if there was no database, or nothing changed.
  public internal(set) var safetyCopy: String?
  /// The changes to the files that belong to the rows; `nil` if the backup isn't an archive.
  public internal(set) var files: FileChanges?
  /// Problems that occurred after the import was done.
  public internal(set) var warnings: [String] = []

  /// Numbers of files that belong to the rows.
  public struct FileChanges: Sendable, Equatable {
    public let added: Int
    public let replaced: Int
    public let kept: Int
    public let removed: Int
  }
}
