import JSONEvents

/// Internet Protocol addresses as text.
enum IPAddressText {
  /// Returns true for four decimal numbers of 0 to 255 (RFC 2673, section 3.2), without leading zeros, which some readers take as
  /// octal.
  static func isIPv4(_ text: ByteView) -> Bool {
    guard text.count >= 7, text.count <= 15 else { return false }
    var cursor = TextCursor(text)
    for place in 0..<4 {
      if place > 0, !cursor.take(".") { return false }
      guard takeOctet(&cursor) else { return false }
    }
    return cursor.isAtEnd
  }

  private static func takeOctet(_ cursor: inout TextCursor) -> Bool {
    let digits = cursor.takeAll(in: .digits)
    guard digits.count >= 1, digits.count <= 3, digits.count == 1 || digits[0] != 48 else { return false }
    return digits.number < 256
  }

  /// Returns true for eight groups of up to four hexadecimal digits (RFC 4291, section 2.2), without a zone.
  ///
  ///     2001:db8:0:0:8:800:200c:417a
  ///     2001:db8::8:800:200c:417a       `::` once, for groups of zeros
  ///     ::ffff:192.0.2.33               the last two groups as an IPv4 address
  ///
  /// - Parameter elided: the minimum number of groups that `::` must replace.
  static func isIPv6(_ text: ByteView, eliding elided: Int = 1) -> Bool {
    guard text.count >= 2, text.count <= 45 else { return false }
    var cursor = TextCursor(text)
    var groups = 0
    var isElided = false
    if cursor.take(":") {
      guard cursor.take(":") else { return false }
      isElided = true
    }
    while !cursor.isAtEnd {
      let rest = cursor.rest
      let length = cursor.takeAll(in: .hexadecimalDigits).count
      if cursor.isNext(".") {
        guard isIPv4(rest) else { return false }
        groups += 2
        break
      }
      guard length >= 1, length <= 4 else { return false }
      groups += 1
      if cursor.isAtEnd { break }
      guard cursor.take(":") else { return false }
      if cursor.take(":") {
        guard !isElided else { return false }
        isElided = true
      } else if cursor.isAtEnd {
        return false
      }
    }
    return isElided ? groups + elided <= 8 : groups == 8
  }
}

extension ByteView {
  /// The value of a few decimal digits.
  fileprivate var number: Int {
    var result = 0
    for index in 0..<count { result = result * 10 + Int(self[index] &- 48) }
    return result
  }
}
