public import Rules

extension Inspection {
  /// The kind of a value.
  public enum ValueKind: String, Sendable, CaseIterable, Encodable {
    case null, boolean, number, string, array, object

    /// The kind in messages: `an array`.
    package var phrase: String {
      switch self {
      case .null: "null"
      case .array, .object: "an \(rawValue)"
      case .boolean, .number, .string: "a \(rawValue)"
      }
    }
  }

  /// An array of records.
  public struct Collection: Sendable, Equatable {
    /// A JSON Pointer; empty for the root.
    public var pointer: String
    public var title: String
    /// True if the rules describe it.
    public var isKnown: Bool
    /// True if it is in the document.
    public var isPresent = false
    /// The number of items, up to the point where reading ended.
    public var count = 0
    /// The distinct kinds of its items, usually objects.
    public var kinds: [ValueKind] = []
    /// The member with a record's date, if the format declares one.
    public var date: String?
    public var earliest: Instant?
    public var latest: Instant?
    /// The number of records with a missing or invalid date.
    public var undated = 0
    /// The arrays of records inside its records, each with its total number of items.
    public var nested: [Nested] = []
    /// The size in the document in bytes, including brackets, or `nil` if it is truncated, or is the root.
    public var bytes: Int?
    /// Members of its records that the rules don't describe, if they claim to be complete.
    public var unknownFields = UnknownFields()

    public struct Nested: Sendable, Equatable, Encodable {
      public var name: String
      public var count: Int

      public init(name: String, count: Int) {
        self.name = name
        self.count = count
      }
    }

    public init(pointer: String, title: String, isKnown: Bool) {
      self.pointer = pointer
      self.title = title
      self.isKnown = isKnown
    }
  }

  /// Names that the rules don't describe, each with its number of occurrences.
  public struct UnknownFields: Sendable, Equatable, Encodable {
    public struct Field: Sendable, Equatable, Encodable {
      public var name: String
      public var count: Int

      public init(name: String, count: Int) {
        self.name = name
        self.count = count
      }
    }

    /// The first 64, in order of first occurrence.
    public var fields: [Field]
    /// The number of occurrences of all others.
    public var others: Int

    public init(fields: [Field] = [], others: Int = 0) {
      self.fields = fields
      self.others = others
    }

    public var total: Int { fields.reduce(others) { $0 + $1.count } }
  }

  /// A member of the root that isn't an array of records.
  public struct Member: Sendable, Equatable {
    public var name: String
    public var kind: ValueKind
    /// The number of members, for an object.
    public var count: Int?
    /// Its members that the rules don't describe, if they claim to be complete.
    public var unknownFields = UnknownFields()
    /// True if the inspection reports its value elsewhere: the version, for example.
    public var isReported = false

    public init(name: String, kind: ValueKind, count: Int?) {
      self.name = name
      self.kind = kind
      self.count = count
    }
  }

  /// The other files in a document's container.
  public struct Attachments: Sendable, Equatable, Encodable {
    public var count: Int
    /// The total uncompressed size of the files, in bytes.
    public var bytes: Int
    /// The number of missing files that records name.
    public var missing: Int
    /// The first 1000 names of missing files as entries of the container, sorted.
    public var missingNames: [String]

    public init(count: Int, bytes: Int, missing: Int = 0, missingNames: [String] = []) {
      self.count = count
      self.bytes = bytes
      self.missing = missing
      self.missingNames = missingNames
    }
  }
}
