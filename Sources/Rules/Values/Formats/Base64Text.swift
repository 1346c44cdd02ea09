import JSONEvents

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
