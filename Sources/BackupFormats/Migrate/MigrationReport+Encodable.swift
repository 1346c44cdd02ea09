import Findings

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
