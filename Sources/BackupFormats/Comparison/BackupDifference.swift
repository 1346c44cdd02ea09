/// What two backups of one format have in common, and what they haven't.
///
/// Order is no difference: not that of a collection's records, nor that of an object's members. Nor is how a value is written: `1.0` is `1`, and an escape
/// what it stands for. A member that is null is not one that is missing.
public struct BackupDifference: Sendable, Hashable {
  /// One of the two.
  public struct Document: Sendable, Hashable {
    public let name: String
    public let bytes: Int
    /// As the document spells it, or as its format says of one that doesn't.
    public let version: String?

    package init(name: String, bytes: Int, version: String?) {
      self.name = name
      self.bytes = bytes
      self.version = version
    }
  }

  public let old: Document
  public let new: Document
  /// The format that both are of, or the rules that they were compared by.
  public let format: String?
  /// Its collections, in its order; those that were left out are not among them.
  public let collections: [CollectionDifference]
  /// What stands around the collections: metadata, settings, members that no rule knows.
  public let spine: CollectionDifference

  package init(
    old: Document, new: Document, format: String?, collections: [CollectionDifference], spine: CollectionDifference
  ) {
    self.old = old
    self.new = new
    self.format = format
    self.collections = collections
    self.spine = spine
  }

  /// Whether neither has anything that the other hasn't.
  public var isSame: Bool { spine.isSame && collections.allSatisfy(\.isSame) }
}

/// What becomes of the records of one collection.
public struct CollectionDifference: Sendable, Hashable {
  /// A JSON Pointer; empty, of the spine and of a collection that is the root.
  public let pointer: String
  public let title: String
  /// The fields that tell its records apart; empty: they are compared as whole values.
  public let key: [String]
  public package(set) var same = 0
  public package(set) var changed = 0
  public package(set) var removed = 0
  public package(set) var added = 0
  /// How many records of either document have a key that another one before them has: those can't be told apart, and are compared as whole values.
  public package(set) var duplicates = 0
  /// The first ones of each kind, in the documents' order.
  public package(set) var changes: [RecordChange] = []

  /// Whether there is nothing of it in either document.
  public var isEmpty: Bool { same == 0 && duplicates == 0 && isSame }
  public var isSame: Bool { changed == 0 && removed == 0 && added == 0 }
  /// How many changes there are that ``changes`` doesn't show.
  public var notShown: Int { changed + removed + added - changes.count { $0.kind != .duplicate } }

  package init(pointer: String, title: String, key: [String]) {
    self.pointer = pointer
    self.title = title
    self.key = key
  }
}

/// A record that only one of two backups has, or that isn't the same in both.
public struct RecordChange: Sendable, Hashable {
  public enum Kind: String, Sendable, CaseIterable { case changed, removed, added, duplicate }

  public let kind: Kind
  /// Where it stands in the old document; of a duplicate, the first record of its key.
  public let old: Place?
  /// Where it stands in the new document; of a duplicate, the second record of its key, whichever document they stand in.
  public let new: Place?
  /// The fields that tell it from others, as JSON: `12`, `"a", 7`. Empty where there are none, or where the record is too large to be shown.
  public let key: String
  /// What is different, if it is changed.
  public let fields: [FieldChange]
  /// How many more fields are different; `nil` if the record is too large to be looked at field by field.
  public let fieldsNotShown: Int?

  package init(kind: Kind, old: Place?, new: Place?, key: String, fields: [FieldChange], fieldsNotShown: Int?) {
    self.kind = kind
    self.old = old
    self.new = new
    self.key = key
    self.fields = fields
    self.fieldsNotShown = fieldsNotShown
  }

  public struct Place: Sendable, Hashable {
    /// With its index.
    public let pointer: String
    /// From the document's start, in bytes.
    public let offset: Int

    package init(pointer: String, offset: Int) {
      self.pointer = pointer
      self.offset = offset
    }
  }
}

/// A field that isn't the same in two records.
public struct FieldChange: Sendable, Hashable {
  /// A JSON Pointer, from the record on.
  public let pointer: String
  /// What stands there, as JSON, numbers as they are written; `nil`: nothing. Long texts are cut, and end in `…`.
  public let old: String?
  public let new: String?

  package init(pointer: String, old: String?, new: String?) {
    self.pointer = pointer
    self.old = old
    self.new = new
  }
}
