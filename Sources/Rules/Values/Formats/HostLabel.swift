import JSONEvents

/// One label of a host name: the text between its dots.
struct HostLabel {
  /// The number of octets as ASCII, of its A-label if it has one.
  let asciiLength: Int
  let direction: Direction
  /// True if it has only digits.
  let isNumber: Bool

  /// The class of a label by the Bidi rule (RFC 5893, section 2).
  enum Direction {
    /// Contains letters that are written from right to left; satisfies the rule.
    case rightToLeft
    /// Written from left to right; satisfies the rule.
    case leftToRight
    /// Written from left to right; breaks the rule, which applies only next to a label of the other direction.
    case unfitBesideRightToLeft
  }

  /// Reads `text`. Returns `nil` if it is not a label.
  init?(_ text: ByteView, _ repertoire: Repertoire, normalizes: Bool) {
    // 63 octets as ASCII (RFC 1035, section 2.3.4), so fewer than 63 code points of at most four bytes.
    guard text.count > 0, text.count <= 63 * 4 else { return nil }
    let last = text.count - 1
    guard text[0] != UInt8(ascii: "-"), text[last] != UInt8(ascii: "-") else { return nil }
    var isASCII = true
    var digits = 0
    for index in 0...last {
      let byte = text[index]
      if byte >= 0x80 {
        isASCII = false
      } else if !Self.letterDigitHyphen.contains(byte) {
        return nil
      } else if ASCIISet.digits.contains(byte) {
        digits += 1
      }
    }
    isNumber = digits == text.count
    if !isASCII {
      guard repertoire == .unicode, let label = InternationalLabel(unicode: text, normalizes: normalizes) else { return nil }
      asciiLength = label.asciiLength
      direction = label.direction
      return
    }
    guard text.count <= 63 else { return nil }
    asciiLength = text.count
    let hasHyphens = text.count >= 4 && text[2] == UInt8(ascii: "-") && text[3] == UInt8(ascii: "-")
    if hasHyphens, text[0] | 0x20 == UInt8(ascii: "x"), text[1] | 0x20 == UInt8(ascii: "n") {
      guard let label = InternationalLabel(ascii: text) else { return nil }
      direction = label.direction
      return
    }
    // Reserved by RFC 5890, section 2.3.1, so internationalized names can't have such labels. RFC 1123 allows them, and hosts in
    // use have them.
    if hasHyphens, repertoire == .unicode { return nil }
    direction = ASCIISet.letters.contains(text[0]) ? .leftToRight : .unfitBesideRightToLeft
  }

  private static let letterDigitHyphen = ASCIISet.alphanumerics.union("-")
}
