import ByteStreams
import Foundation
import TestSupport
import Testing

@testable import JSONEvents

/// A test for each thing that yajl 2.1.0 gets wrong or leaves to its caller, and this reader doesn't, in the order of reading.
@Suite struct YajlReadingTests {
  /// yajl treats form feed and vertical tab as white space.
  @Test(
    arguments: ["‹0C›", "‹0B›"], ["* 1", "1*", "[*1]", "[1*]", "[1,*2]", "{*\"a\":1}", "{\"a\"*:1}", "{\"a\":*1}", "[\"*\"]"])
  func `form feed and vertical tab are not white space`(space: String, shape: String) throws {
    let dump = try EventDump(shape.replacing("*", with: space))
    #expect(dump.error?.code == .syntax)
  }

  /// yajl checks only the leading bits of a UTF-8 sequence.
  @Test(
    arguments: ["C0 80", "ED A0 80", "F4 90 80 80", "F7 BF BF BF", "E0 9F BF", "F0 8F BF BF", "C3", "80", "FE"],
    [#"["*"]"#, #"{"*":1}"#, #"{"a\n*":1}"#])
  func `invalid UTF-8 is refused in keys and strings`(bytes: String, shape: String) throws {
    for chunkSize in [1, 64] {
      let error = try EventDump(shape.replacing("*", with: "‹\(bytes)›"), chunkSize: chunkSize).error
      #expect(error?.code == .encoding)
      #expect(error?.position.offset == shape.utf8.prefix { $0 != UInt8(ascii: "*") }.count)
    }
  }

  /// yajl turns the first into `?`, the second into an unrelated character, and the third into broken UTF-8.
  @Test(arguments: [#"\uD800"#, #"\uD800\u0041"#, #"\uDC00"#, #"\uD800\uD800"#, #"\uDC00\uD800"#, #"\uD800x"#, #"\uD800\n"#])
  func `escapes of lone surrogates are refused`(escape: String) throws {
    for document in ["[\"\(escape)\"]", "{\"\(escape)\":1}", "[\"é\\n\(escape)\"]"] {
      #expect(try EventDump(document).error?.code == .encoding)
    }
  }

  /// yajl overlooks an unterminated string after the value.
  @Test(arguments: [#"[]"abc"#, "[] \"", "{}x", "1 2", "[]]", "\"a\"\"b\"", "[],", "null\n\n0"])
  func `only white space may follow the value`(document: String) throws {
    for chunkSize in [1, 2, 64] {
      #expect(try EventDump(document, chunkSize: chunkSize).error?.code == .syntax)
    }
    #expect(try EventDump("[] \n\t\r ").error == nil)
  }

  /// yajl's `allow_multiple_values` would accept these.
  @Test(arguments: ["truefalse", "[]{}", "1true", "\"a\"1", "{}\n{}"])
  func `a document has only one value`(document: String) throws {
    let message = try #require(EventDump(document).error?.message)
    #expect(message.hasPrefix("the document is complete, but "))
  }

  /// yajl refuses any byte order mark without naming it.
  @Test func `a byte order mark takes bytes but no column`() throws {
    #expect(try EventDump("‹EF BB BF›[1]").events == ["arrayStart @3 1:1", "number 1 @4 1:2", "arrayEnd @5 1:3"])
  }

  @Test(arguments: [
    ("‹FE FF 00›[‹00›]", "UTF-16 (big endian)"), ("‹FF FE›[‹00›]‹00›", "UTF-16 (little endian)"),
    ("‹00 00 FE FF 00 00 00›1", "UTF-32 (big endian)"), ("‹FF FE 00 00›1‹00 00 00›", "UTF-32 (little endian)"),
  ])
  func `other encodings are named`(document: String, name: String) throws {
    #expect(try EventDump(document).error?.message == "the text is \(name), but must be UTF-8: convert it first")
  }

  /// yajl's own numbers overflow, lose `-0` and 1e-400, and depend on the locale.
  @Test(arguments: [
    "0", "-0", "-0.0", "1E400", "1e-400", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "0.1000",
    "123456789012345678901234567890.123456789012345678901234567890e-12345678901234567890",
  ])
  func `numbers keep their own digits`(number: String) throws {
    for chunkSize in [1, 2, 5, 64] {
      #expect(try EventDump(number, chunkSize: chunkSize) == EventDump(number))
      #expect(try EventDump(number, chunkSize: chunkSize).events == ["number \(number) @0 1:1"])
      #expect(try EventDump("[\(number),\(number)]", chunkSize: chunkSize).kindsAndTexts.dropFirst().first == "number \(number)")
    }
  }

  /// yajl counts from each chunk's start, and loses the place when the input ends.
  @Test func `places count from the start of the document for any chunk size`() throws {
    for chunkSize in 1...20 {
      let dump = try EventDump("[1,\n  \"a\\n\", 22", chunkSize: chunkSize)
      // The truncated number is not an event, but its place counts.
      #expect(dump.events == ["arrayStart @0 1:1", "number 1 @1 1:2", "string a\n @6 2:3"])
      #expect(dump.error?.position == TextPosition(offset: 15, line: 2, column: 12))
    }
  }

  /// yajl quotes the text around an error verbatim.
  @Test(arguments: ["[‹00›]", "[\"‹00›\"]", "[‹01 02›]", "[‹1B›]", "[‹FF›]", "[\"a‹80›\"]", "[1‹C3›", "{‹7F›}"])
  func `messages have no control characters and no broken text`(document: String) throws {
    let error = try #require(EventDump(document).error)
    #expect(!error.message.isEmpty)
    #expect(error.message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control && $0 != "\u{FFFD}" })
  }

  /// yajl's callbacks can't pause the parse, so the reader passes one chunk at a time.
  @Test func `each batch takes one chunk of the source`() throws {
    let source = CountedSource(Array(repeating: UInt8(ascii: " "), count: 640) + "[1]".utf8)
    var reader = JSONEventReader(source, limits: ReaderLimits(chunkSize: 64))
    for count in 1...8 {
      #expect(try reader.next())
      #expect(source.tally.reads == count)
    }
  }

  /// yajl has no depth limit: its stack grows with the document.
  @Test func `the default depth limit is 512`() throws {
    let open = String(repeating: "[", count: 512)
    let close = String(repeating: "]", count: 512)
    #expect(try EventDump(open + close).error == nil)
    let error = try EventDump(open + "[]" + close).error
    #expect(error?.code == .depthLimit)
    #expect(error?.position == TextPosition(offset: 512, line: 1, column: 513))
  }

  /// yajl copies a token that spans chunks and lexes it again with each chunk, which takes quadratic time in the number of
  /// chunks.
  @Test(arguments: [(#"0123456789abcdef"#, 16), (#"01\n456\"\u00e9é"#, 11)])
  func `long strings are read whole in linear time`(piece: String, resolved: Int) throws {
    let count = 100_000
    let source = RepeatingSource(start: "[\"", piece: piece, count: count, end: "\",2]")
    let result = try EventLengths(source, limits: ReaderLimits())
    #expect(result.lengths == [1, count * resolved, 1, 1])
    // One batch for each chunk, and a few for the start and the end. None is repeated.
    #expect(result.batches <= count * piece.utf8.count / (64 << 10) + 6)
  }

  /// yajl overwrites its copies with the next token. The reader keeps texts with escapes as long as the batch, and copies no
  /// others.
  @Test func `only texts with escapes are copied`() throws {
    var reader = JSONEventReader(MemorySource(#"["plain","a\n","b\n",{"key":1,"k\u0065y":2}]"#.utf8))
    #expect(try reader.next())
    let batch = reader.batch
    let texts = (0..<batch.count).map { batch.text(of: batch[$0]).string }
    #expect(texts == ["[", "plain", "a\n", "b\n", "{", "key", "1", "key", "2", "}", "]"])
    let isCopied = (0..<batch.count).map {
      batch.text(of: batch[$0]).base < batch.buffer || batch.text(of: batch[$0]).base >= batch.buffer + 44
    }
    #expect(isCopied.indices.filter { isCopied[$0] } == [2, 3, 7])
  }

  /// A yajl handle parses one document.
  @Test func `readers do not disturb each other`() throws {
    var first = JSONEventReader(MemorySource("[1,2,3]".utf8), limits: ReaderLimits(chunkSize: 2))
    var second = JSONEventReader(MemorySource("{\"a\":[".utf8), limits: ReaderLimits(chunkSize: 3))
    var counts = (0, 0)
    var failed = false
    for _ in 0..<8 {
      if try first.next() { counts.0 += first.batch.count }
      do { if try second.next() { counts.1 += second.batch.count } } catch { failed = true }
    }
    #expect(counts == (5, 3))
    #expect(failed)
  }

  /// Inside brackets that Coffer adds, yajl would accept an empty slice, and `1,` next to `,2`. So the scanner is not trusted.
  @Test(arguments: ["", " ", "1 2", "1,", ",1", "1],[2", "1]", "{", "\"", "[1", "{\"a\":1", "nul", "\"\\q\"", "01", "1,,2"])
  func `a slice that is not a run of values fails`(content: String) {
    var reader = SliceReader(Slice(of: Array(content.utf8), syntax: .json), depth: 2, limits: ReaderLimits())
    while reader.next() {}
    let hasFailed = reader.hasFailed
    #expect(hasFailed)
  }

  /// The tree interface leaked (CVE-2023-33460).
  @Test func `the tree interface of yajl is not used`() throws {
    let sources = Checkout.folder.appending(path: "Sources")
    let files = [".swift", ".c", ".h"].flatMap { Checkout.files(below: sources, ending: $0) }
    #expect(files.count > 50)
    for file in files {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      #expect(!text.contains("yajl_tree"), "\(file)")
    }
  }
}
