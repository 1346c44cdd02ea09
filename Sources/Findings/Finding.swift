import ByteStreams

/// One thing that is wrong in a document: what, where, and by which rule.
///
/// Findings are data: `code` and the places are stable for programs, the wording of `message` may change.
///
/// A finding takes a few kilobytes at most, whatever the document and its rules hold: longer texts are cut in the middle and say how many bytes
/// are missing there.
public struct Finding: Sendable, Hashable {
  /// The rule's code: its keyword in kebab case (`foreign-key`, `format-maximum`) unless the rule document names another.
  public var code: String
  /// The keyword that was violated, as the rule document spells it.
  public var keyword: String
  public var severity: Severity
  /// A sentence for people, without the place.
  public var message: String
  public var place: Place
  /// Where the rule stands in the rule document, as a JSON Pointer: `/properties/expenses/foreignKeys/0`.
  public var schemaLocation: String
  /// The start of the offending value as the document spells it; `nil` where there is none, or where values were to be left out.
  public var excerpt: String?

  public init(
    code: String, keyword: String, severity: Severity, message: String, place: Place, schemaLocation: String,
    excerpt: String? = nil
  ) {
    self.code = code
    self.keyword = keyword
    self.severity = severity
    self.message = message.shortened(to: 1024)
    self.place = place
    self.schemaLocation = schemaLocation.shortened(to: 1024)
    self.excerpt = excerpt?.shortened(to: 512)
  }
}

/// Where a finding stands in its document.
public struct Place: Sendable, Hashable {
  /// The entry of the container that it is about, or whose document the rest is counted in; `nil`: the document that was validated.
  public var entry: String?
  /// JSON Pointer (RFC 6901) with absolute indices: `/expenses/1204/carId`. For a missing member, the pointer that it would have. Long names and
  /// deep places are cut: `/settings/kkkk…(999872 bytes cut)…kkkk`.
  public var pointer: String
  /// From 1. For a missing member, the place of the object that lacks it.
  public var line: Int
  /// From 1, in Unicode scalar values.
  public var column: Int
  /// From 0, in bytes of the (uncompressed) document.
  public var offset: Int

  public init(pointer: String, line: Int, column: Int, offset: Int) {
    entry = nil
    self.pointer = pointer.shortened(to: 2048)
    self.line = line
    self.column = column
    self.offset = offset
  }
}

extension Place {
  /// An entry of the container as a whole.
  public init(entry: String) {
    self.init(pointer: "", line: 1, column: 1, offset: 0)
    self.entry = entry.shortened(to: 1024)
  }
}

extension Finding: Comparable {
  /// By byte offset; what shares an offset is ordered by pointer, then by rule, so that the order depends on nothing but the document.
  public static func < (a: Finding, b: Finding) -> Bool {
    if a.place.entry != b.place.entry {
      // What the document itself holds comes first.
      guard let other = b.place.entry else { return false }
      return a.place.entry.map { $0 < other } ?? true
    }
    if a.place.offset != b.place.offset { return a.place.offset < b.place.offset }
    return (a.place.pointer, a.schemaLocation, a.code, a.message) < (b.place.pointer, b.schemaLocation, b.code, b.message)
  }
}
