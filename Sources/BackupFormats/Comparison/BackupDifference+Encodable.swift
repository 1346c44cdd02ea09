import Findings

/// The difference in a report:
///
///     {"same": false, "format": "ev-charging-tracker",
///       "old": {"file": "monday.json", "version": 9, "bytes": 1048576}, "new": {…},
///       "collections": [{"pointer": "/expenses", "title": "expenses", "key": ["id"],
///         "same": 1197, "changed": 1, "removed": 1, "added": 1, "duplicates": 0, "notShown": 0,
///         "changes": [{"kind": "changed", "key": "12", "old": {"pointer": "/expenses/11", "offset": 2048}, "new": {…},
///                      "fields": [{"pointer": "/amount", "old": "12.50", "new": "12.75"}], "fieldsNotShown": 0}]}],
///       "document": {"same": 3, "changed": 1, …}}
///
/// A field's `old` and `new` are strings that contain JSON, so that numbers keep their digits, or null if the field is missing.
/// `fieldsNotShown` is null if the record is too large to compare by field.
extension BackupDifference: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "same": isSame, "format": format, "old": old, "new": new, "collections": collections, "document": envelope.changeMembers,
    ])
  }
}

extension BackupDifference.Document: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["file": name, "version": version.map(ReportedVersion.init), "bytes": bytes])
  }
}

extension CollectionDifference: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["pointer": pointer, "title": title, "key": key])
    try encoder.encode(changeMembers)
  }

  fileprivate var changeMembers: ReportMembers {
    [
      "same": same, "changed": changed, "removed": removed, "added": added, "duplicates": duplicates, "notShown": notShown,
      "changes": changes,
    ]
  }
}

extension RecordChange: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "kind": kind, "key": key, "old": old, "new": new, "fields": fields, "fieldsNotShown": fieldsNotShown,
    ])
  }
}

extension FieldChange: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["pointer": pointer, "old": old, "new": new])
  }
}
