/// The characters of a pattern in order, with their places.
struct PatternScanner {
  private let scalars: [Unicode.Scalar]
  private var index = 0
  /// The offset of the next character, in bytes.
  private(set) var offset = 0

  init(_ source: String) { scalars = Array(source.unicodeScalars) }

  var next: Unicode.Scalar? { peek(0) }

  func peek(_ distance: Int) -> Unicode.Scalar? {
    index + distance < scalars.count ? scalars[index + distance] : nil
  }

  /// Returns true if `text` comes next.
  func isNext(_ text: String) -> Bool {
    var distance = 0
    for scalar in text.unicodeScalars {
      guard peek(distance) == scalar else { return false }
      distance += 1
    }
    return true
  }

  @discardableResult
  mutating func take() -> Unicode.Scalar? {
    guard let scalar = next else { return nil }
    index += 1
    offset += UTF8.width(scalar)
    return scalar
  }

  mutating func take(_ count: Int) { for _ in 0..<count { take() } }

  /// Takes `text` if it comes next.
  mutating func take(ifNext text: String) -> Bool {
    guard isNext(text) else { return false }
    take(text.unicodeScalars.count)
    return true
  }

  /// Takes as many decimal digits as follow. On overflow, the number is `Int.max`.
  mutating func takeNumber() -> Int? {
    guard let first = next, first.isDigit else { return nil }
    var number = 0
    while let digit = next, digit.isDigit {
      let (tens, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int(digit.value - 0x30))
      number = overflow || carry ? .max : sum
      take()
    }
    return number
  }

  /// Returns the value of `count` hexadecimal digits, `distance` characters ahead.
  func hexadecimal(_ count: Int, at distance: Int) -> UInt32? {
    var value: UInt32 = 0
    for place in distance..<distance + count {
      guard let digit = peek(place)?.hexadecimalValue else { return nil }
      value = value << 4 | digit
    }
    return value
  }
}

extension Unicode.Scalar {
  var isDigit: Bool { ("0"..."9").contains(self) }
  var isLetterOfASCII: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

  var hexadecimalValue: UInt32? {
    switch self {
    case "0"..."9": value - 0x30
    case "a"..."f": value - 0x61 + 10
    case "A"..."F": value - 0x41 + 10
    default: nil
    }
  }
}
