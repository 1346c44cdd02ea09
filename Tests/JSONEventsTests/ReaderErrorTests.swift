import ByteStreams
import JSONEvents
import TestSupport
import Testing

@Suite struct ReaderErrorTests {
  @Test(arguments: BrokenDocument.all)
  func `errors have a cause and a place`(document: BrokenDocument) throws {
    let error = try #require(EventDump(document.text).error)
    let place = error.position
    #expect(error.code == document.code)
    #expect(error.message == document.message)
    #expect("\(place.line):\(place.column) @\(place.offset)" == document.place)
  }

  @Test(arguments: BrokenDocument.all)
  func `errors are the same in chunks of any size`(document: BrokenDocument) throws {
    let whole = try EventDump(document.text)
    for size in 1...64 {
      let dump = try EventDump(document.text, chunkSize: size)
      #expect(dump == whole, "in chunks of \(size)")
    }
  }

  /// The same errors far from the start of the document: within lines, chunks and brackets.
  @Test(arguments: BrokenDocument.truncated + BrokenDocument.misplaced + BrokenDocument.tokens)
  func `errors inside a document are the same as at its start`(document: BrokenDocument) throws {
    guard !document.text.hasPrefix("‹EF") else { return }
    let before = "{\"é\": [1, 2],\n \"list\":\n [true, "
    let alone = try #require(EventDump(document.text).error)
    for size in [1, 5, 16, 64, 4096] {
      let error = try #require(EventDump(before + document.text, chunkSize: size).error)
      #expect(error.position.offset == alone.position.offset + before.utf8.count)
      #expect(error.position.line == alone.position.line + 2)
      if alone.code == .empty {
        #expect(error.code == .truncated)
      } else {
        #expect(error.code == alone.code)
      }
    }
  }

  @Test func `events before the error are delivered`() throws {
    let dump = try EventDump("[1, \"a\", {\"k\": tru]")
    #expect(dump.kindsAndTexts == ["arrayStart", "number 1", "string a", "objectStart", "key k"])
  }

  /// A number at the end of a truncated document may be incomplete.
  @Test(arguments: [
    ("{\"km\":5000", ["objectStart", "key km"]), ("[1,50", ["arrayStart", "number 1"]), ("[0", ["arrayStart"]),
    ("[1, [-2.5e3", ["arrayStart", "number 1", "arrayStart"]),
    ("[1,50 ", ["arrayStart", "number 1", "number 50"]), ("[1,true", ["arrayStart", "number 1", "true"]),
    ("[1,\"5\"", ["arrayStart", "number 1", "string 5"]),
  ])
  func `a truncated number is not an event`(document: String, events: [String]) throws {
    for size in 1...16 {
      let dump = try EventDump(document, chunkSize: size)
      #expect(dump.kindsAndTexts == events, "in chunks of \(size)")
      #expect(dump.error?.code == .truncated)
      #expect(
        dump.error?.message.hasPrefix("the document ends where ',' or '\(document.hasPrefix("{") ? "}" : "]")' was expected")
          == true)
      #expect(dump.error?.position.offset == document.utf8.count)
    }
  }

  @Test func `a number that is the whole document is complete`() throws {
    for size in 1...8 {
      let dump = try EventDump("5000", chunkSize: size)
      #expect(dump.kindsAndTexts == ["number 5000"])
      #expect(dump.error == nil)
    }
  }

  @Test func `the description of an error ends with its place`() throws {
    let error = try #require(EventDump("[1,\n é]").error)
    #expect("\(error)" == "expected a value, found 'é' (line 2, column 2, byte 5)")
  }

  @Test func `empty input is an error of its own`() throws {
    for document in ["", " ", "\n\n\t\r ", "‹EF BB BF›", "‹EF BB BF› \n"] {
      for size in [1, 2, 3, 64] {
        let dump = try EventDump(document, chunkSize: size)
        #expect(dump.error?.code == .empty)
        #expect(dump.events == [])
      }
    }
  }

  /// Bare words, signs and escapes may be part of a value.
  @Test(arguments: [
    "hunter2", "[hunter2]", "[1, hunter2", "{} hunter2", "[truhunter2]", "[1 hunter2]", "{hunter2: 1}", "[1.h]", "[-h]", "[1eh]",
    #"["\hunter2"]"#, #"["\ud83dh"]"#, "[tr", "{\"a\": h", "[é]", "[1é]",
  ])
  func `redacted messages quote nothing from the document`(_ text: String) throws {
    let error = try #require(EventDump(text).error)
    for secret in ["hunter2", "'h'", "'tr", "é", "d83d"] { #expect(!error.redacted.message.contains(secret)) }
  }

  @Test func `redacted messages name what was expected`() throws {
    #expect(try EventDump("[1, hunter2").error?.redacted.message == "expected a value, found a word")
    #expect(try EventDump("{} x").error?.redacted.message == "the document is complete, but something else follows")
    #expect(try EventDump("[tr").error?.redacted.message == "the document ends inside a word that begins at line 1, column 2")
    #expect(try EventDump("[\"a").error?.redacted.message == "the document ends inside a string that begins at line 1, column 2")
  }
}
