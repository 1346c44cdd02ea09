package import ByteStreams
package import SystemPackage

/// Writes events as JSON text with the document's own tokens: only the layout changes.
///
/// Numbers keep their digits and strings their escapes, so formatting costs little more than copying; `JSONEventWriter`, which
/// creates tokens from values, takes three times as long. The events must be those of well-formed values, in order.
///
/// A part of a document can be formatted separately, on any thread, by a formatter that starts at the part's place. The result is
/// then appended to the preceding text.
package protocol EventFormatter: ~Copyable, SendableMetatype {
  /// - Parameter temporaryFolder: for text that must be kept and is too large for memory.
  init(layout: FormatLayout, at place: FormatPlace, temporaryFolder: FilePath)
  /// Writes the events in `range`.
  mutating func write(_ batch: EventBatch, _ range: Range<Int>) throws(CofferError)
  /// Appends items formatted by another formatter, which started at this one's place, and writes the finished text to `sink`.
  mutating func append(_ items: borrowing OutputBuffer, to sink: inout some ByteSink) throws(CofferError)
  /// True if appended items are written immediately and unchanged, so that they may also be written without this formatter:
  /// ``skipItems()``.
  static var takesFormattedItems: Bool { get }
  /// Records that items were written after the text written so far.
  mutating func skipItems()
  /// Writes the finished text to `sink` if there is enough of it.
  mutating func drain(to sink: inout some ByteSink) throws(CofferError)
  /// Writes all finished text to `sink`.
  mutating func flush(to sink: inout some ByteSink) throws(CofferError)
  /// The number of bytes not yet written to a sink.
  var byteCount: Int { get }
  /// Returns all of the text, if none has been written to a sink.
  consuming func takeText() -> OutputBuffer
}

/// The layout of formatted text.
package struct FormatLayout: Sendable, Hashable {
  /// The number of spaces per level, with one line for each member and item. If `nil`, there is no white space.
  package let indent: Int?
  /// Ends the line after each root value.
  package let endsLines: Bool
  /// Writes like Apple's `JSONEncoder`: a blank before colons, `\/`, an empty line in empty containers.
  package var isApple = false

  package static let compact = FormatLayout(indent: nil, endsLines: false)
  /// JSON Lines.
  package static let lines = FormatLayout(indent: nil, endsLines: true)
  /// The layout of `JSONEncoder` with `.prettyPrinted`.
  package static let apple = FormatLayout(indent: 2, endsLines: false, isApple: true)
  /// The layout of `kotlinx.serialization` with `prettyPrint`.
  package static let kotlin = FormatLayout(indent: 4, endsLines: false)
  /// - Parameter indent: 0 to 16.
  package static func pretty(indent: Int) -> FormatLayout {
    precondition((0...16).contains(indent), "an indent of \(indent) blanks is out of range")
    return FormatLayout(indent: indent, endsLines: true)
  }
}

/// The place in a text at which a formatter starts.
package struct FormatPlace: Sendable {
  /// The number of open brackets.
  package let depth: Int
  /// True if the innermost bracket is an array's and has a previous item.
  package let isAfterItem: Bool

  package static let start = FormatPlace(depth: 0, isAfterItem: false)

  package init(depth: Int, isAfterItem: Bool) {
    self.depth = depth
    self.isAfterItem = isAfterItem
  }
}

/// Formats events in the document's order.
///
/// Time: a copy of each token. Memory: the text of a batch.
package struct PlainFormatter: EventFormatter, ~Copyable {
  var text: LayoutText

  package init(layout: FormatLayout, at place: FormatPlace) { text = LayoutText(layout, at: place) }

  package init(layout: FormatLayout, at place: FormatPlace, temporaryFolder: FilePath) { self.init(layout: layout, at: place) }

  package mutating func write(_ batch: EventBatch, _ range: Range<Int>) {
    for index in range {
      let event = batch[index]
      let token = batch.token(of: event)
      text.reserve(token)
      switch event.kind {
      case .objectEnd, .arrayEnd: text.putClosing(token)
      case .key:
        if text.isAfterItem { text.putComma() }
        text.putKey(token)
      case .objectStart, .arrayStart: text.putOpening(token)
      case .null, .false, .true, .number, .string: text.putScalar(token)
      }
    }
  }

  package mutating func append(_ items: borrowing OutputBuffer, to sink: inout some ByteSink) throws(CofferError) {
    try flush(to: &sink)
    try sink.write(items.bytes)
    skipItems()
  }

  package static var takesFormattedItems: Bool { true }

  package mutating func skipItems() { text.skipItems() }

  package mutating func drain(to sink: inout some ByteSink) throws(CofferError) {
    // Smaller pieces cost a system call each, larger ones only memory.
    if byteCount >= 64 << 10 { try flush(to: &sink) }
  }

  package mutating func flush(to sink: inout some ByteSink) throws(CofferError) { try text.buffer.flush(to: &sink) }

  package var byteCount: Int { text.buffer.count }

  /// A copy of the text not yet written to a sink.
  package var bytes: [UInt8] { Array(text.buffer.bytes) }

  package consuming func takeText() -> OutputBuffer { text.buffer }
}

/// Tokens from outside a batch: those of values that were kept and changed.
///
/// They must be those of well-formed values, in order; keys and strings include quotes and escapes. Each is followed by 16
/// readable bytes.
extension PlainFormatter {
  @inline(__always)
  package mutating func key(_ token: ByteView) {
    text.reserve(token)
    if text.isAfterItem { text.putComma() }
    text.putKey(token)
  }

  @inline(__always)
  package mutating func scalar(_ token: ByteView) {
    text.reserve(token)
    text.putScalar(token)
  }

  package mutating func beginObject() { open(.object) }
  package mutating func endObject() { close(.objectEnd) }
  package mutating func beginArray() { open(.array) }
  package mutating func endArray() { close(.arrayEnd) }

  private enum Bracket: Int { case object, objectEnd, array, arrayEnd }

  /// Followed by 16 bytes, because tokens are read in blocks.
  private static let brackets: StaticString = "{}[]                "

  @inline(__always)
  private mutating func open(_ bracket: Bracket) {
    let token = Self.token(bracket)
    text.reserve(token)
    text.putOpening(token)
  }

  @inline(__always)
  private mutating func close(_ bracket: Bracket) {
    let token = Self.token(bracket)
    text.reserve(token)
    text.putClosing(token)
  }

  @inline(__always)
  private static func token(_ bracket: Bracket) -> ByteView { ByteView(brackets.utf8Start + bracket.rawValue, count: 1) }
}
