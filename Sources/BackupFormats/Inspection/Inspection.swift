public import Findings
public import Rules

/// What a backup is, as far as one wants to know before importing it.
public struct Inspection: Sendable, Equatable {
  /// The document's name as it was given: a path, or `-`.
  public var file: String
  public var format = FormatIdentity.unknown(nearest: [])
  public var version: Version?
  public var importability = Importability.unreadable
  /// What it would be migrated to before an import; `nil`: nothing else.
  public var migration: Migration?
  /// When the document says that it was made.
  public var createdAt: Moment?
  /// The version of the app that made it, and what it ran on, in the document's own words.
  public var app: String?
  public var device: String?
  public var container = Container.json
  public var compression: Compression?
  /// How many bytes it takes as it is stored; `nil` of a stream that broke off.
  public var storedBytes: Int?
  /// How many bytes the document takes, uncompressed; as far as it was read, if it broke off.
  public var documentBytes = 0
  /// What the root is.
  public var root: ValueKind?
  /// The arrays of records: those that the rules describe, in their order, then others, in the document's.
  public var collections: [Collection] = []
  /// The root's other members, in the document's order; the first 64 of them.
  public var members: [Member] = []
  /// How many more there are.
  public var furtherMembers = 0
  /// Members of the root that the rules don't know, where they mean to know all.
  public var unknownFields = UnknownFields()
  /// Whether the app's settings are in it; `nil`: the format doesn't say where they would be.
  public var hasSettings: Bool?
  /// The files that lie beside the document in a container that holds some.
  public var attachments: Attachments?
  public var warnings: [Warning] = []
  /// Why the document could not be read to its end. What was seen before that place is told all the same.
  public var error: DocumentError?

  public init(file: String) { self.file = file }

  /// What format it is of.
  public enum FormatIdentity: Sendable, Equatable {
    /// - Parameters:
    ///   - dialect: under which name documents go that differ as this one does.
    ///   - reasons: what it was told by; none if it was named.
    case known(name: String, title: String, dialect: String?, reasons: [String])
    /// Rules that describe no backup; by the name that they were given by.
    case rules(name: String)
    /// No format fits; those that come nearest.
    case unknown(nearest: [FormatCandidate])
    /// Several formats fit.
    case ambiguous([FormatCandidate])
  }

  public enum Container: String, Sendable {
    case json
    /// A value a line.
    case jsonLines = "jsonl"
    case zip
  }

  public enum Compression: String, Sendable {
    case lz4
  }

  /// Which version of its format a document is of.
  public struct Version: Sendable, Equatable {
    /// In the document's own words; `nil` if it doesn't say.
    public var found: String?
    /// As a number; what the format takes for it where the document doesn't say.
    public var number: Int?
    public var oldestKnown: Int
    public var current: Int

    public init(found: String?, number: Int?, oldestKnown: Int, current: Int) {
      self.found = found
      self.number = number
      self.oldestKnown = oldestKnown
      self.current = current
    }
  }

  /// A point in time as the document has it, and what it means.
  public struct Moment: Sendable, Equatable {
    public var text: String
    /// `nil` if it is no date of the format that the rules give it.
    public var instant: Instant?

    public init(text: String, instant: Instant?) {
      self.text = text
      self.instant = instant
    }
  }

  /// What is wrong, or should be known before an import.
  public struct Warning: Sendable, Equatable {
    /// Stable for programs: `newer-version`, `older-version`, `older-format`, `version`, `created-at`, `created-in-future`, `missing-collection`,
    /// `not-an-array`, `count-of`, `unknown-fields`; of archives, `file-missing` and the codes of what is wrong with entries: `path-unsafe`, `entry-type`,
    /// `duplicate-entry`, `zip-checksum`, `zip-size`, `zip-encrypted`, `zip-unsupported`.
    public var code: String
    public var message: String
    /// What it is about, as a JSON Pointer, if that is one value or collection.
    public var pointer: String?

    public init(code: String, message: String, pointer: String? = nil) {
      self.code = code
      self.message = message
      self.pointer = pointer
    }
  }
}
