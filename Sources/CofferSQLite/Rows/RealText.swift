import JSONEvents
import Rules

/// Numbers in columns of the type REAL, which SQLite sorts and adds, and their text.
///
///     9.5    0.05    -12      plain: the column's value gives the text again
///     9.50   1e3     1e400    the column has the nearest double, `coffer_extra` the text
///
/// A plain number has at most 15 significant digits, so no other plain number has the same double. Its fraction, if any, doesn't end
/// in zero, and it has no exponent.
enum RealText {
  private static let digitLimit = 15
  /// Those that are exact. A quotient of two exact numbers is rounded once: it is the nearest double.
  private static let powers = (0...22).map { exponent in (0..<exponent).reduce(1.0) { power, _ in power * 10 } }

  /// Returns the double of a plain number, or `nil` for other texts.
  static func value(ofPlain text: ByteView) -> Double? {
    let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
    var digits: Int64 = 0
    var digitCount = 0
    var point: Int?
    for index in (isNegative ? 1 : 0)..<text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "."), point == nil {
        point = index
        continue
      }
      guard (0x30...0x39).contains(byte) else { return nil }
      digits = digits &* 10 &+ Int64(byte &- 0x30)
      if digits > 0 { digitCount += 1 }
      if digitCount > digitLimit { return nil }
    }
    let fractionCount = point.map { text.count - 1 - $0 } ?? 0
    guard fractionCount < powers.count, digits > 0 || !isNegative && point == nil else { return nil }
    if point != nil, text[text.count - 1] == UInt8(ascii: "0") { return nil }
    let value = Double(digits) / powers[fractionCount]
    return isNegative ? -value : value
  }

  /// Appends the text of a double: that of the plain number, if it is one's.
  ///
  /// - Returns: false if the value is not a number, or infinite.
  static func append(_ value: Double, to text: inout ByteBuffer) -> Bool {
    guard value.isFinite else { return false }
    // Most numbers: a short cut.
    if value == value.rounded(), abs(value) < 1e15, value != 0 || value.sign == .plus {
      text.append(decimal: Int64(value))
      return true
    }
    let shortest = value.description
    if let plain = plain(shortest) { text.append(plain.utf8) } else { text.append(shortest.utf8) }
    return true
  }

  /// `1.5e-07` ─▶ `0.00000015`; `nil` if the text has no exponent, or the number is not a plain one.
  private static func plain(_ text: String) -> String? {
    guard let decimal = ExactDecimal(text), text.contains("e"), decimal.exponent < 0, decimal.exponent > -powers.count,
      decimal.digits.count <= digitLimit, decimal.digits.count + decimal.exponent <= 0
    else { return nil }
    let zeros = String(repeating: "0", count: -decimal.exponent - decimal.digits.count)
    return (decimal.isNegative ? "-0." : "0.") + zeros + decimal.digits.map(String.init).joined()
  }
}
