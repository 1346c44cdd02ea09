import JSONEvents

/// Colours, as hexadecimal digits.
enum ColorText {
  /// A colour: `#RRGGBB`, digits of either case.
  ///
  /// That is what the apps whose backups hold colours write, and all that each of them reads: the short forms are shown as grey by one,
  /// and eight digits have their alpha in front on some platforms and behind on others.
  static func isColor(_ text: ByteView) -> Bool {
    guard text.count == 7, text[0] == UInt8(ascii: "#") else { return false }
    return (1..<7).allSatisfy { text[$0] &- 48 < 10 || (text[$0] | 0x20) &- UInt8(ascii: "a") < 6 }
  }
}
