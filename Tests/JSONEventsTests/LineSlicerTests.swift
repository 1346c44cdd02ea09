import ByteStreams
import TestSupport
import Testing

@testable import JSONEvents

@Suite struct LineSlicerTests {
  @Test(arguments: [
    ("", []),
    ("\n\n \t\r\n", []),
    ("1", ["number 1 @0 1:1"]),
    ("1\n", ["number 1 @0 1:1"]),
    ("1\r\n\"a\"\r\n", ["number 1 @0 1:1", "string a @3 2:1"]),
    ("\n \n 1\n\n\t2 \n", ["number 1 @4 3:2", "number 2 @8 5:2"]),
    ("‹EF BB BF›1\n2", ["number 1 @3 1:1", "number 2 @5 2:1"]),
    ("\"é\", ".dropLast(2) + "\n[]", ["string é @0 1:1", "arrayStart @5 2:1", "arrayEnd @6 2:2"]),
    ("{\"é\": 1}\n", ["objectStart @0 1:1", "key é @1 1:2", "number 1 @7 1:7", "objectEnd @8 1:8"]),
  ])
  func `each line is a record with its own place`(document: String, events: [String]) throws {
    for size in [1, 2, 5, 1000] {
      let dump = try LineDump(MemorySource([UInt8](document: document), chunkSize: size), sliceSize: size)
      #expect(dump.events == events)
      #expect(dump.error == nil)
    }
  }

  /// The preceding lines are read, and the error has the line and column in the file.
  @Test(
    arguments: [
      ("1,2", .syntax, "1:2 @1", "the line's value is complete, but ',' follows"),
      ("[1\n2]", .syntax, "1:3 @2", "the line ends where ',' or ']' was expected, with 1 bracket open"),
      ("[1,\n2]", .syntax, "1:4 @3", "the line ends where a value was expected, with 1 bracket open"),
      ("0\n{}\n1 2\n3", .syntax, "3:3 @7", "the line's value is complete, but '2' follows"),
      ("\n1,\n", .syntax, "2:2 @2", "the line's value is complete, but ',' follows"),
      (",1", .syntax, "1:1 @0", "expected a value, found ','"),
      ("1\n]\n2", .syntax, "2:1 @2", "expected a value, found ']'"),
      ("1]", .syntax, "1:2 @1", "the line's value is complete, but ']' follows"),
      ("{}{}", .syntax, "1:3 @2", "the line's value is complete, but '{' follows"),
      ("[1],[2]", .syntax, "1:4 @3", "the line's value is complete, but ',' follows"),
      ("1,\"abc\ndef\"", .syntax, "1:2 @1", "the line's value is complete, but ',' follows"),
      ("\"abc\ndef\"\n", .syntax, "1:5 @4", "the line ends inside a string that begins at line 1, column 1"),
      ("7\n\"é\\\n\"", .syntax, "2:4 @6", "the line ends inside a string that begins at line 2, column 1"),
      ("tru\ne", .syntax, "1:4 @3", "the line ends inside the word 'tru' that begins at line 1, column 1"),
      ("1\n-", .truncated, "2:2 @3", "the document ends inside a number that begins at line 2, column 1"),
      ("1\n{\"a\":", .truncated, "2:6 @7", "the document ends where a value was expected, with 1 bracket open"),
      ("1\n{\"a\":\n", .syntax, "2:6 @7", "the line ends where a value was expected, with 1 bracket open"),
      ("\"a\"\n\"‹80›\"", .encoding, "2:2 @5", "byte 0x80 is a UTF-8 continuation byte without a lead byte"),
      ("\"a\"\n\"‹E2 82›\n", .syntax, "2:3 @7", "the line ends inside a character"),
      ("1\n\u{0C}\n2", .syntax, "2:1 @2", "JSON doesn't allow a form feed"),
      ("1\n‹EF BB BF›2", .syntax, "2:1 @2", "expected a value, found U+FEFF"),
      ("1\n\"\\ud800\"", .encoding, "2:2 @3", "the escape \\ud800 is an unpaired surrogate"),
      ("‹FF FE›1‹00›", .encoding, "1:1 @0", "the text is UTF-16 (little endian), but must be UTF-8: convert it first"),
    ] as [(String, CofferError.Code, String, String)])
  func `a line that is not one value is refused`(text: String, code: CofferError.Code, place: String, message: String) throws {
    let document = [UInt8](document: text)
    for size in [1, 2, 3, 1000] {
      let dump = try LineDump(MemorySource(document, chunkSize: 1 + size % 7), sliceSize: size)
      let error = try #require(dump.error)
      #expect("\(error.position.line):\(error.position.column) @\(error.position.offset)" == place)
      #expect(error.message == message)
      #expect(error.code == code)
      #expect(dump == (try LineDump(plainly: document)))
    }
  }

  /// However lines are sliced, the events and the error are the same.
  @Test(arguments: [1, 40, 300, 5000], [false, true])
  func `slices of any size give the same events and error`(sliceSize: Int, isDamaged: Bool) throws {
    var sliceCount = 0
    var failureCount = 0
    for seed in TestDepth.cases(everyday: 60, deep: 300) as Range<UInt64> {
      var random = SeededRandom(seed: seed &+ UInt64(sliceSize))
      var document = RandomLines(seed: seed, lineCount: 20).bytes
      if isDamaged {
        let place = Int(random.next() % UInt64(document.count))
        let damage = Array("\n,\"[]{}\\x1 \u{0B}".utf8) + [0x80, 0xE2]
        document[place] = damage[Int(random.next() % UInt64(damage.count))]
      }
      var limits = ReaderLimits(chunkSize: [1, 17, 65536][Int(random.next() % 3)])
      if random.next() % 8 == 0 { limits.depth = 1 + Int(random.next() % 5) }
      if random.next() % 8 == 0 { limits.tokenSize = 2 + Int(random.next() % 20) }
      let plain = try LineDump(plainly: document, limits: limits)
      let sliced = try LineDump(
        MemorySource(document, chunkSize: 1 + Int(random.next() % 300)), sliceSize: sliceSize, limits: limits)
      #expect(sliced == plain, "seed \(seed)")
      sliceCount += sliced.sliceCount
      if sliced.error != nil { failureCount += 1 }
    }
    #expect(sliceCount > TestDepth.count(everyday: 50, deep: 250))
    #expect(failureCount > TestDepth.count(everyday: isDamaged ? 20 : 0, deep: isDamaged ? 100 : 5))
  }

  /// Only the limit of ReaderLimits matters: a longer line is refused at its first byte, and the preceding lines are read.
  @Test(arguments: [1, 7, 64, 1000]) func `a line over the limit is refused after the lines before it`(sliceSize: Int) throws {
    var limits = ReaderLimits()
    limits.lineSize = 10
    for (document, place) in [
      ("1\n\"4567890\"\n1234567890\n", nil), ("1\n12345678901\n2", 2), ("12345678901", 0), ("1\n           \n2", 2),
      ("[1\n\"45678901234567890", 0), ("1\n1234567890 \n[", 2),
    ] as [(String, Int?)] {
      let dump = try LineDump(MemorySource(document.utf8, chunkSize: 3), sliceSize: sliceSize, limits: limits)
      #expect(dump.error?.position.offset == place.map { document.hasPrefix("[") ? 2 : $0 }, "\(document)")
      if place != nil, !document.hasPrefix("[") { #expect(dump.error?.code == .lineLimit) }
      #expect(dump.recordCount == (place == nil ? 3 : place == 0 ? 0 : 1))
    }
  }

  /// The line is read in pieces, so neither its events nor a long string in it are processed twice.
  @Test func `a long line is one record`() throws {
    let items = (0..<60_000).map { "\($0)" }.joined(separator: ",")
    let text = String(repeating: "long ", count: 100_000) + "\\n"
    let document = "1\n[\(items)]\n\"\(text)\"\n[[\"\(text)\"],\"\(text)\"]\n2"
    let dump = try LineDump(MemorySource(document.utf8), sliceSize: 1000)
    #expect(dump == (try LineDump(plainly: document.utf8)))
    #expect(dump.recordCount == 5)
    #expect(dump.error == nil)
  }

  @Test func `whole lines before an error of the source are read`() throws {
    let slicer = LineSlicer(FailingSource(Array("1\n2\n3".utf8)), options: Slicer.Options())
    #expect(try slicer.nextSlice()?.recordCount == 2)
    #expect(throws: CofferError.self) { try slicer.nextSlice() }
  }

  @Test func `a slice has the place and index of its first record`() throws {
    var options = Slicer.Options()
    options.sliceSize = 8
    let slicer = LineSlicer(MemorySource("\n{}\n\n1\n22\n333\n4444".utf8, chunkSize: 3), options: options)
    let first = try #require(try slicer.nextSlice())
    #expect(first.start == TextPosition(offset: 0, line: 1, column: 1))
    #expect(first.recordCount == 2)
    let second = try #require(try slicer.nextSlice())
    #expect(second.start == TextPosition(offset: 7, line: 5, column: 1))
    #expect(second.firstIndex == 2)
    #expect(second.recordCount == 2)
    let third = try #require(try slicer.nextSlice())
    #expect(third.start.line == 7)
    #expect(third.firstIndex == 4)
    #expect(third.end == 18)
    #expect(try slicer.nextSlice() == nil)
    #expect(slicer.bytesRead == 18)
  }

  @Test(arguments: [
    ("a.jsonl", JSONSyntax.jsonLines), ("/x/a.b.NDJSON", .jsonLines), ("a.json", .json), ("a", .json), ("jsonl", .json),
    ("a.jsonl.lz4", .jsonLines), ("a.json.lz4", .json), ("a.jsonl.gz", .jsonLines), ("a.ndjson.zst", .jsonLines),
    ("a.jsonl.xz", .json), ("", .json),
  ])
  func `the file name shows the syntax`(name: String, syntax: JSONSyntax) {
    #expect(JSONSyntax(ofFileNamed: name) == syntax)
  }
}
