public import Coffer

/// How a backup goes into a database.
public struct StoreImportOptions: Sendable {
  /// What becomes of the rows that are there.
  public enum Mode: String, Sendable, CaseIterable {
    /// They stay, and the backup's are added: by key, so that importing twice changes nothing the second time.
    case merge
    /// The backup's take their place.
    case replace
  }

  /// Whose settings a merge keeps (`BackupFormat.settings`).
  public enum Settings: String, Sendable, CaseIterable {
    /// The database's.
    case keep
    /// The backup's. Settings that the backup lacks stay.
    case replace
  }

  public var mode = Mode.merge
  /// Of two records with the same key that are not the same: which stays in a merge.
  public var conflicts = ConflictRule.keepExisting
  /// `nil`: as the format's app does (`BackupFormat.restoresSettings`), else as `conflicts` decides.
  public var settings: Settings?
  /// Imports a backup of a newer version than is known, if the version is its only error. Fields that aren't known are kept as they are.
  public var allowsNewer = false
  /// Imports a backup in which validation finds errors, as far as tables can hold it.
  public var allowsFindings = false
  /// How the backup is validated: the clock, threads, memory, which collections are imported (`only`), cancellation.
  public var validation: ValidationOptions

  /// - Parameter validation: validation's own options.
  public init(validation: ValidationOptions) { self.validation = validation }
}
