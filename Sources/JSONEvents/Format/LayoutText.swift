/// Text in one layout: tokens and the characters between them.
///
/// The tokens must be those of well-formed values, in order; nothing else is required of them.
struct LayoutText: ~Copyable {
  let layout: FormatLayout
  var buffer = OutputBuffer()
  /// The number of open brackets.
  private var depth: Int
  private var last: Last

  /// The kind of the last token, as far as it affects the next one.
  private enum Last { case bracket, key, value }

  init(_ layout: FormatLayout, at place: FormatPlace) {
    self.layout = layout
    depth = place.depth
    last = place.isAfterItem ? .value : .bracket
  }

  /// True if the innermost container has a previous member or item.
  @inline(__always)
  var isAfterItem: Bool { last == .value }

  /// Records that something was written after this text.
  mutating func skipItems() { last = .value }

  /// Reserves room for one more token and the characters around it.
  @inline(__always)
  mutating func reserve(_ token: ByteView) { buffer.reserve(token.count + depth * (layout.indent ?? 0) + 8) }

  /// Writes a comma after a member.
  @inline(__always)
  mutating func putComma() { buffer.put(UInt8(ascii: ",")) }

  /// Writes a key; any comma before it has been written.
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
