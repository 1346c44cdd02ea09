import ByteStreams
import Testing

@testable import JSONEvents

/// Returns the text that `body` writes, drained into memory.
func text(
  _ layout: JSONEventWriter.Layout = .compact, slashes: JSONEventWriter.Slashes = .plain, _ body: (inout JSONEventWriter) -> Void
) throws -> String {
  var json = JSONEventWriter(layout: layout, slashes: slashes)
  var sink = MemorySink()
  body(&json)
  try json.finish(to: &sink)
  #expect(json.byteCount == sink.bytes.count)
  return String(decoding: sink.bytes, as: UTF8.self)
}

private func writeSample(to json: inout JSONEventWriter) {
  json.beginObject()
  json.key("list")
  json.beginArray()
  json.integer(1)
  json.boolean(true)
  json.null()
  json.endArray()
  json.key("name")
  json.string("a/b")
  json.endObject()
}

@Suite struct JSONEventWriterTests {
  @Test func `compact text has no blanks`() throws {
    #expect(try text { writeSample(to: &$0) } == #"{"list":[1,true,null],"name":"a/b"}"#)
  }

  @Test func `pretty text breaks and indents lines`() throws {
    let expected = """
      {
         "list": [
            1,
            true,
            null
         ],
         "name": "a\\/b"
      }

      """
    #expect(try text(.pretty(indent: 3), slashes: .escaped) { writeSample(to: &$0) } == expected)
  }

  @Test(arguments: [
    (0, "0"), (-1, "-1"), (1_000_000, "1000000"), (Int64.max, "9223372036854775807"), (Int64.min, "-9223372036854775808"),
  ])
  func `integers keep every digit`(value: Int64, expected: String) throws {
    #expect(try text { $0.integer(value) } == expected)
  }

  @Test(arguments: [
    ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#),
    ("\u{1}\u{1F}\u{0}", #""\u0001\u001F\u0000""#),
    ("Қазақ 日本 👨‍👩‍👧 \u{7F}\u{2028}", "\"Қазақ 日本 👨‍👩‍👧 \u{7F}\u{2028}\""),
  ])
  func `strings are escaped as JSON requires`(value: String, expected: String) throws {
    #expect(try text { $0.string(value) } == expected)
    #expect(try text { $0.string(utf8: Array(value.utf8).span) } == expected)
    let member = try text { json in
      json.beginObject()
      json.key(value)
      json.null()
      json.key(utf8: Array(value.utf8).span)
      json.null()
      json.endObject()
    }
    #expect(member == "{\(expected):null,\(expected):null}")
  }

  /// Strings are copied eight bytes at a time, and in pieces of 4096.
  @Test(arguments: Array(0...17) + [4090, 4095, 4096, 4097, 8191]) func `an escape is found at every place`(place: Int) throws {
    for (character, escaped) in [("\"", #"\""#), ("\\", #"\\"#), ("\n", #"\n"#), ("\u{1F}", #"\u001F"#), ("/", #"\/"#)] {
      for (before, after) in [("a", "b"), ("é", "€"), ("\u{7F}", "!")] {
        let (start, end) = (String(repeating: before, count: place), String(repeating: after, count: 20))
        #expect(try text(slashes: .escaped) { $0.string(start + character + end) } == "\"\(start)\(escaped)\(end)\"")
      }
    }
  }

  @Test func `empty containers have an empty line in pretty text`() throws {
    let written = try text(.pretty(indent: 2)) { json in
      json.beginArray()
      json.beginObject()
      json.endObject()
      json.endArray()
    }
    #expect(written == "[\n  {\n\n  }\n]\n")
  }

  @Test func `lines follow each other without a final line break`() throws {
    let lines = try text { json in
      json.integer(1)
      json.endLine()
      json.beginArray()
      json.endArray()
      json.endLine()
      json.string("last")
    }
    #expect(lines == "1\n[]\n\"last\"")
  }

  @Test func `an error of the sink is thrown`() {
    var json = JSONEventWriter()
    var sink = FullSink()
    json.null()
    #expect(throws: CofferError.self) { try json.finish(to: &sink) }
  }
}

/// Possible programming errors.
@Suite struct JSONEventWriterMisuseTests {
  @Test func `a value in the place of a key traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      json.beginObject()
      json.string("value")
    }
  }

  @Test func `a key in an array traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      json.beginArray()
      json.key("name")
    }
  }

  @Test func `a key without a value traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      json.beginObject()
      json.key("name")
      json.endObject()
    }
  }

  @Test func `a second root traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      json.null()
      json.null()
    }
  }

  @Test func `finishing with an open bracket traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      var sink = MemorySink()
      json.beginArray()
      try json.finish(to: &sink)
    }
  }
}

/// The limits of depth, size and text.
@Suite struct JSONEventWriterLimitTests {
  @Test func `127 levels of nesting are written`() throws {
    let deepest = try text { json in
      for _ in 0..<127 { json.beginArray() }
      for _ in 0..<127 { json.endArray() }
    }
    #expect(deepest == String(repeating: "[", count: 127) + String(repeating: "]", count: 127))
  }

  @Test func `128 levels of nesting trap`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      for _ in 0..<128 { json.beginArray() }
    }
  }

  @Test func `closing more brackets than are open traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      json.beginArray()
      json.endArray()
      json.endArray()
    }
  }

  @Test func `closing with the wrong bracket traps`() async {
    await #expect(processExitsWith: .failure) {
      var json = JSONEventWriter()
      json.beginArray()
      json.endObject()
    }
  }

  @Test(arguments: [
    "-0", "1e400", "0.10", "0.1", "12345678901234567890.000000000000000001", "1E+2", "18446744073709551615",
    "-9223372036854775809",
  ])
  func `written numbers keep their text`(number: String) throws {
    #expect(try text { $0.number(text: number) } == number)
    #expect(try text { $0.number(utf8: Array(number.utf8).span) } == number)
  }

  @Test(arguments: [
    "é€🔋", "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}",
    String(decoding: [0x61, 0xFF, 0xED, 0xA0, 0x80] as [UInt8], as: UTF8.self),
  ])
  func `strings are written as UTF-8`(string: String) throws {
    let written = try text { $0.string(string) }
    #expect(try EventDump(written).events == ["string \(string) @0 1:1"])
    #expect(written == "\"\(string)\"")
  }

  @Test func `draining waits for a large piece`() throws {
    var json = JSONEventWriter()
    var sink = PieceSink()
    json.beginArray()
    for _ in 0..<20_000 {
      json.string("0123456789")
      try json.drain(to: &sink)
    }
    json.endArray()
    try json.finish(to: &sink)
    let range = 64 << 10..<65 << 10
    let length = 20_000 * 13 + 1
    #expect(sink.pieces.dropLast().allSatisfy { range.contains($0) })
    #expect(sink.pieces.reduce(0, +) == length)
    #expect(json.byteCount == length)
  }
}

/// A sink that records the size of each piece.
private struct PieceSink: ByteSink {
  var pieces: [Int] = []

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) { pieces.append(bytes.count) }
}

private struct FullSink: ByteSink {
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    throw CofferError(.noSpace, "cannot write: no space left on device")
  }
}
