import Findings

/// The differences and the common records of two backups of one format.
///
/// Order doesn't matter, neither of records nor of an object's members. Spelling doesn't matter: `1.0` equals `1`, and an escape
/// equals its character. A null member differs from a missing one.
public struct BackupDifference: Sendable, Hashable {
  /// One of the two documents.
  public struct Document: Sendable, Hashable {
    public let name: String
    public let bytes: Int
    /// The version as written, or the format's default.
    public let version: String?
  }

  public let old: Document
  public let new: Document
  /// The format of both, or the rules used to compare them.
  public let format: String?
  /// The format's collections, in its order, without excluded ones.
  public let collections: [CollectionDifference]
  /// The envelope: metadata, settings and unknown members outside of the collections.
  public let envelope: CollectionDifference

  /// True if both documents are equal.
  public var isSame: Bool { envelope.isSame && collections.allSatisfy(\.isSame) }
}

/// The differences of one collection.
public struct CollectionDifference: Sendable, Hashable {
  /// A JSON Pointer; empty for the envelope and for a root collection.
  public let pointer: String
  public let title: String
  /// The key fields of its records. If empty, records are compared as whole values.
  public let key: [String]
  public internal(set) var same = 0
  public internal(set) var changed = 0
  public internal(set) var removed = 0
  public internal(set) var added = 0
  /// The number of records with a key that an earlier record of the same document has. They are compared as whole values.
  public internal(set) var duplicates = 0
  /// The first changes of each kind, in document order.
  public internal(set) var changes: [RecordChange] = []

  /// True if neither document has records of the collection.
  public var isEmpty: Bool { same == 0 && duplicates == 0 && isSame }
  public var isSame: Bool { changed == 0 && removed == 0 && added == 0 }
  /// The number of changes that are not in ``changes``.
  public var notShown: Int { changed + removed + added - changes.count { $0.kind != .duplicate } }
}

/// A record that only one backup has, or that differs.
public struct RecordChange: Sendable, Hashable {
  public enum Kind: String, Sendable, CaseIterable, Encodable { case changed, removed, added, duplicate }

  public let kind: Kind
  /// The place in the old document; for a duplicate, the first record with its key.
  public let old: Place?
  /// The place in the new document; for a duplicate, the second record with its key, in either document.
  public let new: Place?
  /// The key as JSON: `12`, `"a", 7`. Empty if there is no key, or the record is too large.
  public let key: String
  /// The changed fields. A removed or added record without a key has its content here, with an empty pointer.
  public let fields: [FieldChange]
  /// The number of further changed fields, or `nil` if the record is too large to compare by field.
  public let fieldsNotShown: Int?

  /// The content of a removed or added record without a key, as JSON. Long texts are truncated and end in `…`.
  public var content: String? { kind == .removed || kind == .added ? fields.first.flatMap { $0.old ?? $0.new } : nil }

  public struct Place: Sendable, Hashable, Encodable {
    /// The JSON Pointer, including the index.
    public let pointer: String
    /// The offset from the document's start, in bytes.
    public let offset: Int
  }
}

/// A field that differs in two records.
public struct FieldChange: Sendable, Hashable {
  /// A JSON Pointer relative to the record.
  public let pointer: String
  /// The value as JSON, with numbers as written, or `nil` if it is missing. Long strings are truncated and end in `…`.
  public let old: String?
  public let new: String?
}

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
