public import ByteStreams
public import Findings
public import Rules

/// A summary of a backup, to read before importing it.
public struct Inspection: Sendable, Equatable {
  /// The document's name as given by the caller: a path, or `-`.
  public var file: String
  public var format = FormatIdentity.unknown(nearest: [])
  public var version: Version?
  public var importability = Importability.unreadable
  /// The result of the migration before an import, or `nil` if neither format nor version changes.
  public var migration: Migration?
  /// The creation time that the document declares.
  public var createdAt: Moment?
  /// The app version and the device that the document declares, as written.
  public var app: String?
  public var device: String?
  public var container = Container.json
  public var compression: CompressionFormat?
  /// The stored size in bytes, or `nil` for a truncated stream.
  public var storedBytes: Int?
  /// The uncompressed size in bytes, up to the point where reading ended.
  public var documentBytes = 0
  /// The kind of the root value.
  public var root: ValueKind?
  /// The arrays of records: first those that the rules describe, in the rules' order, then others, in document order.
  public var collections: [Collection] = []
  /// The first 64 of the root's other members, in document order.
  public var members: [Member] = []
  /// The number of further members.
  public var furtherMembers = 0
  /// Members of the root that the rules don't describe, if they claim to be complete.
  public var unknownFields = UnknownFields()
  /// True if the document contains the app's settings. `nil` if the format doesn't declare their place.
  public var hasSettings: Bool?
  /// The other files in the container, if it is an archive.
  public var attachments: Attachments?
  public var warnings: [Warning] = []
  /// The error that ended reading. Everything before it is still reported.
  public var error: CofferError?

  public init(file: String) { self.file = file }

  /// The format of the document.
  public enum FormatIdentity: Sendable, Equatable {
    /// - Parameters:
    ///   - dialect: The name of the document's dialect.
    ///   - reasons: The detection criteria that it satisfies; empty if the caller named the format.
    case known(name: String, title: String, dialect: String?, reasons: [String])
    /// Rules that don't describe a format, with the name that the caller gave.
    case rules(name: String)
    /// No format fits; the nearest ones.
    case unknown(nearest: [FormatCandidate])
    /// Several formats fit.
    case ambiguous([FormatCandidate])
  }

  public enum Container: String, Sendable {
    case json
    /// One value per line.
    case jsonLines = "jsonl"
    case zip
  }

  /// The version of a document.
  public struct Version: Sendable, Equatable {
    /// The version as written in the document, or `nil` if it is missing.
    public var found: String?
    /// The version number; the format's default if the document doesn't declare one.
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

  /// A point in time, as written in the document and parsed.
  public struct Moment: Sendable, Equatable {
    public var text: String
    /// `nil` if it doesn't match the date format in the rules.
    public var instant: Instant?

    public init(text: String, instant: Instant?) {
      self.text = text
      self.instant = instant
    }
  }

  /// A problem or a fact to know before an import.
  public struct Warning: Sendable, Equatable {
    /// Stable for programs: `newer-version`, `older-version`, `older-format`, `version`, `created-at`, `created-in-future`,
    /// `missing-collection`, `not-an-array`, `count-of`, `unknown-fields`; for archives, `file-missing` and the codes of
    /// damaged or unsafe entries: `path-unsafe`, `entry-type`, `duplicate-entry`, `zip-checksum`, `zip-size`,
    /// `zip-encrypted`, `zip-unsupported`.
    public var code: String
    public var message: String
    /// The JSON Pointer of its subject, if that is a single value or collection.
    public var pointer: String?

    public init(code: String, message: String, pointer: String? = nil) {
      self.code = code
      self.message = message
      self.pointer = pointer
    }
  }
}
