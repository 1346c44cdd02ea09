import CByteScan
import JSONEvents

/// A UUID as text: 8-4-4-4-12 hexadecimal digits (RFC 9562, section 4).
struct UUIDText {
  /// The sixteen bytes of the UUID, the first one in the highest byte.
  let high: UInt64
  let low: UInt64
  private let letters: CInt

  init?(_ text: ByteView) {
    guard text.count == 36 else { return nil }
    var (high, low): (UInt64, UInt64) = (0, 0)
    let letters = text.withUnsafeBytes { coffer_read_uuid($0.baseAddress, &high, &low) }
    if letters < 0 { return nil }
    (self.high, self.low, self.letters) = (high, low, letters)
  }

  var hasCapitals: Bool { letters & CInt(COFFER_UUID_CAPITALS) != 0 }
  var hasSmallLetters: Bool { letters & CInt(COFFER_UUID_SMALL_LETTERS) != 0 }
}

/// Colours, as hexadecimal digits.
enum ColorText {
  /// Returns true for a colour: `#RRGGBB`, digits of either case.
  ///
  /// The apps whose backups contain colours write this form, and it is the only one that they all read: one of them shows the
  /// short forms as grey, and in eight digits the alpha comes first on some platforms and last on others.
  static func isColor(_ text: ByteView) -> Bool {
    guard text.count == 7, text[0] == UInt8(ascii: "#") else { return false }
    return (1..<7).allSatisfy { text[$0] &- 48 < 10 || (text[$0] | 0x20) &- UInt8(ascii: "a") < 6 }
  }
}

/// Base64 text in the alphabet of RFC 4648, section 4: groups of four characters, the last one padded.
enum Base64Text {
  static func accepts(_ text: ByteView) -> Bool {
    guard text.count % 4 == 0 else { return false }
    var end = text.count
    while end > 0, text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
    for index in 0..<end where !isInAlphabet(text[index]) { return false }
    return true
  }

  private static func isInAlphabet(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: "/")
  }
}

/// A duration (RFC 3339, appendix A).
///
///     P1Y2M3DT4H5M6S    a unit is followed by the next smaller one or none: P1Y2D and PT1H2S are invalid
///     P2W               weeks can't be combined
///
/// Numbers are whole. By the appendix's ABNF (RFC 5234, section 2.3), letters may have either case.
enum DurationText {
  static func accepts(_ text: ByteView) -> Bool {
    var cursor = TextCursor(text)
    guard cursor.take(in: duration) else { return false }
    if cursor.isNext(in: time) { return takeTime(&cursor) && cursor.isAtEnd }
    guard cursor.takeAll(in: .digits).count > 0 else { return false }
    if cursor.take(in: weeks) { return cursor.isAtEnd }
    guard takeUnits([years, months, days], &cursor) else { return false }
    return cursor.isAtEnd || takeTime(&cursor) && cursor.isAtEnd
  }

  private static func takeTime(_ cursor: inout TextCursor) -> Bool {
    cursor.take(in: time) && cursor.takeAll(in: .digits).count > 0 && takeUnits([hours, minutes, seconds], &cursor)
  }

  /// Takes units after the digits of the first one: any of `units`, then as many of the following ones as there are, without
  /// gaps.
  private static func takeUnits(_ units: [ASCIISet], _ cursor: inout TextCursor) -> Bool {
    guard var place = units.firstIndex(where: { cursor.isNext(in: $0) }) else { return false }
    while cursor.take(in: units[place]) {
      guard cursor.takeAll(in: .digits).count > 0 else { return true }
      place += 1
      if place == units.count { return false }
    }
    return false
  }

  private static let duration = ASCIISet("Pp")
  private static let time = ASCIISet("Tt")
  private static let weeks = ASCIISet("Ww")
  private static let years = ASCIISet("Yy")
  private static let months = ASCIISet("Mm")
  private static let days = ASCIISet("Dd")
  private static let hours = ASCIISet("Hh")
  private static let minutes = ASCIISet("Mm")
  private static let seconds = ASCIISet("Ss")
}
