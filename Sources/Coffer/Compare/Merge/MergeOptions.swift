public import CompressedStreams

/// The rule that decides which of two different records with the same key to keep.
public enum ConflictRule: String, Sendable, CaseIterable {
  /// The existing backup's record.
  case keepExisting = "keep-existing"
  /// The other backup's record.
  case replace
  /// The record that was changed later, by the field that the format names for this. If there is no such field or value, this is
  /// the record of the backup that was created later. If the times are equal: the existing record.
  case keepNewest = "keep-newest"
}

/// How to merge two backups, and how to write the result.
///
/// For example:
///
///     var options = MergeOptions(conflicts: .keepNewest)
///     options.comparison.only = CollectionSelection(["expenses"])
///     options.layout = .pretty(indent: 2)
public struct MergeOptions: Sendable {
  /// The rule for different records with the same key.
  public var conflicts: ConflictRule
  /// True to let the rule decide an array of records that has no key as a whole: all records of the other array are dropped. By default,
  /// backups with different records in such an array can't be merged.
  public var decidesWholeArrays = false
  /// How the backups are read, and how their records are matched. A merge ignores ``ComparisonOptions/maximumChanges``.
  public var comparison = ComparisonOptions()
  /// The layout of the result. If `nil`, it is that of the existing document, detected from its start: JSON Lines, compact, or
  /// the same indentation. A document without replacements and additions is then copied byte for byte.
  public var layout: ConversionOptions.Layout?
  /// The output's compression. If `nil`, the file's name decides: it may end in `.lz4`, `.gz` or `.zst`.
  public var compression: Compression?

  /// Creates options with a rule for conflicts, and the defaults above.
  public init(conflicts: ConflictRule) { self.conflicts = conflicts }
}
