import JSONEvents
import Testing

@testable import Rules

@Suite struct StringFormatTests {
  @Test(arguments: StringFormat.allCases)
  func `formats are found by their exact name`(format: StringFormat) {
    #expect(StringFormat(name: format.name) == format)
    #expect(StringFormat(name: format.name.uppercased()) == nil)
  }

  @Test func `the standard formats are those of JSON Schema`() {
    #expect(
      StringFormat.allCases.filter(\.isStandard).map(\.name) == [
        "date-time", "date", "time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
        "uri-reference",
        "iri", "iri-reference", "uri-template", "uuid", "json-pointer", "relative-json-pointer", "regex",
      ])
    #expect(
      StringFormat.allCases.filter { !$0.isStandard }.map(\.name) == [
        "date-time-seconds", "apple-date-time", "decimal", "currency", "color-hex", "base64", "unix-time", "unix-time-ms",
        "apple-reference-time",
      ])
  }

  @Test func `only the numeric times apply to numbers`() {
    let formats = StringFormat.allCases.filter(\.appliesToNumbers)
    #expect(formats == [.unixTime, .unixTimeMilliseconds, .appleReferenceTime])
    #expect(formats.allSatisfy { $0.isTemporal && !$0.isStandard })
  }

  @Test(arguments: [
    ("2026-06-28T20:15:00Z", true), ("2026-06-28T20:15:00+02:00", true), ("2026-06-28T20:15:00.5Z", false),
    ("2026-06-28T20:15:00.0Z", false),
    ("2026-06-28T20:15Z", false), ("", false),
    ("2026-06-28T20:15:00+0200", true), ("2026-06-28T20:15:00-0530", true), ("2026-06-28T20:15:00+02", false),
    ("2026-06-28T20:15:00+2460", false), ("2026-06-28t20:15:00Z", false), ("2026-06-28T20:15:00z", true),
    ("2026-06-28T20:15:00+18:00", true), ("2026-06-28T20:15:00-18:01", false), ("2026-06-28T20:15:00+23:59", false),
  ])
  func `date-time-seconds accepts no fractions`(text: String, expected: Bool) {
    #expect(StringFormat.dateTimeSeconds.accepts(text) == expected)
  }

  @Test(arguments: [
    ("2026-06-28T20:15:00Z", true), ("2026-06-28T20:15:00+0200", true), ("2026-06-28T20:15:00.5Z", true),
    ("2026-06-28T20:15:00.123456789+02", true), ("2026-06-28T20:15:00.1234567890Z", false), ("2026-06-28T20:15:00.Z", false),
    ("2026-06-28T20:15:00+02", true), ("2026-06-28T20:15:00+18", true), ("2026-06-28T20:15:00-18:01", false),
    ("2026-06-28T20:15:00+2", false), ("2026-06-28T20:15:00", false), ("2026-06-28t20:15:00.5Z", false), ("", false),
  ])
  func `apple-date-time accepts fractions, and offsets without minutes`(text: String, expected: Bool) {
    #expect(StringFormat.appleDateTime.accepts(text) == expected)
  }

  @Test(arguments: [
    ("550e8400-e29b-41d4-a716-446655440000", true), ("550E8400-E29B-41D4-A716-446655440000", true),
    ("550e8400-E29B-41d4-a716-446655440000", true),
    ("00000000-0000-0000-0000-000000000000", true), ("ffffffff-ffff-ffff-ffff-ffffffffffff", true),
    ("550e8400e29b41d4a716446655440000", false), ("550e8400-e29b-41d4-a716-44665544000", false),
    ("550e8400-e29b-41d4-a716-4466554400000", false),
    ("550e8400-e29b-41d4-a716-44665544000g", false), ("550e8400-e29b-41d4a-716-446655440000", false),
    ("{550e8400-e29b-41d4-a716-44665544000}", false),
    ("550e8400-e29b-41d4-a716-44665544000@", false), ("550e8400-e29b-41d4-a716-44665544000`", false),
    ("550e8400_e29b_41d4_a716_446655440000", false),
    ("", false),
  ])
  func `UUIDs are groups of hexadecimal digits`(text: String, expected: Bool) {
    #expect(StringFormat.uuid.accepts(text) == expected)
  }

  /// Eight digits are checked at once: no byte may be mistaken for another or affect its neighbour.
  @Test(arguments: 0..<36)
  func `each byte of a UUID must be a digit or a hyphen`(index: Int) {
    for byte in UInt8.min...UInt8.max {
      var bytes = Array("550e8400-E29b-41D4-a716-4466f5540AcF".utf8)
      bytes[index] = byte
      let isDigit = "0123456789abcdefABCDEF".utf8.contains(byte)
      let isHyphen = byte == UInt8(ascii: "-")
      let isAccepted = bytes.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { StringFormat.uuid.accepts(ByteView($0, count: buffer.count)) }
      }
      #expect(isAccepted == ([8, 13, 18, 23].contains(index) ? isHyphen : isDigit))
    }
  }

  @Test(arguments: [
    "0", "-0", "1.50", "-12.5e+3", "1E400", "123456789012345678901234567890", "", "-", "+1", "01", "1.", ".5", "1e", "1,5", "1 ",
    "0x1", "NaN", "١",
  ])
  func `decimals follow the JSON grammar of numbers`(text: String) {
    #expect(StringFormat.decimal.accepts(text) == (ExactDecimal(text) != nil))
  }

  @Test(arguments: [
    ("EUR", true), ("USD", true), ("CHF", true), ("XXX", true), ("ZWG", true), ("XCG", true), ("eur", false), ("EURO", false),
    ("EU", false), ("", false),
    ("DEM", false), ("HRK", false), ("BGN", false), ("ZWL", false), ("€", false), ("ABC", false), ("E R", false),
  ])
  func `currencies are those of ISO 4217`(text: String, expected: Bool) {
    #expect(StringFormat.currency.accepts(text) == expected)
  }

  @Test func `only temporal formats have instants`() {
    for text in ["2026-06-28T20:15:00Z", "2026-06-28", "20:15:00Z", "1782677700"] {
      for format in StringFormat.allCases where !format.isTemporal { #expect(format.instant(text) == nil) }
    }
    #expect(StringFormat.date.instant("2026-06-28") == Instant("2026-06-28T00:00:00Z"))
    #expect(StringFormat.time.instant("00:00:01Z") == Instant(seconds: 1))
  }
}
