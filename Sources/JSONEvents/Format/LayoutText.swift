/// Text in one layout: tokens, and what has to stand between them.
///
/// It asks nothing of the tokens but that they are those of well-formed values, in their order.
struct LayoutText: ~Copyable {
  let layout: FormatLayout
  var buffer = OutputBuffer()
  /// How many brackets are open.
  private var depth: Int
  private var last: Last

  /// What the last token was, as far as what follows must know.
  private enum Last { case bracket, key, value }

  init(_ layout: FormatLayout, at place: FormatPlace) {
    self.layout = layout
    depth = place.depth
    last = place.isBehindItem ? .value : .bracket
  }

  /// Whether a member or an item stands before in the innermost container.
  @inline(__always)
  var isBehindItem: Bool { last == .value }

  /// Something was written behind all that is here.
  mutating func skipItems() { last = .value }

  /// Has room for one more token and what stands around it.
  @inline(__always)
  mutating func reserve(_ token: ByteView) { buffer.reserve(token.count + depth * (layout.indent ?? 0) + 8) }

  /// A comma behind a member.
  @inline(__always)
  mutating func putComma() { buffer.put(UInt8(ascii: ",")) }

  /// A key, behind the comma if there has to be one.
  @inline(__always)
  mutating func putKey(_ token: ByteView) {
    breakLine()
    put(token)
    if layout.isApple { buffer.put(UInt8(ascii: " ")) }
    buffer.put(UInt8(ascii: ":"))
    if layout.indent != nil { buffer.put(UInt8(ascii: " ")) }
    last = .key
  }

  @inline(__always)
  mutating func putScalar(_ token: ByteView) {
    separate()
    put(token)
    endValue()
  }

  @inline(__always)
  mutating func putOpening(_ bracket: ByteView) {
    separate()
    buffer.put(padded: bracket)
    depth += 1
    last = .bracket
  }

  @inline(__always)
  mutating func putClosing(_ bracket: ByteView) {
    depth -= 1
    if last != .bracket {
      breakLine()
    } else if layout.isApple {
      buffer.put(UInt8(ascii: "\n"))
      breakLine()
    }
    buffer.put(padded: bracket)
    endValue()
  }

  @inline(__always)
  private mutating func put(_ token: ByteView) {
    if layout.isApple { putEscapingSlashes(token) } else { buffer.put(padded: token) }
  }

  /// A slash has a reverse solidus before it, unless the document's token has one already.
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

  /// What stands before a value: nothing behind a key or at the root.
  @inline(__always)
  private mutating func separate() {
    guard last != .key, depth > 0 else { return }
    if last == .value { putComma() }
    breakLine()
  }

  @inline(__always)
  private mutating func breakLine() {
    if let indent = layout.indent { buffer.putLineBreak(blanks: depth * indent) }
  }

  @inline(__always)
  private mutating func endValue() {
    last = .value
    if depth == 0, layout.endsLines { buffer.put(UInt8(ascii: "\n")) }
  }
}
