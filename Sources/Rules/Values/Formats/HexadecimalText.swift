import JSONEvents

/// Texts of hexadecimal digits in fixed places.
enum HexadecimalText {
  /// A UUID: 8-4-4-4-12 digits of either case (RFC 9562, section 4).
  static func isUUID(_ text: ByteView) -> Bool {
    guard text.count == 36 else { return false }
    for index in 0..<36 {
      let byte = text[index]
      if index == 8 || index == 13 || index == 18 || index == 23 {
        if byte != UInt8(ascii: "-") { return false }
      } else if !isDigit(byte) {
        return false
      }
    }
    return true
  }

  /// A colour: `#RRGGBB`, digits of either case.
  ///
  /// That is what the apps whose backups hold colours write, and all that each of them reads: the short forms are shown as grey by one,
  /// and eight digits have their alpha in front on some platforms and behind on others.
  static func isColor(_ text: ByteView) -> Bool {
    guard text.count == 7, text[0] == UInt8(ascii: "#") else { return false }
    for index in 1..<7 where !isDigit(text[index]) { return false }
    return true
  }

  @inline(__always)
  private static func isDigit(_ byte: UInt8) -> Bool {
    byte &- 48 < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
  }
}
