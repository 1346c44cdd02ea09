public import Coffer

/// What importing a file into a database's file did, or would do.
public struct DatabaseImportReport: Sendable {
  /// The backup, as it was named, and the database.
  public let file: String
  public let database: String
  /// What became of the rows; what validation and migration said.
  public let rows: StoreImportReport
  public let mode: StoreImportOptions.Mode
  /// Whether the database was made.
  public let isNew: Bool
  /// References to collections that were not imported: of a part of a backup.
  public let danglingReferences: [DanglingReference]
  /// Nothing was written.
  public internal(set) var isPreview = false
  /// The database as it was before; `nil`: there was none, or nothing was changed.
  public internal(set) var safetyCopy: String?
  /// What became of the files beside the rows; `nil`: the backup is no archive.
  public internal(set) var files: FileChanges?
  /// What went wrong once the import was done.
  public internal(set) var warnings: [String] = []

  /// What became of the files that belong to the rows.
  public struct FileChanges: Sendable, Equatable {
    public let added: Int
    public let replaced: Int
    public let kept: Int
    public let removed: Int
  }
}
