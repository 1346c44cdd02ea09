/// A migration from an older version or another format: a list of steps in a descriptor's `backup.migrations`.
public struct Migration: Sendable {
  /// A title for people.
  public let title: String?
  /// The resulting version; `nil`: unchanged, because some formats change without a new number.
  public let to: Int?
  /// The name of the resulting format; `nil`: unchanged.
  public let becomes: String?
  public let steps: [MigrationStep]
  /// The criterion that a document's start must satisfy; `nil`: none.
  let clue: DetectionCriterion?
}
