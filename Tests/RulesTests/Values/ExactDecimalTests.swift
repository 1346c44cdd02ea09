import Foundation
import TestSupport
import Testing

@testable import Rules

@Suite struct ExactDecimalTests {
  private func decimal(_ text: String) throws -> ExactDecimal { try #require(ExactDecimal(text), "\(text)") }

  /// Returns a number with up to 12 digits, any decimal point, and an exponent of up to ±12: exact in Foundation's Decimal.
  private func generated(using random: inout SeededRandom) -> String {
    let whole = Int.random(in: 0...(Bool.random(using: &random) ? 20 : 999_999), using: &random)
    var text = (Bool.random(using: &random) ? "-" : "") + String(whole)
    if Bool.random(using: &random) {
      text +=
        "."
        + (0..<Int.random(in: 1...6, using: &random)).map { _ in String("0059".randomElement(using: &random) ?? "0") }.joined()
    }
    if Bool.random(using: &random) {
      text += "\(["e", "E"].randomElement(using: &random) ?? "e")\(Int.random(in: -12...12, using: &random))"
    }
    return text
  }

  @Test func `decimals are ordered by value`() throws {
    var random = SeededRandom(seed: 3)
    let texts = (0..<120).map { _ in generated(using: &random) }
    let values = try texts.map { text in
      (text, try decimal(text), try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))))
    }
    for (text, exact, oracle) in values {
      for (otherText, otherExact, otherOracle) in values {
        #expect((exact < otherExact) == (oracle < otherOracle), "\(text) < \(otherText)")
        #expect((exact == otherExact) == (oracle == otherOracle), "\(text) = \(otherText)")
      }
    }
  }

  @Test(arguments: [
    ["0", "-0", "0.0", "-0e5", "0E-400", "0.000e99999999999999999999"],
    ["1", "1.0", "1e0", "10e-1", "0.1e1", "0.01E+2", "1000e-3"],
    ["-15", "-1.5e1", "-150e-1", "-15.000"], ["1e400", "10e399", "0.1e401"],
    ["123456789012345678901234567890", "1.2345678901234567890123456789e29"],
  ])
  func `all spellings of a number are equal`(spellings: [String]) throws {
    for spelling in spellings {
      #expect(try decimal(spelling) == decimal(spellings[0]))
      #expect(try decimal(spelling).hashValue == decimal(spellings[0]).hashValue)
    }
  }

  @Test func `long and huge numbers are ordered`() throws {
    let ascending = [
      "-1e99999999999999999999999", "-1e401", "-9.99e400", "-1e400", "-123456789012345678901234567890.2",
      "-123456789012345678901234567890.1",
      "-1", "-1e-400", "0", "1e-99999999999999999999999", "1e-401", "1e-400", "0.1",
      "0.10000000000000000000000000000000000000001",
      "18446744073709551615", "18446744073709551616", "1e308", "1.7976931348623157e308", "1.7976931348623158e308", "1e309",
      "1e99999999999999999999999",
    ]
    for (index, text) in ascending.enumerated() {
      for (otherIndex, other) in ascending.enumerated() {
        #expect(try (decimal(text) < decimal(other)) == (index < otherIndex), "\(text) < \(other)")
      }
    }
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("1e2", 100), ("100.000", 100), ("9223372036854775807", .max), ("-9223372036854775808", .min),
    ("9.223372036854775807e18", .max), ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1e19", nil),
    ("1e18", 1_000_000_000_000_000_000),
    ("0.5", nil), ("1e-1", nil), ("1e99999999999999999999", nil), ("0e99999999999999999999", 0), ("-5e0", -5),
  ])
  func `integers of 64 bits are recognised in any spelling`(text: String, expected: Int64?) throws {
    #expect(try decimal(text).int64 == expected)
  }

  @Test(arguments: [
    ("1.0", true), ("1e400", true), ("0.5", false), ("15e-1", false), ("150e-1", true), ("0e-5", true), ("1e-400", false),
  ])
  func `integers are recognised by value`(text: String, expected: Bool) throws {
    #expect(try decimal(text).isInteger == expected)
  }

  @Test(arguments: [
    ("9", "3", true), ("10", "3", false), ("0", "7", true), ("-9", "3", true), ("0.3", "0.1", true), ("0.35", "0.1", false),
    ("4.5", "1.5", true),
    ("0.0075", "0.0001", true), ("0.00751", "0.0001", false), ("1e308", "0.5", true), ("1e400", "7", false), ("7e400", "7", true),
    ("1", "10", false), ("12345678901234567890123456789", "999999999999999999", false),
    ("999999999999999999000000000000000000", "999999999999999999", true),
    ("1e1000000000000", "1e-1000", true), ("19.99", "0.01", true), ("19.999", "0.01", false),
  ])
  func `multiples are exact`(text: String, divisor: String, expected: Bool) throws {
    #expect(try decimal(text).isMultiple(of: decimal(divisor)) == expected)
  }

  @Test func `multiples agree with integer arithmetic`() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<2000 {
      let value = Int.random(in: -100_000...100_000, using: &random)
      let divisor = Int.random(in: 1...400, using: &random)
      let (scale, otherScale) = (Int.random(in: 0...4, using: &random), Int.random(in: 0...4, using: &random))
      func power(_ exponent: Int) -> Int { (0..<exponent).reduce(1) { result, _ in result * 10 } }
      // Both are integers after multiplication by 10⁴.
      let expected = (value * power(4 - scale)) % (divisor * power(4 - otherScale)) == 0
      #expect(try decimal("\(value)e-\(scale)").isMultiple(of: decimal("\(divisor)e-\(otherScale)")) == expected)
    }
  }

  @Test(arguments: [
    ("-0", "0"), ("1.50", "1.5"), ("15e-1", "1.5"), ("100", "100"), ("1e20", "100000000000000000000"), ("1e21", "1e21"),
    ("-12e30", "-12e30"),
    ("0.05", "0.05"), ("-5e-20", "-0.00000000000000000005"), ("1e-21", "1e-21"), ("123.456", "123.456"), ("0.123", "0.123"),
    ("1.5e400", "15e399"),
  ])
  func `the description has no exponent if it is short without`(text: String, expected: String) throws {
    #expect(try decimal(text).description == expected)
    #expect(try decimal(expected) == decimal(text))
  }

  @Test(arguments: [
    "", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "e5", "1 ", " 1", "0x1", "1_0", "NaN", "Infinity", "1.5.5", "--1", "١",
  ])
  func `malformed text is not a number`(text: String) {
    #expect(ExactDecimal(text) == nil)
  }
}
