package import ByteStreams
package import SystemPackage

/// Writes events as JSON text with the document's own tokens: only the layout changes.
///
/// Numbers keep their digits and strings their escapes, so formatting costs little more than copying; `JSONEventWriter` makes
/// tokens from values. The events must be those of well-formed values, in order.
///
/// A part of a document can be formatted separately, on any thread, by a formatter that starts at the part's place. The result is
/// then appended to the preceding text.
package protocol EventFormatter: ~Copyable, SendableMetatype {
  /// - Parameter temporaryFolder: for text that must be kept and is too large for memory.
  init(layout: FormatLayout, at place: FormatPlace, temporaryFolder: FilePath)
  /// Writes the events in `range`.
  mutating func write(_ batch: EventBatch, _ range: Range<Int>) throws(CofferError)
  /// Appends items formatted by another formatter, which started at this one's place, and writes the finished text to `sink`.
  mutating func append(_ items: borrowing ByteBuffer, to sink: inout some ByteSink) throws(CofferError)
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
  consuming func takeText() -> ByteBuffer
}

/// The layout of a document's text. Only white space and the escapes of slashes depend on it.
public struct FormatLayout: Sendable, Hashable {
  /// The number of spaces per level, with one line for each member and item. If `nil`, there is no white space.
  let indent: Int?
  /// Ends the line after each root value.
  let endsLines: Bool
  var hasBlankBeforeColon = false
  /// Writes `\/`.
  var escapesSlashes = false
  /// Writes an empty line in empty containers.
  var opensEmptyContainers = false

  /// No white space.
  public static let compact = FormatLayout(indent: nil, endsLines: false)
  /// JSON Lines: an array's items, each compact and on its own line.
  public static let lines = FormatLayout(indent: nil, endsLines: true)
  /// The layout of Apple's `JSONEncoder` with `.prettyPrinted`: without a line break at the end.
  public static let apple = FormatLayout(
    indent: 2, endsLines: false, hasBlankBeforeColon: true, escapesSlashes: true, opensEmptyContainers: true)
  /// The layout of `kotlinx.serialization` with `prettyPrint`: without a line break at the end.
  public static let kotlin = FormatLayout(indent: 4, endsLines: false)
  /// One member or item per line, indented by `indent` blanks (0 to 16) per level, with a line break at the end.
  public static func pretty(indent: Int) -> FormatLayout {
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
/// Tokens may also come from outside of a batch: those of values that were kept and changed. All must be those of well-formed
/// values, in order; keys and strings include quotes and escapes. Each is followed by 16 readable bytes.
///
/// Time: a copy of each token. Memory: the text of a batch.
package struct PlainFormatter: EventFormatter, ~Copyable {
  let layout: FormatLayout
  var buffer = ByteBuffer()
  /// The number of open brackets.
  private(set) var depth: Int
  private(set) var last: Last

  /// The kind of the last token, as far as it affects the next one. At the start it is a bracket.
  enum Last { case bracket, key, value }

  package init(layout: FormatLayout, at place: FormatPlace, temporaryFolder: FilePath) { self.init(layout: layout, at: place) }

  package init(layout: FormatLayout, at place: FormatPlace) {
    self.layout = layout
    depth = place.depth
    last = place.isAfterItem ? .value : .bracket
  }

  package mutating func write(_ batch: EventBatch, _ range: Range<Int>) {
    for index in range {
      let event = batch[index]
      switch event.kind {
      case .key: key(batch.token(of: event))
      case .objectStart: beginObject()
      case .arrayStart: beginArray()
      case .objectEnd: endObject()
      case .arrayEnd: endArray()
      case .null, .false, .true, .number, .string: scalar(batch.token(of: event))
      }
    }
  }

  // MARK: Tokens

  @inline(__always)
  package mutating func key(_ token: ByteView) {
    reserve(token.count)
    if last == .value { buffer.put(UInt8(ascii: ",")) }
    putKey(token)
  }

  @inline(__always)
  package mutating func scalar(_ token: ByteView) {
    reserve(token.count)
    separate()
    put(token)
    endValue()
  }

  package mutating func beginObject() { open(UInt8(ascii: "{")) }
  package mutating func endObject() { close(UInt8(ascii: "}")) }
  package mutating func beginArray() { open(UInt8(ascii: "[")) }
  package mutating func endArray() { close(UInt8(ascii: "]")) }

  @inline(__always)
  private mutating func open(_ bracket: UInt8) {
    reserve(1)
    separate()
    buffer.put(bracket)
    depth += 1
    last = .bracket
  }

  @inline(__always)
  private mutating func close(_ bracket: UInt8) {
    reserve(1)
    depth -= 1
    if last != .bracket {
      breakLine()
    } else if layout.opensEmptyContainers {
      buffer.put(UInt8(ascii: "\n"))
      breakLine()
    }
    buffer.put(bracket)
    endValue()
  }

  // MARK: Parts of tokens

  /// Reserves room for a token and the characters around it.
  @inline(__always)
  mutating func reserve(_ length: Int) { buffer.reserve(length + depth * (layout.indent ?? 0) + 8) }

  /// Writes a key, for which room was reserved; any comma before it has been written.
  @inline(__always)
  mutating func putKey(_ token: ByteView) {
    breakLine()
    put(token)
    endKey()
  }

  @inline(__always)
  private mutating func put(_ token: ByteView) {
    if layout.escapesSlashes { putEscapingSlashes(token) } else { buffer.put(padded: token) }
  }

  /// Adds a reverse solidus before each slash that the document's token does not escape already.
  @inline(never)
  private mutating func putEscapingSlashes(_ token: ByteView) {
    buffer.reserve(2 * token.count + 8)
    token.withUnsafeBytes { bytes in
      var isEscaped = false
      for byte in bytes {
        if byte == UInt8(ascii: "/"), !isEscaped { buffer.put(UInt8(ascii: "\\")) }
        buffer.put(byte)
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
      }
    }
  }

  /// Writes the separator before a value: none after a key or at the root.
  @inline(__always)
  mutating func separate() {
    guard last != .key, depth > 0 else { return }
    if last == .value { buffer.put(UInt8(ascii: ",")) }
    breakLine()
  }

  @inline(__always)
  mutating func breakLine() {
    if let indent = layout.indent { buffer.putLineBreak(blanks: depth * indent) }
  }

  @inline(__always)
  mutating func endKey() {
    if layout.hasBlankBeforeColon { buffer.put(UInt8(ascii: " ")) }
    buffer.put(UInt8(ascii: ":"))
    if layout.indent != nil { buffer.put(UInt8(ascii: " ")) }
    last = .key
  }

  @inline(__always)
  mutating func endValue() {
    last = .value
    if depth == 0, layout.endsLines { buffer.put(UInt8(ascii: "\n")) }
  }

  // MARK: Handing over

  package mutating func append(_ items: borrowing ByteBuffer, to sink: inout some ByteSink) throws(CofferError) {
    try flush(to: &sink)
    try sink.write(items.bytes)
    skipItems()
  }

  package static var takesFormattedItems: Bool { true }

  package mutating func skipItems() { last = .value }

  package mutating func drain(to sink: inout some ByteSink) throws(CofferError) {
    // Smaller pieces cost a system call each, larger ones only memory.
    if byteCount >= 64 << 10 { try flush(to: &sink) }
  }

  package mutating func flush(to sink: inout some ByteSink) throws(CofferError) { try buffer.flush(to: &sink) }

  package var byteCount: Int { buffer.count }

  /// A copy of the text not yet written to a sink.
  package var bytes: [UInt8] { buffer.view.array }

  package consuming func takeText() -> ByteBuffer { buffer }
}
