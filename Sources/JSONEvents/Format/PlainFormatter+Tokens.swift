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
