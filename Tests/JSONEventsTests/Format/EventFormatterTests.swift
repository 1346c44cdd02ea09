import ByteStreams
import JSONEvents
import TestSupport
import Testing

@Suite struct EventFormatterTests {
  private static func format<F: EventFormatter & ~Copyable>(
    _ bytes: [UInt8], with formatter: consuming F, chunkSize: Int? = nil
  ) throws -> [UInt8] {
    var sink = MemorySink()
    var reader = JSONEventReader(MemorySource(bytes), limits: ReaderLimits(depth: 1000, chunkSize: chunkSize))
    while try reader.next() {
      try formatter.write(reader.batch, 0..<reader.batch.count)
      try formatter.drain(to: &sink)
    }
    try formatter.flush(to: &sink)
    return sink.bytes
  }

  private static func plain(_ text: String, _ layout: FormatLayout) throws -> String {
    String(decoding: try format(Array(text.utf8), with: PlainFormatter(layout: layout, at: .start)), as: UTF8.self)
  }

  private static func sorted(_ text: String, _ layout: FormatLayout = .compact) throws -> String {
    String(decoding: try format(Array(text.utf8), with: SortingFormatter(layout: layout, at: .start)), as: UTF8.self)
  }

  @Test(arguments: [
    (" [ ] ", "[]"), ("{ }", "{}"), ("null", "null"), (#" "a b" "#, #""a b""#), (" -0 ", "-0"),
    ("[1 , 2.50,\n\t1e400, -0.0, 123456789012345678901234567890]", "[1,2.50,1e400,-0.0,123456789012345678901234567890]"),
    (#"{"a" : {"b" : [ true , false ] } , "c" : null}"#, #"{"a":{"b":[true,false]},"c":null}"#),
    (#"["\u0041\/", "\"", "\\", "é", "\ud83d\ude00"]"#, #"["\u0041\/","\"","\\","é","\ud83d\ude00"]"#),
    (#"{"\"":"\\\""}"#, #"{"\"":"\\\""}"#),
  ])
  func `compact text has no blanks`(text: String, compact: String) throws {
    #expect(try Self.plain(text, .compact) == compact)
  }

  @Test func `pretty text has a line for each member and item`() throws {
    let text = #"{"a":[1,{"b":[]},{}],"c":{"d":"e"}}"#
    #expect(
      try Self.plain(text, .pretty(indent: 2)) == """
        {
          "a": [
            1,
            {
              "b": []
            },
            {}
          ],
          "c": {
            "d": "e"
          }
        }

        """)
    #expect(try Self.plain("[1]", .pretty(indent: 0)) == "[\n1\n]\n")
    #expect(try Self.plain("[[1]]", .pretty(indent: 16)).contains("\n" + String(repeating: " ", count: 32) + "1\n"))
  }

  @Test(arguments: [
    "[]", "{}", #""a/b""#, #"{"b":[],"a":{},"c":[[],[{}],{"d":[1,-2.5]}]}"#, #"{"a/b":"http:\/\/c/d","\\\/":"\\/","//":"/"}"#,
    #"{"é":"😀","z":null,"a":[true,false,"\b\f\n\r\t\u0000\u001f\\\""]}"#,
  ])
  func `Apple text equals the output of JSONEncoder`(text: String) throws {
    #expect(try Self.sorted(text, .apple) == appleJSON(text))
  }

  @Test func `Apple text does not depend on chunks`() throws {
    let text = "[" + Array(repeating: #"{"a/b":"\/////\\/","":[]}"#, count: 200).joined(separator: ",") + "]"
    for chunkSize in [1, 7, 64] {
      let formatted = try Self.format(
        Array(text.utf8), with: PlainFormatter(layout: .apple, at: .start), chunkSize: chunkSize)
      #expect(try String(decoding: formatted, as: UTF8.self) == Self.plain(text, .apple))
    }
  }

  @Test func `Kotlin text is indented by four blanks per level`() throws {
    #expect(
      try Self.plain(#"{"a":["b/c"],"d":[]}"#, .kotlin) == """
        {
            "a": [
                "b/c"
            ],
            "d": []
        }
        """)
  }

  @Test(arguments: [
    (#"{"b":1,"a":2}"#, #"{"a":2,"b":1}"#),
    (#"[{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}]"#, #"[{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}]"#),
    (#"{"é":1,"z":2,"\u0061":3,"":4}"#, #"{"":4,"\u0061":3,"z":2,"é":1}"#),
    (#"{"a":1,"b":2,"a":3,"\u0061":4}"#, #"{"a":1,"a":3,"\u0061":4,"b":2}"#),
    (#"{"ab":1,"a":2,"abc":3}"#, #"{"a":2,"ab":1,"abc":3}"#),
    // By code points: a surrogate pair's character comes last, though its UTF-16 units don't.
    (#"{"😀":1,"￿":2}"#, #"{"￿":2,"😀":1}"#),
    ("[]", "[]"), ("{}", "{}"), ("1", "1"),
  ])
  func `members are sorted by code points`(text: String, sorted: String) throws {
    #expect(try Self.sorted(text) == sorted)
  }

  /// Objects that don't fit into memory are sorted in the same way, however small the limit is.
  @Test(arguments: 0..<8) func `sorted text does not depend on the memory limit`(part: Int) throws {
    var spilled = 0
    for seed in TestDepth.cases(everyday: 10, deep: 60) {
      let document = RandomDocument(seed: UInt64(part * 1000 + seed), size: 3000)
      let tree = try TokenTree(of: document.bytes).sorted
      for (layout, indent) in [(FormatLayout.compact, nil), (.pretty(indent: 3), 3)] {
        let expected = tree.text(indent: indent) + (indent == nil ? [] : Array("\n".utf8))
        for (spillSize, chunkSize) in [(1 << 20, 1 << 16), (0, 1), (1, 50), (200, 40), (200, 1000)] {
          let formatter = SortingFormatter(layout: layout, at: .start, spillSize: spillSize)
          #expect(try Self.format(document.bytes, with: formatter, chunkSize: chunkSize) == expected, "\(part), \(seed)")
          spilled += expected.count > spillSize ? 1 : 0
        }
      }
    }
    #expect(spilled > 0)
  }

  @Test(arguments: 0..<8) func `formatted text does not depend on chunks`(part: Int) throws {
    for seed in TestDepth.cases(everyday: 10, deep: 60) {
      let document = RandomDocument(seed: UInt64(part * 1000 + seed), size: 2000)
      let tree = try TokenTree(of: document.bytes)
      for chunkSize in [1, 7, 64, 1 << 16] {
        let compact = try Self.format(document.bytes, with: PlainFormatter(layout: .compact, at: .start), chunkSize: chunkSize)
        #expect(compact == tree.text(indent: nil))
        let pretty = try Self.format(
          document.bytes, with: PlainFormatter(layout: .pretty(indent: 2), at: .start), chunkSize: chunkSize)
        #expect(pretty == tree.text(indent: 2) + Array("\n".utf8))
      }
    }
  }

  @Test func `deep nesting is formatted`() throws {
    let text = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
    #expect(try Self.plain(text, .compact) == text)
    #expect(try Self.sorted(text) == text)
  }

  @Test func `an object with too many members to sort is an error`() throws {
    var text = "{"
    for index in 0..<(1 << 20) + 2 { text += index == 0 ? "\"\(index)\":1" : ",\"\(index)\":1" }
    text += "}"
    let error = #expect(throws: CofferError.self) {
      try Self.format(
        Array(text.utf8), with: SortingFormatter(layout: .compact, at: .start, spillSize: 1 << 16), chunkSize: 1 << 16)
    }
    #expect(error?.code == .sortLimit)
  }
}
