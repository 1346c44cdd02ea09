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
