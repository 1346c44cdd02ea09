import ByteStreams
import Testing

@testable import JSONEvents

/// Swift values are written as exact text.
@Suite struct JSONEventWriterValueTests {
  private func text(_ write: (inout JSONEventWriter) -> Void) throws -> String {
    var json = JSONEventWriter()
    var sink = MemorySink()
    write(&json)
    try json.finish(to: &sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  @Test(arguments: [(UInt64.max, "18446744073709551615"), (0, "0"), (9_223_372_036_854_775_808, "9223372036854775808")])
  func `unsigned integers keep every digit`(value: UInt64, expected: String) throws {
    #expect(try text { $0.integer(value) } == expected)
  }

  @Test(arguments: [
    0.1, -0.0, 1e300, .leastNonzeroMagnitude, 100, 0.30000000000000004, Double(1 << 53) + 2, .greatestFiniteMagnitude, 1e16,
    123456.789e-20,
  ])
  func `a written Double reads back as itself`(value: Double) throws {
    let written = try text { $0.number(value) }
    #expect(Double(written) == value)
    #expect(Double(written)?.sign == value.sign)
    var reader = JSONEventReader(MemorySource(written.utf8))
    while try reader.next() {}
  }
}

@Suite struct JSONEventWriterValueMisuseTests {
  @Test func `infinity traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      json.number(Double.infinity)
    }
  }

  @Test func `a string with broken UTF-8 traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      let bytes: [UInt8] = [0x61, 0xED, 0xA0, 0x80]
      json.string(utf8: bytes.span)
    }
  }

  @Test func `a key with broken UTF-8 traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      json.beginObject()
      let bytes: [UInt8] = [0xC0, 0x80]
      json.key(utf8: bytes.span)
    }
  }

  @Test func `text that is not a JSON number traps`() async {
    for text in ["", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "1 ", "NaN", "1,2"] {
      #expect(!NumberText.isNumber(text), "\(text)")
    }
    for text in ["0", "-0", "10", "0.5", "1e9", "1E-9", "-1.25e+10"] { #expect(NumberText.isNumber(text), "\(text)") }
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      json.number(text: "01")
    }
  }
}

extension NumberText {
  fileprivate static func isNumber(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { isNumber($0) }
  }
}
