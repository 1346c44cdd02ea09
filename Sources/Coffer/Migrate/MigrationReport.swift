/// The result of a migration: each step of the descriptor, and how often it changed something.
///
/// For example, of a document of version 5, of which 9 is the current one:
///
///     report.versionBefore             // 5
///     report.versionAfter              // 9
///     report.steps[1].pointer          // /cars/*/carType
///     report.steps[1].changed          // 3
///     print(report.text(named: "export.json"))
///
/// Memory: by the number of the descriptor's steps, whatever the document's size.
public struct MigrationReport: Sendable, Hashable {
  /// The name of the format that the document was of.
  public let format: String
  /// The name of the format that it is of now: the same, but for formats that became another.
  public let formatAfter: String
  /// The version that it was of; `nil` of a format that has none.
  public let versionBefore: Int?
  /// The version that it is of now; `nil` of a format that has none.
  public let versionAfter: Int?
  /// The newest version of that format that is known; `nil` of a format that has none.
  public let currentVersion: Int?
  /// True if it has an older version because no migration leads further, not because that was requested.
  public let endsEarly: Bool
  /// True if the document declared its version; otherwise the descriptor gives the version of such documents.
  public let isVersionDeclared: Bool
  /// All steps that were done, in their order, also those that found nothing to change.
  public let steps: [Step]
  /// The document's size in bytes, uncompressed.
  public let bytes: Int

  /// One step, and how often it did something.
  public struct Step: Sendable, Hashable {
    /// The title of the migration that it is part of; `nil` if it has none.
    public let title: String?
    /// The version that this migration leads to; `nil` if it leads to a format without one.
    public let version: Int?
    /// The word of the descriptor, such as `default`.
    public let name: String
    /// The places of the values: a JSON Pointer, in which `*` is each item of an array.
    public let pointer: String
    /// The change, for people.
    public let summary: String
    /// In how many records a value was changed; outside of records, how many values were.
    public let changed: Int
    /// In how many a value was left as it is, because it is of another kind than the step is for.
    public let skipped: Int
    /// In how many of those that were changed fractions of a second were cut off, which the new format doesn't have.
    public let cut: Int
  }

  /// True if anything but the layout has changed: values, format or version, or whether a version is declared.
  public var hasChanged: Bool {
    format != formatAfter || versionBefore != versionAfter || !isVersionDeclared && versionAfter != nil
      || steps.contains { $0.changed > 0 }
  }
}
