/// How documents of an older version, or of another format, are brought up to date: a list of steps, as a descriptor's `backup.migrations` says them.
public struct Migration: Sendable {
  /// What it is about, for people.
  public let title: String?
  /// The version that a document is of afterwards; `nil`: the one that it was of, for some formats change without a new number.
  public let to: Int?
  /// The name of the format that a document is of afterwards; `nil`: the one that it was of.
  public let becomes: String?
  public let steps: [MigrationStep]
  /// What a document's start must show; `nil`: nothing.
  let clue: Clue?
}
