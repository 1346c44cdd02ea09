import JSONEvents

/// Walks a text from start to end, taking what a grammar allows.
///
/// Tests past the end return false: a grammar needs no bounds checks.
struct TextCursor {
  let text: ByteView
  private(set) var index = 0

  init(_ text: ByteView) { self.text = text }

  var isAtEnd: Bool { index == text.count }
  var rest: ByteView { text.dropFirst(index) }

  @inline(__always)
  func isNext(_ character: Unicode.Scalar) -> Bool { index < text.count && text[index] == UInt8(ascii: character) }

  @inline(__always)
  func isNext(in set: ASCIISet) -> Bool { index < text.count && set.contains(text[index]) }

  @inline(__always)
  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard isNext(character) else { return false }
    index += 1
    return true
  }

  /// Takes one character of the set.
  @inline(__always)
  mutating func take(in set: ASCIISet) -> Bool {
    guard isNext(in: set) else { return false }
    index += 1
    return true
  }

  /// Takes as many characters of the set as follow, maybe none.
  @discardableResult
  mutating func takeAll(in set: ASCIISet) -> ByteView {
    let start = index
    while isNext(in: set) { index += 1 }
    return text.dropFirst(start).prefix(index - start)
  }

  /// Takes a percent-encoded octet: `%` and two hexadecimal digits (RFC 3986, section 2.1).
  mutating func takePercentEncoded() -> Bool {
    guard index + 2 < text.count, text[index] == UInt8(ascii: "%"),
      ASCIISet.hexadecimalDigits.contains(text[index + 1]), ASCIISet.hexadecimalDigits.contains(text[index + 2])
    else { return false }
    index += 3
    return true
  }

  /// Takes one non-ASCII character that `accepts` allows.
  mutating func takeNonASCII(where accepts: (Unicode.Scalar) -> Bool) -> Bool {
    guard index < text.count, text[index] >= 0x80 else { return false }
    let length = text[index] >= 0xF0 ? 4 : text[index] >= 0xE0 ? 3 : 2
    guard index + length <= text.count else { return false }
    var value = UInt32(text[index]) & (0x7F >> UInt32(length))
    for offset in 1..<length { value = value << 6 | UInt32(text[index + offset] & 0x3F) }
    guard let scalar = Unicode.Scalar(value), accepts(scalar) else { return false }
    index += length
    return true
  }
}

/// A set of ASCII characters for lookup by byte. It contains no byte of a non-ASCII character.
struct ASCIISet: Sendable, BitwiseCopyable {
  private var low: UInt64 = 0
  private var high: UInt64 = 0

  init(_ characters: StaticString) {
    characters.withUTF8Buffer { for byte in $0 { insert(byte) } }
  }

  @inline(__always)
  func contains(_ byte: UInt8) -> Bool {
    byte < 128 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
  }

  func union(_ characters: StaticString) -> ASCIISet {
    var result = self
    characters.withUTF8Buffer { for byte in $0 { result.insert(byte) } }
    return result
  }

  private mutating func insert(_ byte: UInt8) {
    precondition(byte < 128, "not ASCII")
    if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
  }

  static let digits = ASCIISet("0123456789")
  static let hexadecimalDigits = digits.union("abcdefABCDEF")
  static let letters = ASCIISet("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
  static let alphanumerics = letters.union("0123456789")
}

/// The character set of a text: several formats have an internationalized variant.
enum Repertoire: Sendable {
  case ascii, unicode
}
