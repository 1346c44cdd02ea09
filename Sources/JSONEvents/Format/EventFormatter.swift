package import ByteStreams

/// Writes events as JSON text, each token as the document spells it: what changes is the layout, and nothing else.
///
/// So numbers keep their digits and strings their escapes, and formatting costs little more than copying; `JSONEventWriter`, which makes tokens of
/// values, takes three times as long. The events must be those of well-formed values, in their order.
///
/// A part of a document is formatted by itself, on whatever thread, by a formatter that starts at the part's place, and appended to what came before.
package protocol EventFormatter: ~Copyable, SendableMetatype {
  init(layout: FormatLayout, at place: FormatPlace)
  /// Takes the events at `range`.
  mutating func write(_ batch: EventBatch, _ range: Range<Int>) throws(ByteStreamError)
  /// Takes the items that another formatter has formatted, which started at this one's place, and hands over what is finished.
  mutating func append(_ items: borrowing OutputBuffer, to sink: inout some ByteSink) throws(ByteStreamError)
  /// Whether items that are appended go on at once as they are, so that they may as well be written without it: ``skipItems()``.
  static var handsOnItems: Bool { get }
  /// Items were written behind all that has been handed over.
  mutating func skipItems()
  /// Hands over what is finished, once it is worth it.
  mutating func drain(to sink: inout some ByteSink) throws(ByteStreamError)
  /// Hands over all of what is finished.
  mutating func flush(to sink: inout some ByteSink) throws(ByteStreamError)
  /// How much text there is that has not been handed over.
  var byteCount: Int { get }
  /// All of the text, if none has been handed over.
  consuming func takeText() -> OutputBuffer
}

/// How text is laid out.
package struct FormatLayout: Sendable, Hashable {
  /// Blanks a level, a line for each member and item; `nil`: no blanks at all.
  package let indent: Int?
  /// Ends a line behind each value that stands in no other.
  package let endsLines: Bool
  /// Writes as Apple's `JSONEncoder` does: a blank before colons, `\/`, an empty line in empty containers.
  package var isApple = false

  package static let compact = FormatLayout(indent: nil, endsLines: false)
  /// JSON Lines.
  package static let lines = FormatLayout(indent: nil, endsLines: true)
  /// As `JSONEncoder` with `.prettyPrinted` writes it.
  package static let apple = FormatLayout(indent: 2, endsLines: false, isApple: true)
  /// As `kotlinx.serialization` with `prettyPrint` writes it.
  package static let kotlin = FormatLayout(indent: 4, endsLines: false)
  /// - Parameter indent: 0 to 16.
  package static func pretty(indent: Int) -> FormatLayout {
    precondition((0...16).contains(indent), "an indent of \(indent) blanks")
    return FormatLayout(indent: indent, endsLines: true)
  }
}

/// Where in a text a formatter starts.
package struct FormatPlace: Sendable {
  /// How many brackets are open.
  package let depth: Int
  /// Whether an item stands before in the innermost of them, which is an array's.
  package let isBehindItem: Bool

  package static let start = FormatPlace(depth: 0, isBehindItem: false)

  package init(depth: Int, isBehindItem: Bool) {
    self.depth = depth
    self.isBehindItem = isBehindItem
  }
}
