import Findings
import Rules

/// A report on the contents and checks of formats.
///
///     {"formats": [{"name": "my-app", "title": …, "dialects": […],
///       "version": {"pointer": "/version", "current": 4, "oldest": 2},
///       "fileName": {"pattern": …, "template": …, "holds": …}, "retention": [{"of": …, "count": 5, "days": 30, "by": …}],
///       "fields": [{"path": "version", "types": ["integer"], "required": true,
///                   "checks": [{"severity": "error", "words": …}]}],
///       "collections": [{"pointer": "/cars", "title": "cars", "key": ["id"], "date": "boughtAt", "fields": […],
///                        "checks": […], "keys": […], "references": […]}]}]}
public struct FormatReport: Sendable, Encodable {
  public var formats: [BackupFormat]

  public init(_ formats: [BackupFormat]) { self.formats = formats }
}

extension BackupFormat: Encodable {
  public func encode(to encoder: any Swift.Encoder) throws {
    try encoder.encode([
      "name": name, "title": title, "description": IfPresent(summary), "version": IfPresent(version.map(members)),
    ])
    try origin.encode(to: encoder)
    try encoder.encode([
      "dialects": dialects.map(\.name), "recognised": IfPresent(detection?.words), "fileName": IfPresent(fileName),
      "retention": retention, "fields": rules.rootFields, "checks": rules.rootChecks, "collections": collections.map(members),
    ])
  }

  private func members(of version: VersionPolicy) -> ReportMembers {
    [
      "pointer": version.pointer, "current": version.current, "oldest": version.oldest,
      "ifAbsent": IfPresent(version.ifAbsent[.json]), "ifAbsentInZIP": IfPresent(version.ifAbsent[.zip]),
    ]
  }

  private func members(of collection: Collection) -> ReportMembers {
    let record = rules.recordFields(of: collection.rules)
    return [
      "pointer": collection.pointer, "title": collection.title, "key": collection.key.map(\.fieldText),
      "date": IfPresent(collection.date), "modified": IfPresent(collection.modified), "fields": record.fields,
      "checks": record.checks, "keys": collection.keyWords, "references": collection.referenceWords,
    ]
  }
}
