/// A migration from an older version or another format: a list of steps in a descriptor's `backup.migrations`.
public struct Migration: Sendable {
  /// A title for people.
  public let title: String?
  /// The resulting version, or `nil` if it is unchanged: some formats change without a new number.
  public let to: Int?
  /// The name of the resulting format, or `nil` if it is unchanged.
  public let becomes: String?
  public let steps: [MigrationStep]
  /// The criterion that a document's start must satisfy, or `nil` if there is none.
  let clue: DetectionCriterion?
}
