public import LZ4Streams

/// Which of two different records with the same key to keep.
public enum ConflictRule: String, Sendable, CaseIterable {
  /// That of the existing backup.
  case keepExisting = "keep-existing"
  /// That of the other one.
  case replace
  /// The one that was changed later, as the collection's field says that the format names for it; where there is none, or a record lacks it, that of the
  /// backup that was created later. The existing one where both are of the same time.
  case keepNewest = "keep-newest"
}

/// How two backups are merged, and how the result is written.
///
/// For example:
///
///     var options = MergeOptions(conflicts: .keepNewest)
///     options.comparison.only = CollectionSelection(["expenses"])
///     options.layout = .pretty(indent: 2)
public struct MergeOptions: Sendable {
  /// Which of two different records with the same key to keep.
  public var conflicts: ConflictRule
  /// How the two are read, and which of their records go together. Of ``ComparisonOptions/maximumChanges`` a merge makes nothing.
  public var comparison = ComparisonOptions()
  /// How the values are written; `nil`: as those of the existing document are, as its start shows (JSON Lines as lines, compact, or indented as deep). Then
  /// a document of which nothing is replaced, and to which nothing is added, comes through byte for byte.
  public var layout: ConversionOptions.Layout?
  /// Compresses the output; `nil`: if the file's name ends in `.lz4`.
  public var compression: LZ4Level?

  /// Options with a rule for conflicts, and the defaults above.
  public init(conflicts: ConflictRule) { self.conflicts = conflicts }
}
