import JSONEvents

/// Pointers into JSON documents, as text.
enum PointerText {
  /// Returns true for a JSON Pointer (RFC 6901, section 3): empty, or tokens with a `/` before each; `~` occurs only in `~0` and
  /// `~1`.
  static func isPointer(_ text: ByteView) -> Bool {
    guard text.count > 0 else { return true }
    guard text[0] == UInt8(ascii: "/") else { return false }
    var index = 1
    while index < text.count {
      if text[index] == UInt8(ascii: "~") {
        index += 1
        guard index < text.count, text[index] == UInt8(ascii: "0") || text[index] == UInt8(ascii: "1") else { return false }
      }
      index += 1
    }
    return true
  }

  /// Returns true for a relative JSON Pointer (draft-bhutton-relative-json-pointer-00, section 3).
  ///
  ///     2-1/name    two levels up, to the item before that, then down by a pointer
  ///     0#          the key or index of the place itself
  static func isRelativePointer(_ text: ByteView) -> Bool {
    var cursor = TextCursor(text)
    guard takeNumber(&cursor) else { return false }
    // The draft's examples also move the index before a `#`, which its grammar omits.
    if cursor.take(in: signs), !takeNumber(&cursor) { return false }
    if cursor.take("#") { return cursor.isAtEnd }
    return isPointer(cursor.rest)
  }

  /// Takes digits without a leading zero.
  private static func takeNumber(_ cursor: inout TextCursor) -> Bool {
    if cursor.take("0") { return !cursor.isNext(in: .digits) }
    return cursor.takeAll(in: .digits).count > 0
  }

  private static let signs = ASCIISet("+-")
}
