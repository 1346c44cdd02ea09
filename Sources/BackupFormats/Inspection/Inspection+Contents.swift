public import Rules

extension Inspection {
  /// What a value is.
  public enum ValueKind: String, Sendable, CaseIterable {
    case null, boolean, number, string, array, object
  }

  /// An array of records.
  public struct Collection: Sendable, Equatable {
    /// A JSON Pointer; empty if it is the document itself.
    public var pointer: String
    public var title: String
    /// Whether the rules describe it.
    public var isKnown: Bool
    /// Whether it is in the document.
    public var isPresent = false
    /// How many items it has, to the place where the document broke off.
    public var count = 0
    /// What its items are, most of them objects; each kind once.
    public var kinds: [ValueKind] = []
    /// The member that says when a record happened, if the format knows one.
    public var date: String?
    public var earliest: Instant?
    public var latest: Instant?
    /// How many records have no such date, or none that is right.
    public var undated = 0
    /// The arrays of records inside its records, each with how many items all of them have together.
    public var nested: [Nested] = []
    /// How many bytes it takes in the document, brackets included; `nil` if it has no end there, or is the document itself.
    public var bytes: Int?
    /// Members of its records that the rules don't know, where they mean to know all.
    public var unknownFields = UnknownFields()

    public struct Nested: Sendable, Equatable {
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

  /// Names that the rules don't know, each with how often it came.
  public struct UnknownFields: Sendable, Equatable {
    public struct Field: Sendable, Equatable {
      public var name: String
      public var count: Int

      public init(name: String, count: Int) {
        self.name = name
        self.count = count
      }
    }

    /// In the order of their first coming; 64 of them.
    public var fields: [Field]
    /// How often others came.
    public var others: Int

    public init(fields: [Field] = [], others: Int = 0) {
      self.fields = fields
      self.others = others
    }

    public var total: Int { fields.reduce(others) { $0 + $1.count } }
  }

  /// A member of the root that is no array of records.
  public struct Member: Sendable, Equatable {
    public var name: String
    public var kind: ValueKind
    /// Of an object, how many members it has.
    public var count: Int?
    /// Those of them that the rules don't know, where they mean to know all.
    public var unknownFields = UnknownFields()
    /// Whether the inspection tells its value elsewhere: the version, say.
    public var isTold = false

    public init(name: String, kind: ValueKind, count: Int?) {
      self.name = name
      self.kind = kind
      self.count = count
    }
  }

  /// The files that a document's container holds beside it.
  public struct Attachments: Sendable, Equatable {
    public var count: Int
    /// All together, expanded.
    public var bytes: Int
    /// How many files records name that are not there.
    public var missing: Int
    /// The names of those as entries of the container, sorted: the first 1000.
    public var missingNames: [String]

    public init(count: Int, bytes: Int, missing: Int = 0, missingNames: [String] = []) {
      self.count = count
      self.bytes = bytes
      self.missing = missing
      self.missingNames = missingNames
    }
  }
}
