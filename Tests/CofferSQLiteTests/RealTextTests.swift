import JSONEvents
import Rules
import TestSupport
import Testing

@testable import CofferSQLite

@Suite struct RealTextTests {
  private static func value(ofPlain text: String) -> Double? { ByteView.with(text) { RealText.value(ofPlain: $0) } }

  private static func text(of value: Double) -> String? {
    var text = ByteBuffer()
    return RealText.append(value, to: &text) ? String(decoding: text.bytes, as: UTF8.self) : nil
  }

  @Test(arguments: [
    "0", "1", "-1", "9.5", "-0.5", "0.05", "0.1", "12.75", "123456789012345", "-999999999999999", "0.00000015",
    "0.0000001234567890123", "98765.4321098765", "0.123456789012345", "0.0000000000000000000001",
  ])
  func `a plain number is its column's value`(text: String) throws {
    let value = try #require(Self.value(ofPlain: text))
    #expect(value == Double(text))
    #expect(Self.text(of: value) == text)
  }

  @Test(arguments: [
    "-0", "9.50", "1.0", "0.0", "-0.0", "1e3", "1E400", "1234567890123456", "0.1000000000000000055", "100000000000000000000",
    "0.00000000000000000000001", "-",
  ])
  func `other numbers keep their text`(text: String) { #expect(Self.value(ofPlain: text) == nil) }

  @Test(arguments: [
    (1e300, "1e+300"), (0.1 + 0.2, "0.30000000000000004"), (Double.leastNonzeroMagnitude, "5e-324"), (-0.0, "-0.0"),
    (1e15, "1000000000000000.0"),
  ])
  func `any finite double is a JSON number`(value: Double, text: String) { #expect(Self.text(of: value) == text) }

  @Test(arguments: [Double.infinity, -.infinity, .nan])
  func `what JSON can't say is refused`(value: Double) { #expect(Self.text(of: value) == nil) }

  @Test func `random plain numbers survive`() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<20_000 {
      let digits = String(random.next() % 1_000_000_000_000_000)
      let places = Int(random.next() % 20)
      var text = digits
      if places > 0 {
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        text = "\(padded.dropLast(places)).\(padded.suffix(places))"
        guard text.last != "0" else { continue }
      }
      if digits == "0" { continue }
      let value = try #require(Self.value(ofPlain: text), "\(text)")
      #expect(Double(text) == value && Self.text(of: value) == text)
    }
  }
}
