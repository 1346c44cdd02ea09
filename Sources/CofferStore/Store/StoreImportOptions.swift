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

  public var mode = Mode.merge
  /// Of two records with the same key that are not the same: which stays in a merge.
  public var conflicts = ConflictRule.keepExisting
  /// Imports a backup in which validation finds errors, as far as tables can hold it.
  public var allowsFindings = false
  /// How the backup is validated: the clock, threads, memory, which collections are imported (`only`), cancellation.
  public var validation: ValidationOptions

  /// - Parameter validation: validation's own options.
  public init(validation: ValidationOptions) { self.validation = validation }
}
