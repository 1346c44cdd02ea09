public import ByteStreams

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
  /// For a missing member, the position of the object that lacks it.
  public var position: TextPosition
  /// The position after the value's last character, or `nil` if unknown.
  public var end: TextPosition?

  public init(pointer: String = "", at position: TextPosition, end: TextPosition? = nil) {
    entry = nil
    self.pointer = pointer.shortened(to: 2048)
    self.position = position
    self.end = end
  }

  /// The place of a whole container entry.
  public init(entry: String) {
    self = .start
    self.entry = entry.shortened(to: 1024)
  }

  /// The start of the document.
  package static let start = Place(at: TextPosition(offset: 0, line: 1, column: 1))

  /// The line, from 1.
  public var line: Int { position.line }
  /// The column, from 1, in Unicode scalar values.
  public var column: Int { position.column }
  /// The offset, from 0, in bytes of the (uncompressed) document.
  public var offset: Int { position.offset }
}

extension Place: CustomStringConvertible {
  /// True for the place of a whole container entry, which has no line.
  package var isWholeEntry: Bool { entry != nil && pointer.isEmpty && offset == 0 }

  /// The place without its line, in printable characters: `entry a.json, /expenses/1204/carId, byte 4194311`.
  public var description: String {
    if let entry, isWholeEntry { return entry.isEmpty ? "the archive" : "entry \(entry.printable)" }
    let pointer = pointer.isEmpty ? "the root" : pointer.printable
    return "\(entry.map { "entry \($0.printable), " } ?? "")\(pointer), byte \(offset)"
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
    func position(_ line: CodingKeys, _ column: CodingKeys, _ offset: CodingKeys) throws -> TextPosition {
      let position = TextPosition(
        offset: try members.decode(Int.self, forKey: offset), line: try members.decode(Int.self, forKey: line),
        column: try members.decode(Int.self, forKey: column))
      let largest = 1 << 53
      guard (1...largest).contains(position.line), (1...largest).contains(position.column),
        (0...largest).contains(position.offset)
      else { throw DecodingError.invalid("the place is out of range", at: decoder.codingPath) }
      return position
    }
    self.init(
      pointer: try members.decode(String.self, forKey: .pointer), at: try position(.line, .column, .offset),
      end: members.contains(.endOffset) ? try position(.endLine, .endColumn, .endOffset) : nil)
    entry = try members.decodeIfPresent(String.self, forKey: .entry)
  }
}
