package import BackupFormats
public import ByteStreams
public import Findings
public import JSONEvents
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
  public var root: JSONKind?
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
    /// Values one after the other (RFC 7464).
    case sequence = "seq"
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
  }

  /// A point in time, as written in the document and parsed.
  public struct Moment: Sendable, Equatable {
    public var text: String
    /// `nil` if it doesn't match the date format in the rules.
    public var instant: Instant?
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
  }
}

extension Inspection {
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
    public var kinds: [JSONKind] = []
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
    }
  }

  /// Names that the rules don't describe, each with its number of occurrences.
  public struct UnknownFields: Sendable, Equatable, Encodable {
    public struct Field: Sendable, Equatable, Encodable {
      public var name: String
      public var count: Int
    }

    /// The first 64, in order of first occurrence.
    public var fields: [Field] = []
    /// The number of occurrences of all others.
    public var others = 0

    public var total: Int { fields.reduce(others) { $0 + $1.count } }
  }

  /// A member of the root that isn't an array of records.
  public struct Member: Sendable, Equatable {
    public var name: String
    public var kind: JSONKind
    /// The number of members, for an object.
    public var count: Int?
    /// Its members that the rules don't describe, if they claim to be complete.
    public var unknownFields = UnknownFields()
    /// True if the inspection reports its value elsewhere: the version, for example.
    public var isReported = false
  }

  /// The other files in a document's container.
  public struct Attachments: Sendable, Equatable, Encodable {
    public var count: Int
    /// The total uncompressed size of the files, in bytes.
    public var bytes: Int
    /// The number of missing files that records name.
    public var missing = 0
    /// The first 1000 names of missing files as entries of the container, sorted.
    public var missingNames: [String] = []
  }
}

extension Inspection {
  /// The format and version of a document after its descriptor's migrations.
  public struct Migration: Sendable, Equatable {
    /// The name of the new format, if it changes.
    public var format: String?
    public var version: Int?
  }
}

extension Inspection {
  /// The verdict on importing a document.
  ///
  /// `Inspector` decides by format and version only. `Inspector.inspect(_:named:importingBy:)` also validates the
  /// document.
  public enum Importability: String, Sendable, CaseIterable {
    /// The document has the current version, or its format has no versions.
    case current
    /// An import migrates it first. `Inspection.migration` has the result, or is `nil` if version and format stay the same.
    case older
    case olderThanKnown = "older-than-known"
    case newer
    /// The version is older, and the format has no migrations.
    case noMigration = "no-migration"
    /// The version is missing, or not an integer.
    case noVersion = "no-version"
    /// No format fits, or the rules describe no backup.
    case unknownFormat = "unknown-format"
    case ambiguousFormat = "ambiguous-format"
    /// An object has a duplicate key.
    case duplicateKeys = "duplicate-keys"
    /// Validation finds errors.
    case findings
    /// The archive has unsafe or damaged entries.
    case faultyArchive = "faulty-archive"
    /// The document can't be read completely.
    case unreadable

    public var isPossible: Bool { self == .current || self == .older }

    /// Determines importability from the declared version.
    package init(of declared: FormatVersion, by format: BackupFormat, in container: BackupFormat.Container) {
      do {
        self = try format.importMigrates(declared, in: container) ? .older : .current
      } catch {
        self = Self(error) ?? .noMigration
      }
    }

    /// Determines importability from the error of a migration. Returns `nil` for another error.
    package init?(_ error: CofferError) {
      switch error.code {
      case .newerVersion: self = .newer
      case .olderVersion: self = .olderThanKnown
      case .noVersion: self = .noVersion
      case .noMigration, .sizeLimit, .collectionOrder, .unknownFormat, .ambiguousFormat: self = .noMigration
      default: return nil
      }
    }
  }
}

/// The inspection of one document in a report. Every member is present; unknown values are `null`.
///
///     {"file": "a.json", "format": "ev-charging-tracker", "title": …, "dialect": null,
///       "reasons": [], "candidates": [], "version": {"found": "9", "number": 9, "oldestKnown": 5, "current": 9},
///       "import": {"possible": true, "reason": "older", "migration": {"format": null, "version": 9}},
///       "createdAt": {"text": …, "instant": "2026-06-28T20:15:00Z"}, "app": "1.4.0", "device": …, "container": "json",
///       "compression": null, "size": {"stored": 1048576, "document": 1048576}, "root": "object",
///       "collections": [{"pointer": "/expenses", "title": "expenses", "known": true, "present": true, "count": 4711,
///                        "kinds": ["object"], "date": "date", "earliest": …, "latest": …, "undated": 0,
///                        "nested": [{"name": …, "count": 7}], "bytes": 1040000,
///                        "unknownFields": {"fields": [{"name": "colour", "count": 3}], "others": 0}}],
///       "members": [{"name": "metadata", "kind": "object", "count": 4, "unknownFields": …}], "furtherMembers": 0,
///       "unknownFields": …,
///       "settings": true, "attachments": {"count": 12, "bytes": 34000, "missing": 1, "missingNames": ["photos/1.jpg"]},
///       "warnings": [{"code": "older-version", "message": …, "pointer": …}], "error": null}
///
/// `candidates` are the fitting formats if there are several, or the nearest ones if there are none, each with its `reasons`
/// and what is `missing`. `import.reason` is an `Inspection.Importability`. Bytes are exact; points in time are RFC 3339 in
/// UTC.
extension Inspection: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["file": file])
    try format.encode(to: encoder)
    try encoder.encode([
      "version": version,
      "import": [
        "possible": importability.isPossible, "reason": importability.rawValue, "migration": migration,
      ] as ReportMembers,
      "createdAt": createdAt, "app": app, "device": device, "container": container.rawValue,
      "compression": compression?.rawValue, "size": ["stored": storedBytes, "document": documentBytes] as ReportMembers,
      "root": root, "collections": collections, "members": members, "furtherMembers": furtherMembers,
      "unknownFields": unknownFields, "settings": hasSettings, "attachments": attachments, "warnings": warnings, "error": error,
    ])
  }
}

extension Inspection.FormatIdentity: Encodable {
  public func encode(to encoder: any Encoder) throws {
    let (name, title, dialect, reasons, candidates): (String?, String?, String?, [String], [FormatCandidate]) =
      switch self {
      case .known(let name, let title, let dialect, let reasons): (name, title, dialect, reasons, [])
      case .rules(let name): (name, nil, nil, [], [])
      case .unknown(let candidates), .ambiguous(let candidates): (nil, nil, nil, [], candidates)
      }
    try encoder.encode(["format": name, "title": title, "dialect": dialect, "reasons": reasons, "candidates": candidates])
  }
}

extension Inspection.Version: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["found": found, "number": number, "oldestKnown": oldestKnown, "current": current])
  }
}

extension Inspection.Migration: Encodable {
  public func encode(to encoder: any Encoder) throws { try encoder.encode(["format": format, "version": version]) }
}

extension Inspection.Moment: Encodable {
  public func encode(to encoder: any Encoder) throws { try encoder.encode(["text": text, "instant": instant]) }
}

extension Inspection.Collection: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "pointer": pointer, "title": title, "known": isKnown, "present": isPresent, "count": count, "kinds": kinds, "date": date,
      "earliest": earliest, "latest": latest, "undated": undated, "nested": nested, "bytes": bytes,
      "unknownFields": unknownFields,
    ])
  }
}

extension Inspection.Member: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["name": name, "kind": kind, "count": count, "unknownFields": unknownFields])
  }
}

extension Inspection.Warning: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["code": code, "message": message, "pointer": pointer])
  }
}
