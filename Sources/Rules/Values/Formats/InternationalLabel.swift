import CIDN2
import JSONEvents

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
