import ByteStreams
import JSONEvents
import TestSupport
import Testing

private let chunkSizes = [1, 7, 16, 64, 1000, 4096, 5000, 65536]

@Suite struct ReaderDepthLimitTests {
  @Test(arguments: [("[[[1]]]", nil), ("[[[[", 3), (#"{"a":{"b":{}}}"#, nil), (#"{"a":[{"b":["#, 11), ("[[],[[]],[[[]]]]", 11)])
  func `brackets beyond the limit are refused`(document: String, offset: Int?) throws {
    for size in chunkSizes {
      let dump = try EventDump(document.utf8, limits: ReaderLimits(depth: 3, chunkSize: size))
      #expect(dump.error?.code == (offset == nil ? nil : .depthLimit))
      #expect(dump.error?.position.offset == offset)
      #expect(dump.error == nil || dump.error?.message == "the nesting exceeds the limit of 3 levels")
    }
  }

  @Test(arguments: ["[", #"{"a":"#])
  func `endless open brackets are refused at the limit`(open: String) throws {
    let document = String(repeating: open, count: 100_000)
    for size in [16, 65536, 1 << 20] {
      let dump = try EventDump(document.utf8, limits: ReaderLimits(chunkSize: size))
      #expect(dump.error?.code == .depthLimit)
      #expect(dump.error?.position.offset == 512 * open.utf8.count)
    }
  }

  @Test func `a higher limit allows more brackets`() throws {
    let open = String(repeating: "[", count: 100_000)
    let dump = try EventDump(open.utf8, limits: ReaderLimits(depth: 100_000, chunkSize: nil))
    #expect(dump.error?.message == "the document ends where a value or ']' was expected, with 100000 brackets open")
  }
}

@Suite struct ReaderTokenLimitTests {
  /// Tokens of 100 bytes without their quotes; the second of each pair is a byte longer.
  private static let tokens: [(fits: String, exceeds: String)] = [
    ("\"" + String(repeating: "a", count: 100) + "\"", "\"" + String(repeating: "a", count: 101) + "\""),
    ("\"" + String(repeating: "é", count: 50) + "\"", "\"" + String(repeating: "é", count: 50) + "a\""),
    ("\"" + String(repeating: "\\n", count: 50) + "\"", "\"" + String(repeating: "\\n", count: 50) + "a\""),
    ("\"a\\u00e9" + String(repeating: "a", count: 93) + "\"", "\"a\\u00e9" + String(repeating: "a", count: 94) + "\""),
    (String(repeating: "1", count: 100), String(repeating: "1", count: 101)),
    ("-0." + String(repeating: "1", count: 97), "-0." + String(repeating: "1", count: 98)),
  ]

  @Test(arguments: tokens)
  func `tokens up to the limit are read`(token: (fits: String, exceeds: String)) throws {
    for size in chunkSizes {
      for document in ["[\n \(token.fits),1]", token.fits] {
        #expect(try EventDump(document.utf8, limits: ReaderLimits(tokenSize: 100, chunkSize: size)) == EventDump(document))
      }
    }
  }

  @Test(arguments: tokens)
  func `tokens beyond the limit are refused at their start`(token: (fits: String, exceeds: String)) throws {
    let what = token.exceeds.hasPrefix("\"") ? "string" : "number"
    for size in chunkSizes {
      let error = try #require(
        EventDump("[\n \(token.exceeds),1]".utf8, limits: ReaderLimits(tokenSize: 100, chunkSize: size)).error)
      #expect(error.code == .tokenLimit)
      #expect(error.message == "a \(what) is longer than the limit of 100 bytes")
      #expect(error.position == TextPosition(offset: 3, line: 2, column: 2))
    }
  }

  @Test(arguments: tokens.filter { $0.fits.hasPrefix("\"") })
  func `keys have the same limit`(token: (fits: String, exceeds: String)) throws {
    for size in chunkSizes {
      let limits = ReaderLimits(tokenSize: 100, chunkSize: size)
      #expect(try EventDump("{\(token.fits):1}".utf8, limits: limits).error == nil)
      let error = try #require(EventDump("{\(token.exceeds):1}".utf8, limits: limits).error)
      #expect(error.code == .tokenLimit)
      #expect(error.position == TextPosition(offset: 1, line: 1, column: 2))
    }
  }

  /// Errors after a token's first 100 or 5000 bytes don't matter, wherever the chunks end.
  @Test(
    arguments: [
      ("", 200), ("", 4500), ("", 6000), ("\n", 200), ("\n", 4500), ("\n", 6000), ("‹FF›", 200), ("‹FF›", 4500), ("‹FF›", 6000),
      ("‹0C›", 6000), ("\\x", 6000),
      ("‹C3›", 6000), ("\\ud800\"", 200),
      ("\n" + String(repeating: "a", count: 2000), 4500), ("‹FF›" + String(repeating: "a", count: 2000), 4500),
    ], [100, 5000])
  func `the limit does not depend on chunks`(broken: (tail: String, length: Int), tokenSize: Int) throws {
    let document = [UInt8](document: "[1,\"" + String(repeating: "a", count: broken.length) + broken.tail)
    for size in chunkSizes {
      let error = try #require(EventDump(document, limits: ReaderLimits(tokenSize: tokenSize, chunkSize: size)).error)
      #expect((error.code == .tokenLimit) == (broken.length > tokenSize), "in chunks of \(size): \(error)")
      if error.code == .tokenLimit { #expect(error.position.offset == 3) }
    }
  }

  /// A token in the wrong place is a syntax error whatever its length.
  @Test(arguments: [("{\"a\" ", 5), ("[1 ", 3), ("{\"a\":1 ", 7)])
  func `an unexpected token is a syntax error however long it is`(start: (text: String, offset: Int)) throws {
    let document = start.text + "\"" + String(repeating: "a", count: 9000)
    for size in chunkSizes {
      let error = try #require(EventDump(document.utf8, limits: ReaderLimits(tokenSize: 100, chunkSize: size)).error)
      #expect(error.code == .syntax)
      #expect(error.position.offset == start.offset)
    }
  }

  @Test func `white space has no length limit`() throws {
    let space = String(repeating: " \n", count: 20_000)
    for size in [16, 4096, 65536] {
      let dump = try EventDump(
        "\(space)[\(space)1\(space),\(space)2\(space)]\(space)".utf8, limits: ReaderLimits(tokenSize: 8, chunkSize: size))
      #expect(dump.error == nil)
      #expect(dump.events.last == "arrayEnd @200004 100001:1")
    }
  }
}
