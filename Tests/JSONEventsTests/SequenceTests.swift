import ByteStreams
import LaneComparison
import TestSupport
import Testing

@testable import JSONEvents

/// JSON text sequences (RFC 7464), and values one after the other.
@Suite struct SequenceTests {
  @Test(
    arguments: [
      ("", []),
      (" \n\u{1E}\u{1E}\n", []),
      ("1 2", ["number 1 @0 1:1", "number 2 @2 1:3"]),
      ("\u{1E}1\n\u{1E}\"a\"\n", ["number 1 @1 1:2", "string a @4 2:2"]),
      (
        "{}[]\"a\"{}",
        [
          "objectStart @0 1:1", "objectEnd @1 1:2", "arrayStart @2 1:3", "arrayEnd @3 1:4", "string a @4 1:5",
          "objectStart @7 1:8",
          "objectEnd @8 1:9",
        ]
      ),
      (
        "{\n \"é\": 1\n}\n[\n]",
        [
          "objectStart @0 1:1", "key é @3 2:2", "number 1 @9 2:7", "objectEnd @11 3:1", "arrayStart @13 4:1", "arrayEnd @15 5:1",
        ]
      ),
      ("‹EF BB BF›1\r\ntrue", ["number 1 @3 1:1", "true @6 2:1"]),
      ("\"}{\\\"[\" 0", ["string }{\"[ @0 1:1", "number 0 @8 1:9"]),
    ] as [(String, [String])])
  func `each value is a record with its own place`(document: String, events: [String]) throws {
    for size in [1, 2, 5, 1000] {
      let dump = try LineDump(MemorySource([UInt8](document: document), chunkSize: size), as: .sequence, sliceSize: size)
      #expect(dump.events == events)
      #expect(dump.error == nil)
    }
  }

  @Test(
    arguments: [
      ("1 ]", .syntax, "1:3 @2", "expected a value, found ']'"),
      ("{} tru", .truncated, "1:7 @6", "the document ends inside the word 'tru' that begins at line 1, column 4"),
      ("{\"a\":1\n{\"b\":2}", .truncated, "2:1 @7", "the next value begins where ',' or '}' was expected, with 1 bracket open"),
      ("\u{1E}[1,\n\u{1E}[2]\n", .truncated, "2:1 @5", "the next value begins where a value was expected, with 1 bracket open"),
      ("\u{1E}\"abc\u{1E}1", .truncated, "1:6 @5", "the next value begins inside a string that begins at line 1, column 2"),
      ("1,2", .syntax, "1:2 @1", "the value is complete, but ',' follows"),
      ("[1] , [2]", .syntax, "1:5 @4", "expected a value, found ','"),
      ("\"a\"\n\"‹80›\"", .encoding, "2:2 @5", "byte 0x80 is a UTF-8 continuation byte without a lead byte"),
    ] as [(String, CofferError.Code, String, String)])
  func `a value that isn't whole is refused`(text: String, code: CofferError.Code, place: String, message: String) throws {
    let document = [UInt8](document: text)
    for size in [1, 2, 3, 1000] {
      let dump = try LineDump(MemorySource(document, chunkSize: 1 + size % 7), as: .sequence, sliceSize: size)
      let error = try #require(dump.error)
      #expect("\(error.position.line):\(error.position.column) @\(error.position.offset)" == place)
      #expect(error.message == message)
      #expect(error.code == code)
    }
  }

  @Test func `a value may not be longer than a line`() throws {
    var limits = ReaderLimits()
    limits.lineSize = 100
    func dump(_ count: Int, _ sliceSize: Int) throws -> LineDump {
      let long = "[\"" + String(repeating: "x", count: count) + "\"]"
      return try LineDump(
        MemorySource(("1\n  " + long + long).utf8, chunkSize: 10), as: .sequence, sliceSize: sliceSize, limits: limits)
    }
    for size in [10, 100, 1000] {
      #expect(try dump(96, size).error == nil)
      let error = try #require(try dump(97, size).error)
      #expect(error.message == "a value is longer than the limit of 100 bytes")
      #expect(error.code == .lineLimit)
      #expect(error.position == TextPosition(offset: 4, line: 2, column: 3))
    }
  }

  /// The lane and yajl agree on every mixture of values, separators and damage, and the size of slices doesn't matter.
  @Test func `random sequences are read alike in all ways`() throws {
    let values = [
      "1", "-2.5e3", "\"a\"", "null", "true", "{}", "[]", "{\n  \"a\": [1, {\"b\": \"}{\"}]\n}", "[[[]],\n[]]", "\"\\\"\"",
      "{\"a\":1,\"a\":2}",
    ]
    let separators = ["", " ", "\n", "\u{1E}", "\n\u{1E}", "\r\n\u{1E}\u{1E} ", "\t"]
    let damage = ["]", "}", "{", "[", "\"", ",", "x", "\u{0}", ":", "\\"]
    var refused = 0
    for seed in 0..<600 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var text = ""
      for _ in 0..<random.next() % 12 {
        text += separators[Int(random.next() % 7)] + values[Int(random.next() % 11)]
        if seed % 3 == 0, random.next() % 8 == 0 { text += damage[Int(random.next() % 10)] }
      }
      let bytes = Array((text + separators[Int(random.next() % 7)]).utf8)
      let (names, isRefused) = SliceReading.kernelsThatDiffer(on: bytes, syntax: .sequence)
      #expect(names.isEmpty, "\(text)")
      if isRefused { refused += 1 }
      let whole = try LineDump(MemorySource(bytes), as: .sequence, sliceSize: 1 << 20)
      #expect((whole.error != nil) == isRefused, "\(text)")
      for size in [1, 7, 40] {
        let parts = try LineDump(MemorySource(bytes, chunkSize: size), as: .sequence, sliceSize: size)
        #expect(parts == whole, "\(text)")
      }
    }
    #expect((90..<360).contains(refused), "\(refused)")
  }
}
