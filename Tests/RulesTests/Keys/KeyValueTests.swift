import ByteStreams
import JSONEvents
import TestSupport
import Testing

@testable import Rules

@Suite struct KeyValueTests {
  private static let key = SipHash128.Key(low: 1, high: 2)

  private func string(_ text: String) -> KeyValue { ByteView.with(text) { KeyValue(string: $0, key: Self.key) } }
  private func number(_ text: String) -> KeyValue { ByteView.with(text) { KeyValue(number: $0, key: Self.key) } }

  @Test(arguments: [
    ["1", "1.0", "1e0", "10e-1", "0.1E1"], ["0", "-0", "0.0", "0e5", "-0e-400"], ["-100", "-1e2", "-100.00"],
    ["9223372036854775807", "9223372036854775807.0", "9.223372036854775807e18"],
    ["-9223372036854775808", "-9223372036854775808e0"],
    ["0.5", "5e-1", "0.50"], ["-1.25", "-125e-2", "-1.250000000000000000000"], ["0.000001", "1e-6", "0.10e-5"],
    ["0.12345678901234567", "12345678901234567e-17", "0.1234567890123456700"], ["123456789012345678e1", "1234567890123456780"],
    ["0.1234567890123456789", "1234567890123456789e-19"], ["12345678901234567.5", "123456789012345675e-1"], ["1e400", "10e399"],
    ["123456789012345678901234567890", "123456789012345678901234567890.0"],
  ])
  func `all spellings of a number are one key`(spellings: [String]) {
    #expect(Set(spellings.map(number)).count == 1)
  }

  @Test func `different values are different keys`() {
    let numbers = [
      "0", "1", "-1", "0.1", "-0.1", "0.01", "0.11", "1.1", "1e-19", "0.123456789012345678", "0.1234567890123456781", "1e19",
      "1e400", "-1e400", "1e401", "9223372036854775807", "9223372036854775808",
      "-9223372036854775809",
    ]
    let strings = [
      "", "0", "1", "-1", "1.0", "a", "A", "\0", "\0\0", "true", "é", "e\u{301}", "12345678", "123456789", "12345678\0",
      "123456789012345",
      "123456789012345\0", "1234567890123456", "1234567890123457", "550e8400-e29b-41d4-a716-446655440000",
      "550E8400-E29B-41D4-A716-446655440000",
      "550E8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440001", "00000000-0000-0000-0000-000000000000",
      "00000000-0000-0000-0000-00000000000-", "000000000000000000000000000000000000",
      "#0:\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}\u{1}\u{2}\u{3}\u{4}",
    ]
    let keys = numbers.map(number) + strings.map(string) + [KeyValue(boolean: true), KeyValue(boolean: false)]
    #expect(Set(keys).count == numbers.count + strings.count + 2)
  }

  /// A string can contain any bytes, including those that a number's digest is computed from.
  @Test func `no string equals a long number`() {
    let digits = "\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\u{8}\u{9}\u{1}\u{2}"
    #expect(number("12345678912345678912") != string("#0:" + digits))
  }

  @Test(arguments: [
    ("1", "1"), ("-0", "0"), ("1e2", "100"), ("-9223372036854775808", "-9223372036854775808"), ("0.5", "0.5"), ("-1.50", "-1.5"),
    ("12.000000000000003", "12.000000000000003"), ("-0.05", "-0.05"), ("1e400", "1e400"), ("25e-1000000000", "25e-1000000000"),
    ("1e-30", "0.000000000000000000000000000001"), ("-2e99", "-2e99"), ("123456789.12345678912345", nil),
  ])
  func `numbers of up to 18 digits keep their text`(text: String, expected: String?) {
    #expect(number(text).text == expected)
  }

  @Test(arguments: [
    "", "a", "\0", "1234567", "12345678", "123456789", "123456789012345", "é€🔋", "550e8400-e29b-41d4-a716-446655440000",
    "550E8400-E29B-41D4-A716-446655440000", "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
  ])
  func `short strings and UUIDs keep their text`(text: String) {
    #expect(string(text).text == text)
  }

  @Test(arguments: ["1234567890123456", "550E8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-44665544000g"])
  func `digests have no text`(text: String) {
    #expect(string(text).form == .digest)
    #expect(string(text).text == nil)
  }

  @Test(arguments: [
    "550E8400-e29b-41d4-a716-446655440000", "550E8400-E29B-41D4-A716-446655440000", "00000000-0000-0000-0000-000000000000",
    "Grüße",
    "NAME", "550e8400-e29b-41d4-a716-44665544000G",
  ])
  func `keys that ignore case equal their lowercase form`(text: String) {
    let value = ByteView.with(text) { KeyValue(string: $0, ignoringCase: Self.key) }
    #expect(value == string(text.lowercased()))
  }

  @Test func `instants are distinguished to the last digit`() {
    let instants = [Instant(seconds: 0), Instant(seconds: 1), Instant(seconds: 0, attoseconds: 1), Instant(seconds: -1)].map(
      KeyValue.init)
    #expect(Set(instants + [number("0"), number("1"), string("")]).count == instants.count + 3)
  }

  /// Tries many hash keys: a digest as weak as a sum would pass with most of them.
  @Test func `digests of whole values ignore spelling and member order`() throws {
    let values = try [
      #"{"a": 1, "b": [1.5, "x"], "c": {}}"#, #"{"c": {}, "b": [15e-1, "\u0078"], "a": 1.0}"#,
      // Sums of the values are equal, as are those of their squares, and of names and values.
      #"{"a": 1, "a": 4}"#, #"{"a": 2, "a": 3}"#, #"{"a": 0, "a": 3, "a": 5, "a": 6}"#, #"{"a": 1, "a": 2, "a": 4, "a": 7}"#,
      #"{"a": 1, "b": 2}"#, #"{"a": 2, "b": 1}"#, #"{"a": 0, "b": ""}"#, #"{"a": "", "b": 0}"#,
      #"[1, 2]"#, #"[2, 1]"#, #"[[1], 2]"#, #"{}"#, #"[]"#, #"{"": null}"#, #"{"": {}}"#, #"{"": []}"#,
    ].map { try JSONValue.read(MemorySource($0.utf8)).value }
    var random = SeededRandom(seed: 7)
    for _ in 0..<3000 {
      let key = SipHash128.Key(low: random.next(), high: random.next())
      let digests = values.map { KeyValue($0, key: key) }
      #expect(digests[0] == digests[1])
      #expect(Set(digests).count == digests.count - 1)
    }
  }

  @Test func `tuples depend on each value and its place`() {
    let values = [number("1"), number("2"), string("1"), string("")]
    var keys: Set<KeyValue> = []
    for first in values {
      #expect(KeyValue(tuple: [first], key: Self.key) == first)
      for second in values {
        keys.insert(KeyValue(tuple: [first, second], key: Self.key))
        for third in values { keys.insert(KeyValue(tuple: [first, second, third], key: Self.key)) }
      }
    }
    #expect(keys.count == 16 + 64)
    #expect(
      KeyValue(tuple: values, key: Self.key)
        == KeyValue(tuple: [number("1.0"), number("2e0"), string("1"), string("")], key: Self.key))
  }

  @Test func `integer text of up to 18 digits is read`() {
    var random = SeededRandom(seed: 13)
    for digits in 1...18 {
      for _ in 0..<50 {
        var text = String((0..<digits).map { _ in Character(String(Int.random(in: 0...9, using: &random))) })
        if digits > 1, text.hasPrefix("0") { text = "1" + text.dropFirst() }
        for spelled in [text, "-" + text] {
          #expect(ByteView.with(spelled) { IntegerText.value($0) } == Int64(spelled))
        }
      }
    }
    for other in ["1.0", "1e2", "12345678.5", "0.00000000000001", "1E+2", "12345678901234567890123456"] {
      #expect(ByteView.with(other) { IntegerText.value($0) } == nil, "\(other)")
    }
  }
}
