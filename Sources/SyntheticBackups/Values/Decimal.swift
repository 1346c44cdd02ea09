/// A number with two places behind the point, not negative, kept as a whole number.
struct Decimal: Sendable {
  var hundredths: Int

  init(hundredths: Int) { self.hundredths = hundredths }

  static let zero = Decimal(hundredths: 0)

  /// As Apple's encoder writes a number: `31.42`, `31.4`, `31`.
  func write(to text: inout TextBuffer) {
    text.append(hundredths / 100)
    if hundredths % 100 != 0 { writeFraction(to: &text) }
  }

  /// As Swift describes a `Double`, which is how the app makes a cost a text: `9.42`, `24.0`.
  func writeAsCost(to text: inout TextBuffer) {
    text.append(hundredths / 100)
    writeFraction(to: &text)
  }

  private func writeFraction(to text: inout TextBuffer) {
    text.append(UInt8(ascii: "."))
    let fraction = hundredths % 100
    if fraction % 10 == 0 {
      text.append(fraction / 10)
    } else {
      text.append(twoDigits: fraction)
    }
  }
}
