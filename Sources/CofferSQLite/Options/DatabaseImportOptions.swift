public import Coffer

/// Options for importing a backup into a database.
public struct DatabaseImportOptions: Sendable {
  /// How to treat the existing rows.
  public enum Mode: String, Sendable, CaseIterable {
    /// Keep them, and add the backup's rows by key. Importing the same backup again changes nothing.
    case merge
    /// Replace them with the backup's rows.
    case replace
  }

  /// The settings that a merge keeps (`BackupFormat.settings`).
  public enum Settings: String, Sendable, CaseIterable {
    /// The database's.
    case keep
    /// The backup's. The database's other settings stay.
    case replace
  }

  public var mode = Mode.merge
  /// The record to keep in a merge if two different ones have the same key.
  public var conflicts = ConflictRule.keepExisting
  /// The settings to keep in a merge. If `nil`, these are the backup's if the format's app restores them
  /// (`BackupFormat.restoresSettings`); otherwise `conflicts` decides.
  public var settings: Settings?
  /// Accepts a backup of an unknown newer version, if the version is its only error. Unknown fields are kept as they are.
  public var allowsNewer = false
  /// Accepts a backup with errors, as far as tables can hold it.
  public var allowsFindings = false
  /// Leaves out the records with errors, and imports the others. Archives are refused then. `nil` refuses a backup with errors.
  public var invalidRecords: InvalidRecords?
  /// Creates a view for each list of objects inside records, such as `invoices_lines`, or replaces that of an earlier import.
  public var addsNestedViews = false
  /// Options for validation: clock, threads, memory, imported collections (`only`), cancellation.
  public var validation: ValidationOptions

  /// The memory for keys and references that an import takes unless more is requested: SQLite and the rows need some, too.
  package static let memoryLimit = 64 << 20

  /// - Parameter validation: options for validation.
  public init(validation: ValidationOptions) { self.validation = validation }
}
