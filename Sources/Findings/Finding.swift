import ByteStreams

/// One defect of a document: what is wrong, where, and by which rule.
///
/// Programs can rely on `code` and the places. The wording of `message` may change.
///
/// A finding takes a few kilobytes at most. Longer strings are cut in the middle, where they state how many bytes are missing.
public struct Finding: Sendable, Hashable {
  /// The rule's code: its keyword in kebab case (`foreign-key`, `format-maximum`) unless the rule document names another.
  public var code: String
  /// The violated keyword, spelled as in the rule document.
  public var keyword: String
  public var severity: Severity
  /// A human-readable sentence, without the place.
  public var message: String
  public var place: Place
  /// The location of the rule in the rule document, as a JSON Pointer: `/properties/expenses/foreignKeys/0`.
  public var schemaLocation: String
  /// The start of the offending value as spelled in the document, or `nil` if there is no value, or if values are left out.
  public var excerpt: String?
  /// The record that has the defect, or `nil` if the defect is in no record or the record isn't known.
  public var record: RecordIdentity?
  /// How the finding compares with a baseline, or `nil` if no baseline was applied.
  public var baseline: BaselineState?

  /// The longest place in the rule document, in bytes. Longer ones are cut.
  package static let schemaLocationLimit = 1024
  /// The longest message and excerpt, in bytes.
  package static let messageLimit = 1024
  package static let excerptLimit = 512

  public init(
    code: String, keyword: String, severity: Severity, message: String, place: Place, schemaLocation: String,
    excerpt: String? = nil, record: RecordIdentity? = nil
  ) {
    self.code = code
    self.keyword = keyword
    self.severity = severity
    self.message = message.shortened(to: Self.messageLimit)
    self.place = place
    self.schemaLocation = schemaLocation.shortened(to: Self.schemaLocationLimit)
    self.excerpt = excerpt?.shortened(to: Self.excerptLimit)
    self.record = record
  }

  /// True if a baseline accepts the finding, so that it doesn't make the document invalid.
  public var isAccepted: Bool { if case .known = baseline { true } else { false } }
}

/// The location of a finding in its document.
public struct Place: Sendable, Hashable {
  /// The container entry that the finding is about, or whose document the other fields refer to. `nil` for the validated
  /// document.
  public var entry: String?
  /// JSON Pointer (RFC 6901) with absolute indices: `/expenses/1204/carId`. For a missing member, the pointer that it would have.
  /// Long names and deep places are cut: `/settings/kkkk…(999872 bytes cut)…kkkk`.
  public var pointer: String
  /// The line, from 1. For a missing member, the place of the object that lacks it.
  public var line: Int
  /// The column, from 1, in Unicode scalar values.
  public var column: Int
  /// The offset, from 0, in bytes of the (uncompressed) document.
  public var offset: Int
  /// The end of the value, or `nil` if unknown.
  public var end: End?

  /// The end of a value: the place after its last character.
  public struct End: Sendable, Hashable {
    /// The line, from 1.
    public var line: Int
    /// The column, from 1, in Unicode scalar values; it is the first one that isn't part of the value.
    public var column: Int
    /// The offset of the byte after the value, from 0.
    public var offset: Int

    public init(line: Int, column: Int, offset: Int) {
      self.line = line
      self.column = column
      self.offset = offset
    }
  }

  public init(pointer: String, line: Int, column: Int, offset: Int, end: End? = nil) {
    entry = nil
    self.pointer = pointer.shortened(to: 2048)
    self.line = line
    self.column = column
    self.offset = offset
    self.end = end
  }
}

extension Place {
  /// The place of a whole container entry.
  public init(entry: String) {
    self.init(pointer: "", line: 1, column: 1, offset: 0)
    self.entry = entry.shortened(to: 1024)
  }
}

extension Finding: Comparable {
  /// Orders by byte offset, then by pointer, then by rule, so that the order depends only on the document.
  public static func < (a: Finding, b: Finding) -> Bool {
    if a.place.entry != b.place.entry {
      // Findings of the document itself come first.
      guard let other = b.place.entry else { return false }
      return a.place.entry.map { $0 < other } ?? true
    }
    if a.place.offset != b.place.offset { return a.place.offset < b.place.offset }
    return (a.place.pointer, a.schemaLocation, a.code, a.message) < (b.place.pointer, b.schemaLocation, b.code, b.message)
  }
}

/// The severity of a finding. Only errors make a document invalid.
public enum Severity: String, Sendable, CaseIterable, Comparable, BitwiseCopyable, Codable {
  case note, warning, error

  /// The order in which reports count and list.
  package static let mostSevereFirst: [Severity] = [.error, .warning, .note]

  public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}

/// What identifies a record when it moves in its collection: reports of two backups with the same defect match by it.
public struct RecordIdentity: Sendable, Hashable, Codable {
  /// The collection's JSON Pointer with `*` for any item: `/groups/*/members`.
  public var collection: String
  /// The collection's title, if the format names it.
  public var title: String?
  /// The primary key as text, several fields as a JSON array. `nil` if the record has none.
  public var key: String?

  public init(collection: String, title: String? = nil, key: String? = nil) {
    self.collection = collection.shortened(to: 1024)
    self.title = title
    self.key = key?.shortened(to: 256)
  }
}

/// What identifies a finding when lines and records move: two runs with the same defect have the same identity.
///
/// A record is identified by its key, every other item of an array is `*`. Lines, indices and messages don't matter.
///
///     {"code": "foreign-key", "collection": "/expenses", "key": "28", "pointer": "/carId"}
///     {"code": "maximum", "pointer": "/trips/*/km"}                      a record without a key
public struct FindingIdentity: Sendable, Hashable, Codable {
  public var code: String
  /// The container entry, if the finding is about one.
  public var entry: String?
  /// The record's collection and key, as in `RecordIdentity`.
  public var collection: String?
  public var key: String?
  /// The place: in the record if `collection` is present, otherwise in the document.
  public var pointer: String

  public init(_ finding: Finding) {
    code = finding.code
    entry = finding.place.entry
    var tokens = finding.place.pointer.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    if let record = finding.record {
      collection = record.collection
      key = record.key
      // The empty one before the first slash, the collection's, and the record's index. The one before the record's members stays.
      tokens.removeFirst(min(tokens.count, record.collection.utf8.count { $0 == UInt8(ascii: "/") } + 2))
      tokens.insert("", at: 0)
    }
    pointer = tokens.map { $0.mayBeIndex ? "*" : $0 }.joined(separator: "/")
  }
}

extension String {
  /// True for a token of a JSON Pointer that may be an index.
  package var mayBeIndex: Bool { !isEmpty && utf8.allSatisfy { (0x30...0x39).contains($0) } }
}

/// A finding in a report:
///
///     {"code": …, "keyword": …, "severity": …, "message": …, "pointer": …, "line": …, "column": …, "offset": …,
///       "endLine": …, "endColumn": …, "endOffset": …, "schema": …, "excerpt": …,
///       "record": {"collection": "/expenses", "title": "expenses", "key": "28"}, "baseline": "known", "reason": …}
///
/// `entry`, the end, `excerpt`, `record`, `baseline` and `reason` occur only if they have values.
extension Finding: Codable {
  private enum CodingKeys: String, CodingKey {
    case code, keyword, severity, message, schemaLocation = "schema", excerpt, record, baseline, reason
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(code, forKey: .code)
    try members.encode(keyword, forKey: .keyword)
    try members.encode(severity, forKey: .severity)
    try members.encode(message, forKey: .message)
    try place.encode(to: encoder)
    try members.encode(schemaLocation, forKey: .schemaLocation)
    try members.encodeIfPresent(excerpt, forKey: .excerpt)
    try members.encodeIfPresent(record, forKey: .record)
    switch baseline {
    case .new: try members.encode("new", forKey: .baseline)
    case .known(let reason):
      try members.encode("known", forKey: .baseline)
      try members.encodeIfPresent(reason, forKey: .reason)
    case nil: break
    }
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      code: try members.decode(String.self, forKey: .code), keyword: try members.decode(String.self, forKey: .keyword),
      severity: try members.decode(Severity.self, forKey: .severity),
      message: try members.decode(String.self, forKey: .message), place: try Place(from: decoder),
      schemaLocation: try members.decode(String.self, forKey: .schemaLocation),
      excerpt: try members.decodeIfPresent(String.self, forKey: .excerpt),
      record: try members.decodeIfPresent(RecordIdentity.self, forKey: .record))
    switch try members.decodeIfPresent(String.self, forKey: .baseline) {
    case "new": baseline = .new
    case "known": baseline = .known(reason: try members.decodeIfPresent(String.self, forKey: .reason))
    default: break
    }
  }
}

extension Place: Codable {
  private enum CodingKeys: CodingKey { case entry, pointer, line, column, offset, endLine, endColumn, endOffset }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "entry": IfPresent(entry), "pointer": pointer, "line": line, "column": column, "offset": offset,
      "endLine": IfPresent(end?.line), "endColumn": IfPresent(end?.column), "endOffset": IfPresent(end?.offset),
    ])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      pointer: try members.decode(String.self, forKey: .pointer), line: try members.decode(Int.self, forKey: .line),
      column: try members.decode(Int.self, forKey: .column), offset: try members.decode(Int.self, forKey: .offset))
    entry = try members.decodeIfPresent(String.self, forKey: .entry)
    try Self.check(line, column, offset, decoder)
    if members.contains(.endOffset) {
      end = End(
        line: try members.decode(Int.self, forKey: .endLine), column: try members.decode(Int.self, forKey: .endColumn),
        offset: try members.decode(Int.self, forKey: .endOffset))
      if let end { try Self.check(end.line, end.column, end.offset, decoder) }
    }
  }

  private static func check(_ line: Int, _ column: Int, _ offset: Int, _ decoder: any Decoder) throws {
    let largest = 1 << 53
    guard (1...largest).contains(line), (1...largest).contains(column), (0...largest).contains(offset) else {
      throw DecodingError.invalid("the place is out of range", at: decoder.codingPath)
    }
  }
}
