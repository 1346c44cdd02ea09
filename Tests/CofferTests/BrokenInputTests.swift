import Coffer
import SyntheticBackups
import TestSupport
import Testing

/// Broken input gives an error with its place, never a trap, and earlier findings are kept.
@Suite struct BrokenInputTests {
  private static let sound = (try? Validating.backup(.init(size: 0, seed: 5)).bytes) ?? []

  @Test func `a document cut off anywhere is truncated at that offset`() throws {
    let count = TestDepth.count(everyday: 50, deep: 200)
    for index in 0..<count {
      let length = index * (Self.sound.count - 1) / count
      let report = try Validating.report(on: Array(Self.sound.prefix(length)))
      let error = try #require(report.error)
      #expect(error.code.rawValue == (length == 0 ? "empty" : "truncated"))
      #expect(error.position.offset == length)
      #expect(!report.isValid)
      #expect(!error.message.contains("\n"))
    }
  }

  @Test func `a flipped bit never gives an error or a finding without a place`() throws {
    var random = SeededRandom(seed: 42)
    for _ in TestDepth.cases(everyday: 200, deep: 1000) {
      var bytes = Self.sound
      bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
      let report = try Validating.report(on: bytes)
      if let error = report.error {
        #expect(error.place.position != nil)
        #expect(!error.message.contains("\n"))
      }
      for finding in report.findings { #expect(finding.place.line > 0 && finding.place.column > 0) }
    }
  }

  /// `5000` may be the start of a longer number.
  @Test func `a number that is cut off is not validated`() throws {
    let rules = try RuleDocument(MemorySource(#"{"properties": {"km": {"maximum": 1000}, "n": {"maximum": 1}}}"#.utf8))
    for (text, lines) in [
      (#"{"n":2,"km":5000"#, ["maximum /n"]), (#"{"n":2,"km":5000 "#, ["maximum /n", "maximum /km"]),
    ] {
      for size in 1...text.utf8.count {
        let report = try Validating.report(on: Array(text.utf8), rules: .document(rules, name: "rules"), chunkSize: size)
        #expect(Validating.lines(report) == lines, "in chunks of \(size)")
        #expect(report.error?.code.rawValue == "truncated")
      }
    }
    let root = try RuleDocument(MemorySource(#"{"maximum": 1000}"#.utf8))
    #expect(
      Validating.lines(try Validating.report(on: Array("5000".utf8), rules: .document(root, name: "rules"))) == ["maximum "])
  }

  @Test(arguments: [
    ("", "empty"), ("   \n", "empty"), ("\u{0}\u{1}\u{2}PK", "encoding"), ("PK\u{3}\u{4}", "zip-truncated"),
    ("{\"a\": \u{7}}", "syntax"), ("<html>", "syntax"),
  ])
  func `input that is not JSON gets its own error code`(_ text: String, _ code: String) throws {
    #expect(try Validating.report(on: text).error?.code.rawValue == code)
  }

  @Test func `the error for UTF-16 names the encoding`() throws {
    let little = Array("{\"a\": 1}".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
    for bytes in [[0xFF, 0xFE] + little, little] {
      let error = try #require(try Validating.report(on: bytes).error)
      #expect(error.code.rawValue == "encoding")
      #expect(error.message == "the text is UTF-16 (little endian), but must be UTF-8: convert it first")
    }
  }

  @Test func `nesting beyond the depth limit is an error at the limit`() throws {
    let error = try #require(try Validating.report(on: Array(repeating: UInt8(ascii: "["), count: 100_000)).error)
    #expect(error.code.rawValue == "depth-limit")
    #expect(error.position.offset == 512)
  }

  @Test func `a string over the token limit is an error at its start, before it ends`() throws {
    let source = RepeatingSource(start: "[\n \"", piece: String(repeating: "a", count: 1024), count: 100 << 10, end: "")
    let validator = Validator(.detected(.builtIn), options: ValidationOptions(now: Validating.now))
    let report = try validator.validate(source, named: "endless")
    let error = try #require(report.error)
    #expect(error.code.rawValue == "token-limit")
    #expect(error.position == TextPosition(offset: 3, line: 2, column: 2))
    // The string is refused when it exceeds the limit, not when it ends.
    #expect(report.bytes < 70 << 20)
  }

  @Test func `findings before an error are kept`() throws {
    let (bytes, ledger) = try Validating.backup(.init(size: 0, seed: 5, defects: [.range: 2]))
    let report = try Validating.report(on: Array(bytes.dropLast(20)))
    #expect(report.error?.code.rawValue == "truncated")
    #expect(Validating.lines(report) == ledger.map { "\($0.code) \($0.pointer)" })
  }

  @Test(arguments: [
    ("[1,2,3", 2), ("[1,2,3 ", 3), ("[{},[1],", 2), (#"{"a":[1,2],"b":[{},{}"#, 4), (#"{"a":[1,2],"b":[{},{"c":[1,2,"#, 3),
    (#"{"a":{"b":[1,2,"#, 0), ("[", 0),
  ])
  func `a truncated document counts the records that were read`(_ text: String, _ count: Int) throws {
    for rules in ["true", #"{"items": {"type": ["number", "array", "object"]}, "properties": {"b": {"items": true}}}"#] {
      let document = try RuleDocument(MemorySource(rules.utf8))
      for size in [1, 3, 1 << 16] {
        let report = try Validating.report(on: Array(text.utf8), rules: .document(document, name: "rules"), chunkSize: size)
        #expect(report.error?.code.rawValue == "truncated")
        #expect(report.records == count)
      }
    }
  }

  /// The records of slices merged before the error are counted, too.
  @Test func `a large truncated document counts the records of all its slices`() throws {
    let records = Array(repeating: #"{"id": 1}"#, count: 300_000).joined(separator: ",")
    let report = try Validating.report(on: Array(#"{"trips": [\#(records)"#.utf8), rules: .syntaxOnly())
    #expect(report.error?.code.rawValue == "truncated")
    #expect(report.records == 300_000)
  }
}
