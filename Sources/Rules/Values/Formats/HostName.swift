import CIDN2
import JSONEvents

/// Host names.
///
/// ASCII: labels of letters, digits and hyphens (RFC 1123, section 2.1; RFC 952). Labels that begin with `xn--` must be valid in
/// IDNA2008. Unicode: each label is an ASCII label or a U-label (RFC 5890, section 2.3.2.3).
///
///     www.example.org     xn--bcher-kva.example     bücher.example
struct HostName {
  var repertoire: Repertoire
  /// The full stops that separate labels in addition to `.`.
  var separators = Separators.ascii
  /// True to read labels that are not in NFC as their NFC form, like programs that look up typed names (RFC 5891, section 5.2).
  var normalizes = false

  enum Separators {
    case ascii
    /// The dot, and U+3002, U+FF0E and U+FF61, which some users type instead of it (RFC 3490, section 3.1).
    case ideographic
  }

  static let ascii = HostName(repertoire: .ascii)
  static let unicode = HostName(repertoire: .unicode, separators: .ideographic)

  /// Returns true if `text` is a host name. Cost: linear in the text; at most 1024 bytes of it are read.
  func accepts(_ text: ByteView) -> Bool {
    // A name of 253 octets (RFC 1035, section 3.1, less its root) has at most this many bytes: four for each of its code points.
    guard text.count <= 1024 else { return false }
    var shape = Shape()
    var start = 0
    while true {
      let (end, next) = separator(text, from: start)
      guard let label = HostLabel(text.dropFirst(start).prefix(end - start), repertoire, normalizes: normalizes) else {
        return false
      }
      shape.add(label)
      guard let next else { return shape.isValid }
      start = next
    }
  }

  /// Returns the end of the label from `start`, and the start of the next label, if there is one.
  private func separator(_ text: ByteView, from start: Int) -> (end: Int, next: Int?) {
    var index = start
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: ".") { return (index, index + 1) }
      if byte >= 0xE0, separators == .ideographic, index + 3 <= text.count {
        switch (byte, text[index + 1], text[index + 2]) {
        case (0xE3, 0x80, 0x82), (0xEF, 0xBC, 0x8E), (0xEF, 0xBD, 0xA1): return (index, index + 3)
        default: break
        }
      }
      index += 1
    }
    return (index, nil)
  }

  /// The conditions for all labels together.
  private struct Shape {
    var labels = 0
    var numbers = 0
    /// The length, including a dot after each label.
    var length = 0
    var hasRightToLeft = false
    var hasUnfitBesideRightToLeft = false

    mutating func add(_ label: HostLabel) {
      labels += 1
      numbers += label.isNumber ? 1 : 0
      length += label.asciiLength + 1
      hasRightToLeft = hasRightToLeft || label.direction == .rightToLeft
      hasUnfitBesideRightToLeft = hasUnfitBesideRightToLeft || label.direction == .unfitBesideRightToLeft
    }

    var isValid: Bool {
      // RFC 5893, section 2: one right-to-left label makes the rule apply to all others.
      if hasRightToLeft, hasUnfitBesideRightToLeft { return false }
      // RFC 1123, section 2.1: a name never has the form of an address, #.#.#.#.
      return length - 1 <= 253 && !(labels == 4 && numbers == 4)
    }
  }
}

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

/// A label of IDNA2008, validated by libidn2's registration (RFC 5891, section 4).
///
/// Registration is the strict protocol: NFC, no `--` in the third and fourth place, no hyphen or combining mark at a forbidden
/// end, no code point that RFC 5892 disallows or does not know, its contextual rules (appendix A), and the Bidi rule within the
/// label. Lookup, the common use of libidn2, would map and tolerate.
///
/// libidn2 checks one label at a time and misses two cases of the Bidi rule: ``direction`` adds them.
struct InternationalLabel {
  /// The length of its A-label.
  let asciiLength: Int
  let direction: HostLabel.Direction

  /// Reads a U-label. `text` is at most 252 bytes of UTF-8 without NUL.
  ///
  /// - Parameter normalizes: reads the NFC form of the text.
  init?(unicode text: ByteView, normalizes: Bool) {
    var registered: UnsafeMutablePointer<UInt8>?
    defer { idn2_free(registered) }
    let result = text.withTerminated { idn2_register_u8($0, nil, &registered, normalizes ? Int32(IDN2_NFC_INPUT.rawValue) : 0) }
    guard result == IDN2_OK.rawValue, let registered, let direction = Self.direction(of: text.string.unicodeScalars) else {
      return nil
    }
    asciiLength = String(cString: registered).utf8.count
    self.direction = direction
  }

  /// Reads an A-label: it must decode to a U-label that encodes to the same A-label again. `text` is at most 63 bytes of ASCII.
  init?(ascii text: ByteView) {
    var decoded: UnsafeMutablePointer<CChar>?
    defer { idn2_free(decoded) }
    // Host names are case-insensitive (RFC 4343), but libidn2 compares octets.
    let isValid = text.withTerminated(lowercased: true) { bytes in
      guard idn2_register_u8(nil, bytes, nil, 0) == IDN2_OK.rawValue else { return false }
      return bytes.withMemoryRebound(to: CChar.self, capacity: text.count + 1) {
        idn2_to_unicode_8z8z($0, &decoded, 0) == IDN2_OK.rawValue
      }
    }
    guard isValid, let decoded, let direction = Self.direction(of: String(cString: decoded).unicodeScalars) else { return nil }
    asciiLength = text.count
    self.direction = direction
  }

  /// Returns the result of the Bidi rule (RFC 5893, section 2) for a label that libidn2 has accepted: so if it contains any
  /// right-to-left letter, it begins with one. `nil` if it breaks the rule after all.
  private static func direction(of label: String.UnicodeScalarView) -> HostLabel.Direction? {
    guard let first = label.first, let last = label.last(where: { $0.properties.generalCategory != .nonspacingMark }) else {
      return nil
    }
    if isRightToLeft(first) {
      // Conditions 3 and 4. libidn2 2.3.3 accepts a neutral character followed by marks at the end, and digits of both kinds in
      // one label.
      let mixesDigits = label.contains(where: isEuropeanDigit) && label.contains(where: isArabicDigit)
      return isNeutral(last) || mixesDigits ? nil : .rightToLeft
    }
    // Conditions 1 and 6: begins with a letter; ends with a letter or a digit.
    return isEuropeanDigit(first) || isNeutral(first) || isNeutral(last) ? .unfitBesideRightToLeft : .leftToRight
  }

  /// Returns true if a code point that may begin a label has the Bidi class R or AL: these blocks contain no others (Unicode
  /// Standard Annex #44, DerivedBidiClass), except the digits below.
  private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: !isEuropeanDigit(scalar)
    default: false
    }
  }

  /// Returns true if a code point of a label has the Bidi class EN.
  private static func isEuropeanDigit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x30...0x39, 0x06F0...0x06F9: true
    default: false
    }
  }

  /// Returns true if a code point of a label has the Bidi class AN.
  private static func isArabicDigit(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0660...0x0669, 0x10D30...0x10D39: true
    default: false
    }
  }

  /// Returns true if a code point of a label has the Bidi class ES, ON or BN: the few that IDNA2008 does not disallow.
  private static func isNeutral(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x2D, 0xB7, 0x02B9...0x02BA, 0x02C6...0x02CF, 0x02EC, 0x0375, 0x200C...0x200D, 0x2E2F, 0x30FB, 0xA67F, 0xA717...0xA71F,
      0xA788:
      true
    default: false
    }
  }
}

extension ByteView {
  /// Calls `body` with the bytes and a terminating NUL, for C.
  fileprivate func withTerminated<R>(lowercased: Bool = false, _ body: (UnsafePointer<UInt8>) -> R) -> R {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 1) { bytes in
      for index in 0..<count {
        let byte = self[index]
        bytes.initializeElement(at: index, to: lowercased && byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte)
      }
      bytes.initializeElement(at: count, to: 0)
      guard let start = bytes.baseAddress else { preconditionFailure("a capacity of one byte or more") }
      return body(UnsafePointer(start))
    }
  }
}

/// Mail addresses: `Mailbox` of RFC 5321, section 4.1.2, and its extension by RFC 6531, section 3.3.
///
///     joe.bloggs@example.com
///     "joe bloggs"@example.com
///     joe.bloggs@[IPv6:2001:db8::1]
///
/// Cost: linear in the text.
enum Mailbox {
  static func accepts(_ text: ByteView, _ repertoire: Repertoire) -> Bool {
    var cursor = TextCursor(text)
    guard cursor.isNext("\"") ? takeQuoted(&cursor, repertoire) : takeDotted(&cursor, repertoire),
      // Section 4.5.3.1.1.
      cursor.index <= 64, cursor.take("@")
    else { return false }
    if cursor.isNext("[") { return isAddressLiteral(cursor.rest) }
    // RFC 6531 allows any UTF-8; the name is looked up in NFC.
    return HostName(repertoire: repertoire, normalizes: true).accepts(cursor.rest)
  }

  /// `Dot-string`: atoms separated by dots.
  private static func takeDotted(_ cursor: inout TextCursor, _ repertoire: Repertoire) -> Bool {
    repeat {
      guard takeOne(&cursor, in: atom, repertoire) else { return false }
      while takeOne(&cursor, in: atom, repertoire) {}
    } while cursor.take(".")
    return true
  }

  /// `Quoted-string`: printable characters, with a backslash before quotation marks and backslashes.
  private static func takeQuoted(_ cursor: inout TextCursor, _ repertoire: Repertoire) -> Bool {
    guard cursor.take("\"") else { return false }
    while !cursor.take("\"") {
      guard cursor.take("\\") ? cursor.take(in: printable) : takeOne(&cursor, in: quotable, repertoire) else { return false }
    }
    return true
  }

  private static func takeOne(_ cursor: inout TextCursor, in set: ASCIISet, _ repertoire: Repertoire) -> Bool {
    cursor.take(in: set) || repertoire == .unicode && cursor.takeNonASCII { _ in true }
  }

  /// `address-literal` (section 4.1.3): an IPv4 address, or an IPv6 one after `IPv6:`, the only tag ever registered.
  private static func isAddressLiteral(_ text: ByteView) -> Bool {
    var cursor = TextCursor(text)
    guard cursor.take("[") else { return false }
    let address = cursor.takeAll(in: addressCharacters)
    guard cursor.take("]"), cursor.isAtEnd else { return false }
    guard address.prefix(5).string.lowercased() == "ipv6:" else { return IPAddressText.isIPv4(address) }
    // `::` replaces at least two groups.
    return IPAddressText.isIPv6(address.dropFirst(5), eliding: 2)
  }

  private static let atom = ASCIISet.alphanumerics.union("!#$%&'*+-/=?^_`{|}~")
  private static let printable = ASCIISet.alphanumerics.union(" !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
  private static let quotable = ASCIISet.alphanumerics.union(" !#$%&'()*+,-./:;<=>?@[]^_`{|}~")
  private static let addressCharacters = ASCIISet.alphanumerics.union(":.")
}
