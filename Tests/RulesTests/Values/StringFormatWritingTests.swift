import JSONEvents
import TestSupport
import Testing

@testable import Rules

/// Points in time written in a format read back as themselves.
@Suite struct StringFormatWritingTests {
  private static let formats: [StringFormat] = [.dateTime, .unixTime, .unixTimeMilliseconds, .appleReferenceTime]

  @Test func `written times read back as themselves`() throws {
    var random = SeededRandom(seed: 8)
    let fractions: [Int64] = [0, 1, 500_000_000_000_000_000, 999_999_999_999_999_999, 1_000_000_000_000_000]
    for _ in 0..<2000 {
      // The years 0 to 9999.
      let instant = Instant(
        seconds: Int64.random(in: -62_167_219_200..<253_402_300_800, using: &random),
        attoseconds: fractions.randomElement(using: &random) ?? 0)
      for format in Self.formats {
        let written = try #require(format.text(of: instant))
        #expect(!written.isCut)
        #expect(ByteView.with(written.text) { format.instant($0) } == instant, "\(written.text), \(format.name)")
      }
      let whole = try #require(StringFormat.dateTimeSeconds.text(of: instant))
      #expect(ByteView.with(whole.text) { StringFormat.dateTimeSeconds.instant($0) } == Instant(seconds: instant.seconds))
      #expect(whole.isCut == (instant.attoseconds > 0))
    }
  }

  @Test(arguments: [-62_167_219_201, 253_402_300_800] as [Int64])
  func `years outside 0 to 9999 cannot be written as text`(seconds: Int64) {
    #expect(StringFormat.dateTime.text(of: Instant(seconds: seconds)) == nil)
  }

  @Test func `formats without times cannot be written`() {
    #expect(StringFormat.uuid.text(of: Instant(seconds: 0)) == nil)
    #expect(StringFormat.date.text(of: Instant(seconds: 0)) == nil)
  }
}

@Suite struct ExactProductTests {
  @Test(arguments: [
    ("1", "1", "1"), ("0.1", "0.2", "0.02"), ("-3", "4", "-12"), ("-3", "-4", "12"), ("5", "2", "10"), ("0", "9", "0"),
    ("99999999999999999999", "999999999999999999", "99999999999999999899000000000000000001"), ("1e400", "1e-400", "1"),
    ("1.25e-3", "8", "0.01"),
  ])
  func `products are exact`(a: String, b: String, product: String) throws {
    let (a, b) = (try #require(ExactDecimal(a)), try #require(ExactDecimal(b)))
    #expect(a.multiplied(by: b) == ExactDecimal(product))
  }

  @Test func `products agree with integer arithmetic`() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<2000 {
      let (a, b) = (Int64.random(in: .min ... .max, using: &random), Int64.random(in: -999_999_999...999_999_999, using: &random))
      let factor = try #require(ExactDecimal(String(b)))
      let product = ExactDecimal(String(a))?.multiplied(by: factor)
      #expect(product == ExactDecimal(String(Int128(a) * Int128(b))))
    }
  }

  @Test func `products that are too long or too large are nil`() throws {
    let long = try #require(ExactDecimal("1234567890123456789"))
    #expect(long.multiplied(by: long) == nil)
    let far = try #require(ExactDecimal("1e9999999999999999"))
    #expect(far.multiplied(by: far) == nil)
  }
}
