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
