import BackupFormats
import Findings

/// The result of a migration: the descriptor's steps, and the number of changes by each.
///
/// For example, for a document of version 5 whose format's current version is 9:
///
///     report.versionBefore             // 5
///     report.versionAfter              // 9
///     report.steps[1].pointer          // /cars/*/carType
///     report.steps[1].changed          // 3
///
/// Memory: proportional to the number of steps, regardless of the document's size.
public struct MigrationReport: Sendable, Hashable {
  /// The name of the document's original format.
  public let format: String
  /// The name of the format after the migration: the same, unless another format replaced it.
  public let formatAfter: String
  /// The original version, or `nil` if the format has no versions.
  public let versionBefore: Int?
  /// The version after the migration, or `nil` if the format has no versions.
  public let versionAfter: Int?
  /// The newest known version of `formatAfter`, or `nil` if the format has no versions.
  public let currentVersion: Int?
  /// True if the result has an older version because no migration leads further, not because an older one was requested.
  public let endsEarly: Bool
  /// True if the document declared its version; otherwise the descriptor gives the version of such documents.
  public let isVersionDeclared: Bool
  /// All steps that were run, in order, including those that changed nothing.
  public let steps: [Step]
  /// The document's size in bytes, uncompressed.
  public let bytes: Int

  /// One step, and the number of its changes.
  public struct Step: Sendable, Hashable, Encodable {
    /// The title of the step's migration, or `nil` if it has none.
    public let title: String?
    /// The version that the migration leads to, or `nil` if it leads to a format without versions.
    public let version: Int?
    /// The descriptor's keyword, such as `default`.
    public let name: String
    /// The places of the values: a JSON Pointer in which `*` matches each item of an array.
    public let pointer: String
    /// The change, for people.
    public let summary: String
    /// The number of records in which a value changed; outside records, the number of changed values.
    public let changed: Int
    /// The number of records in which a value was skipped, because the step doesn't apply to its kind.
    public let skipped: Int
    /// The number of changed records in which fractions of a second were cut off, because the new format has none.
    public let cut: Int

    private enum CodingKeys: String, CodingKey {
      case name = "step", pointer = "at", summary, version, title, changed, skipped, cut
    }

    init(_ step: MigrationStep, of migration: Migration, changed: Int, skipped: Int, cut: Int) {
      title = migration.title
      version = migration.to
      name = step.name
      pointer = step.pointer
      summary = step.summary
      self.changed = changed
      self.skipped = skipped
      self.cut = cut
    }
  }

  init(of plan: MigrationPlan, steps: [Step], bytes: Int) {
    format = plan.before.name
    formatAfter = plan.after.name
    versionBefore = plan.versionBefore
    versionAfter = plan.versionAfter
    currentVersion = plan.after.version?.current
    endsEarly = plan.endsEarly
    isVersionDeclared = plan.isVersionDeclared
    self.steps = steps
    self.bytes = bytes
  }

  /// True if anything but the layout has changed: values, format or version, or whether a version is declared.
  public var hasChanged: Bool {
    format != formatAfter || versionBefore != versionAfter || !isVersionDeclared && versionAfter != nil
      || steps.contains { $0.changed > 0 }
  }
}

/// The result of a migration in a report:
///
///     {"changed": true, "endsEarly": false, "from": {"format": "ev-charging-tracker", "version": 5},
///       "to": {"format": "ev-charging-tracker", "version": 9, "current": 9},
///       "steps": [{"step": "default", "at": "/cars/*/carType", "summary": …, "version": 6, "title": …,
///         "changed": 3, "skipped": 0, "cut": 0}]}
///
/// Versions of a format without versions are null. A step has `version` and `title` only if its migration does.
extension MigrationReport: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "changed": hasChanged, "endsEarly": endsEarly, "from": ["format": format, "version": versionBefore] as ReportMembers,
      "to": ["format": formatAfter, "version": versionAfter, "current": currentVersion] as ReportMembers, "steps": steps,
    ])
  }
}
