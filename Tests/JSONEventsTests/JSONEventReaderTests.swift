import ByteStreams
import TestSupport
import Testing

@testable import JSONEvents

@Suite struct JSONEventReaderTests {
  @Test func `every event has its text and place`() throws {
    let document = """
      {
        "name": "é🔋", "list": [1, -2.50e+3,
          true, false, null],
        "empty": {}, "k\\u0065y" : "a\\nb"
      }
      """
    #expect(
      try EventDump(document).events == [
        "objectStart @0 1:1",
        "key name @4 2:3", "string é🔋 @12 2:11",
        "key list @22 2:17", "arrayStart @30 2:25", "number 1 @31 2:26", "number -2.50e+3 @34 2:29",
        "true @48 3:5", "false @54 3:11", "null @61 3:18", "arrayEnd @65 3:22",
        "key empty @70 4:3", "objectStart @79 4:12", "objectEnd @80 4:13",
        "key key @83 4:16", "string a\nb @96 4:29",
        "objectEnd @103 5:1",
      ])
  }

  @Test(arguments: [
    (#""""#, ""), (#""\"\\\/""#, #""\/"#), (#""\b\f\n\r\t""#, "\u{8}\u{C}\n\r\t"), (#""\u0041\u00E9\u20ac""#, "Aé€"),
    (#""\ud83d\udd0b""#, "🔋"),
    (#""\u0000""#, "\0"), (#""\uFFFF\uE000""#, "\u{FFFF}\u{E000}"), (#""\uDBFF\uDFFF""#, "\u{10FFFF}"),
    ("\"\u{7F}\u{80}\u{7FF}\"", "\u{7F}\u{80}\u{7FF}"),
    (#""\\u0041""#, #"\u0041"#), (#""a\u0301""#, "a\u{301}"), ("\"\u{10000}\"", "\u{10000}"),
  ])
  func `escapes are resolved`(document: String, text: String) throws {
    for chunkSize in [1, 3, 64] {
      let dump = try EventDump(document, chunkSize: chunkSize)
      #expect(dump.error == nil)
      #expect(dump.events == ["string \(text) @0 1:1"])
    }
    let key = try EventDump("{\(document):0}")
    #expect(key.kindsAndTexts.dropFirst().first == "key \(text)" || text.contains(" ") || text.isEmpty)
  }

  @Test(arguments: SoundDocuments.all)
  func `valid documents give the same events in chunks of any size`(document: String) throws {
    let whole = try EventDump(document)
    #expect(whole.error == nil)
    #expect(!whole.events.isEmpty)
    for size in 1...64 {
      let dump = try EventDump(document, chunkSize: size)
      #expect(dump == whole, "in chunks of \(size)")
    }
  }

  /// A source may also give fewer bytes than requested.
  @Test(arguments: SoundDocuments.all)
  func `short reads make no difference`(document: String) throws {
    let bytes = [UInt8](document: document)
    let whole = try EventDump(bytes)
    for size in [1, 2, 3, 7, 32] {
      #expect(try EventDump(of: MemorySource(bytes, chunkSize: size)) == whole)
    }
  }

  @Test(arguments: SoundDocuments.all, [1, 5, 65536])
  func `the place of an event is the start of its token`(document: String, chunkSize: Int) throws {
    let bytes = [UInt8](document: document)
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    var reader = JSONEventReader(MemorySource(bytes), limits: ReaderLimits(chunkSize: chunkSize))
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        let offset = reader.batch.offset(of: event)
        let start: String =
          switch event.kind {
          case .string, .key: "\""
          case .number: reader.batch.text(of: event).string
          case .null: "null"
          case .true: "true"
          case .false: "false"
          case .arrayStart: "["
          case .arrayEnd: "]"
          case .objectStart: "{"
          case .objectEnd: "}"
          }
        #expect(bytes[offset...].starts(with: start.utf8))
        let text = String(decoding: bytes[mark..<offset], as: UTF8.self).unicodeScalars
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let place = TextPosition(offset: offset, line: lines.count, column: (lines.last?.count ?? 0) + 1)
        #expect(reader.lines.position(at: offset) == place)
      }
    }
  }

  @Test func `texts and places of a batch are available in any order`() throws {
    var reader = JSONEventReader(MemorySource(#"["a","b\n","c"]"#.utf8))
    #expect(try reader.next())
    let texts = [3, 1, 2, 1].map { reader.batch.text(of: reader.batch[$0]).string }
    #expect(texts == ["c", "a", "b\n", "a"])
    let columns = [3, 1, 2].map { reader.lines.position(at: reader.batch.offset(of: reader.batch[$0])).column }
    #expect(columns == [12, 2, 6])
  }

  @Test func `reading after the end gives no more events`() throws {
    var reader = JSONEventReader(MemorySource("[]".utf8))
    while try reader.next() {}
    #expect(try !reader.next())
    #expect(try !reader.next())
    #expect(reader.bytesRead == 2)
  }

  @Test func `an error is thrown again and the rest is not read`() throws {
    let source = CountedSource("[1,}".utf8 + Array(repeating: 0x20, count: 1000))
    var reader = JSONEventReader(source, limits: ReaderLimits(chunkSize: 64))
    var events = 0
    let first = #expect(throws: CofferError.self) { while try reader.next() { events += reader.batch.count } }
    let second = #expect(throws: CofferError.self) { try reader.next() }
    #expect(first == second)
    #expect(events == 2)
    // The second read lets the message quote text beyond the first read.
    #expect(source.tally.reads <= 2)
  }

  @Test func `errors of the source pass through`() throws {
    var reader = JSONEventReader(FailingSource(Array("[1,2".utf8)), limits: ReaderLimits(chunkSize: 2))
    var events = 0
    let error = #expect(throws: CofferError.self) { while try reader.next() { events += reader.batch.count } }
    #expect(error?.code == .inputOutput)
    #expect(events == 2)
  }
}
