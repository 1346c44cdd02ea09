import JSONEvents

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
