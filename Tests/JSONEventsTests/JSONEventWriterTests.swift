import ByteStreams
import JSONEvents
import Testing

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
  json.key("name" as String)
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
    #expect(try text { json in Array(value.utf8).withUnsafeBufferPointer { json.string(utf8: $0) } } == expected)
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

private struct FullSink: ByteSink {
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    throw CofferError(.noSpace, "cannot write: no space left on device")
  }
}
