import CIDN2
import JSONEvents

/// Host names.
///
/// ASCII: labels of letters, digits and hyphens (RFC 1123, section 2.1; RFC 952). Labels that begin with `xn--` must be valid in
/// IDNA2008. Unicode: each label is an ASCII label or a U-label (RFC 5890, section 2.3.2.3).
///
///     www.example.org     xn--bcher-kva.example     bücher.example
enum HostName {
  /// Returns true if `text` is a host name. Cost: linear in the text; at most 1024 bytes of it are read.
  ///
  /// - Parameter isMailDomain: true to read labels that are not in NFC as their NFC form, like programs that look up typed names
  ///   (RFC 5891, section 5.2); otherwise, Unicode names may have the full stops that some users type instead of a dot.
  static func accepts(_ text: ByteView, _ repertoire: Repertoire, isMailDomain: Bool = false) -> Bool {
    // A name of 253 octets (RFC 1035, section 3.1, less its root) has at most this many bytes: four for each of its code points.
    guard text.count <= 1024 else { return false }
    var labels: [HostLabel] = []
    var rest: ByteView? = text
    while let text = rest {
      let (end, next) = separator(in: text, isIdeographic: repertoire == .unicode && !isMailDomain)
      guard let label = HostLabel(text.prefix(end), repertoire, normalizes: isMailDomain) else { return false }
      labels.append(label)
      rest = next.map { text.dropFirst($0) }
    }
    // RFC 5893, section 2: one right-to-left label makes the rule apply to all others.
    let hasRightToLeft = labels.contains { $0.direction == .rightToLeft }
    if hasRightToLeft, labels.contains(where: { $0.direction == .unfitBesideRightToLeft }) { return false }
    // RFC 1123, section 2.1: a name never has the form of an address, #.#.#.#.
    if labels.count == 4, labels.allSatisfy(\.isNumber) { return false }
    return labels.reduce(labels.count - 1) { $0 + $1.asciiLength } <= 253
  }

  /// Returns the end of the first label, and the start of the next one, if there is one.
  ///
  /// - Parameter isIdeographic: true if U+3002, U+FF0E and U+FF61 separate labels, too (RFC 3490, section 3.1).
  private static func separator(in text: ByteView, isIdeographic: Bool) -> (end: Int, next: Int?) {
    for index in 0..<text.count {
      let byte = text[index]
      if byte == UInt8(ascii: ".") { return (index, index + 1) }
      if byte >= 0xE0, isIdeographic, index + 3 <= text.count {
        switch (byte, text[index + 1], text[index + 2]) {
        case (0xE3, 0x80, 0x82), (0xEF, 0xBC, 0x8E), (0xEF, 0xBD, 0xA1): return (index, index + 3)
        default: break
        }
      }
    }
    return (text.count, nil)
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
      } else if byte &- UInt8(ascii: "0") < 10 {
        digits += 1
      } else if !Self.isLetter(byte), byte != UInt8(ascii: "-") {
        return nil
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
    direction = Self.isLetter(text[0]) ? .leftToRight : .unfitBesideRightToLeft
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }
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
