import Coffer
import SyntheticBackups
import TestSupport
import Testing

/// What is left of documents with one known damage.
@Suite struct RecoveryTests {
  @Test func `a known name among what is left of a name counts`() throws {
    let rules = RuleSource.document(
      try RuleDocument(MemorySource(#"{"properties": {"n": {}, "cars": {"items": {"required": ["id"]}}}}"#.utf8)), name: "rules")
    let (text, _, _) = try Self.recover(Array(#"{"n": 2, "cars"X: [{"id": 1}, {"id": 2}]}"#.utf8), rules: rules)
    #expect(text == #"{"n": 2, "cars":[{"id": 1}, {"id": 2}]}"#)
  }

  /// Returns the recovered document, and `reason@offset+bytes` for each part that was left out or repaired.
  private static func recover(
    _ document: [UInt8], named name: String = "damaged.json", jobs: Int = 1, rules: RuleSource? = nil
  ) throws -> (text: String, parts: [String], report: RecoveryReport) {
    var options = RecoveryOptions(now: Validating.now)
    options.validation.execution.jobs = jobs
    var sink = MemorySink()
    let report = try Recovery(rules ?? .syntaxOnly(), options: options).recover(
      MemorySource(document), named: name, to: &sink)
    let parts = report.leftOut.map { "\($0.reason.rawValue)@\($0.position.offset)+\($0.byteCount)" }
    return (String(decoding: sink.bytes, as: UTF8.self), parts, report)
  }

  private static func recover(_ text: String) throws -> (text: String, parts: [String], report: RecoveryReport) {
    try recover(Array(text.utf8))
  }

  @Test(arguments: [
    // Truncation.
    (#"{"a": [{"id": 1}, {"id": 2"#, #"{"a": [{"id": 1}]}"#),
    (#"{"a": [{"id": 1}, {"id": 2}"#, #"{"a": [{"id": 1}, {"id": 2}]}"#),
    (#"{"a": [{"id": 1}], "b": "te"#, #"{"a": [{"id": 1}]}"#),
    (#"{"a": [1, 2, 34"#, #"{"a": [1, 2]}"#),
    (#"{"a": [{"id": 1}], "b""#, #"{"a": [{"id": 1}]}"#),
    (#"{"a": ["#, #"{"a": []}"#),
    // Commas.
    (#"{"a": [{"id": 1} {"id": 2}]}"#, #"{"a": [{"id": 1}, {"id": 2}]}"#),
    (#"{"a": [{"id": 1},, {"id": 2},]}"#, #"{"a": [{"id": 1}, {"id": 2}]}"#),
    (#"{"a": 1 "b": 2,}"#, #"{"a": 1, "b": 2}"#),
    // Brackets.
    (#"{"a": [{"id": 1}}, {"id": 2}], "b": 3}"#, #"{"a": [{"id": 1}, {"id": 2}], "b": 3}"#),
    (#"{"a": [{"id": 1}, {"id": 2}, "b": 3}"#, #"{"a": [{"id": 1}, {"id": 2}], "b": 3}"#),
    (#"{"a": [{"id": 1}, "id": 2}, {"id": 3}]}"#, #"{"a": [{"id": 1}, {"id": 3}]}"#),
    (#"{"a": [{"id": 1}, {"id": 2, {"id": 3}]}"#, #"{"a": [{"id": 1}, {"id": 3}]}"#),
    (#"{"a": [{"id": 1}]}, "b": 3}"#, #"{"a": [{"id": 1}], "b": 3}"#),
    (#"{"a": [{"id": 1}]], "b": 3}"#, #"{"a": [{"id": 1}], "b": 3}"#),
    (#"{"a": [{"id": 1}],} "b": 3}"#, #"{"a": [{"id": 1}], "b": 3}"#),
    (
      #"{"a": [{"id": 1, "t": [1],} "u": 2}, {"id": 2, "t": [], "u": 3}, {"id": 3, "t": [], "u": 4}], "b": [5]}"#,
      #"{"a": [{"id": 2, "t": [], "u": 3}, {"id": 3, "t": [], "u": 4}], "b": [5]}"#
    ),
    (#"[{"id": 1}, ]{"id": 2}, {"id": 3}]"#, #"[{"id": 1}, {"id": 2}, {"id": 3}]"#),
    (#"[{"id": 1}] [{"id": 2}, {"id": 3}]"#, #"[{"id": 1}]"#),
    (
      #"{"a": [{"id": 1, "t": ["x"], "n": 1}, {"id": 2, "t": ["y" % "n": 2}, {"id": 3, "n": 3}]}"#,
      #"{"a": [{"id": 1, "t": ["x"], "n": 1}, {"id": 3, "n": 3}]}"#
    ),
    // The brackets of the last record and its collection.
    (
      "{\"a\": [{\"id\": 1, \"t\": [{\"k\": 1}]}, {\"id\": 2, \"t\": [{\"k\": \0, \"b\": [{\"x\": 1}], \"c\": 2}",
      #"{"a": [{"id": 1, "t": [{"k": 1}]}], "b": [{"x": 1}], "c": 2}"#
    ),
    // A name among items: what follows decides whether the array has ended.
    (
      #"{"a": [{"id": 1}, "":9, {"id": 2}, {"id": 3}], "b": [{"k": 1}]}"#,
      #"{"a": [{"id": 1}, {"id": 2}, {"id": 3}], "b": [{"k": 1}]}"#
    ),
    (#"{"a": [{"id": 1}, "x": {"y": 9} {"id": 2}], "b": [{"k": 1}]}"#, #"{"a": [{"id": 1}, {"id": 2}], "b": [{"k": 1}]}"#),
    (#"{"a": [{"id": 1}, "x": 9, "b": [{"k": 1}]}"#, #"{"a": [{"id": 1}], "x": 9, "b": [{"k": 1}]}"#),
    // Strings.
    ("{\"a\": [{\"id\": \"x\u{1}y\"}, {\"id\": \"z\"}]}", #"{"a": [{"id": "z"}]}"#),
    (#"{"a": [{"id": "\ud800"}, {"id": "z"}]}"#, #"{"a": [{"id": "z"}]}"#),
    (#"{"a": [{"id": "\q"}, {"id": "z"}]}"#, #"{"a": [{"id": "z"}]}"#),
    (#"{"a": [{"id": "x}, {"id": "z"}, {"id": "y"}]}"#, #"{"a": [{"id": "z"}, {"id": "y"}]}"#),
    // What is between strings looks like a record, if a quotation mark is taken for the wrong one.
    ("{\"a\": [{\"t\": \0\"q\", \"u\": [\"{\", \":1},\", \"z\"]}, {\"id\": 2}]}", #"{"a": [{"id": 2}]}"#),
    // Outside of collections.
    (#"{"v": tru, "a": [{"id": 1}]}"#, #"{"a": [{"id": 1}]}"#),
    (#"{"v": {"x": 1, "y": }, "a": [{"id": 1}]}"#, #"{"v": {"x": 1}, "a": [{"id": 1}]}"#),
    // What precedes and follows.
    (#"HTTP 200 {"a": [{"id": 1}]}"#, #"{"a": [{"id": 1}]}"#),
    (#"{"a": [{"id": 1}]} {"a": [{"id": 2}]}"#, #"{"a": [{"id": 1}]}"#),
    (#"ame": "x"}, {"id": 2}, {"id": 3}]}"#, #"[{"id": 2}, {"id": 3}]"#),
  ])
  func `whole records are kept`(_ damaged: String, _ expected: String) throws {
    let (text, _, report) = try Self.recover(damaged)
    #expect(text.replacing(" ", with: "") == expected.replacing(" ", with: ""))
    #expect(report.validation.error == nil)
    #expect(!report.isUndamaged)
  }

  @Test(arguments: [
    "{}", "[]", "7", #" "text" "#, "\u{FEFF}{\"a\": [1]}\n", #"[1, "a", null, {"b": [[], {}]}, [2]]"#,
    #"{"a": {"b": {"c": 1}}, "a": 2}"#,
  ])
  func `an undamaged document is copied byte for byte`(_ text: String) throws {
    let (result, parts, report) = try Self.recover(text)
    #expect(result == text)
    #expect(parts.isEmpty && report.isUndamaged && !report.isLossy)
  }

  @Test(arguments: ["", " \n", "no JSON", "\0\0\0\0"])
  func `nothing is recovered where nothing is`(_ text: String) throws {
    let (_, _, report) = try Self.recover(text)
    #expect(report.isEmpty && report.isLossy)
  }

  @Test func `each part that is left out has its place and reason`() throws {
    let (_, parts, report) = try Self.recover("{\"a\": [\n  {\"id\": 1},\n  {\"id\": \0\0\0},,\n  {\"id\": 3}\n]}\0\0")
    #expect(parts == ["syntax@23+12", "padding@51+2"])
    #expect(report.leftOut[0].pointer == "/a/1")
    #expect(report.leftOut[0].position.line == 3 && report.leftOut[0].position.column == 3)
    #expect((report.lossCount, report.repairCount, report.lostBytes) == (1, 1, 12))
  }

  @Test func `repaired separators lose nothing`() throws {
    let (_, parts, report) = try Self.recover(#"{"a": [{"id": 1}{"id": 2},]}"#)
    #expect(parts == ["separator@16+0", "separator@25+1"])
    #expect(!report.isLossy && !report.isUndamaged)
  }

  @Test func `a bracket that is missing at the document's end loses nothing`() throws {
    let (result, _, report) = try Self.recover(#"{"a": [{"id": 1}, {"id": 2}}"#)
    #expect(result == #"{"a": [{"id": 1}, {"id": 2}]}"#)
    #expect(!report.isLossy && report.repairCount > 0)
  }

  /// Records of another collection: copied from it, or its own, whose beginning is lost.
  @Test(arguments: [
    (#"{"key": 1, "value": 2}, {"id": 3, "name": "z"}], "b": []}"#, #"{"id": 3, "name": "z"}], "b": []}"#, 0),
    (#"{"key": 1, "value": 2}, {"key": 2, "value": 3}]}"#, #"], "b":[{"key": 1, "value": 2}, {"key": 2, "value": 3}]}"#, 1),
  ])
  func `rules decide which collection a record belongs to`(_ rest: String, _ expected: String, _ nameCount: Int) throws {
    let rules = try RuleDocument(
      MemorySource(
        #"""
        {"properties": {
          "a": {"items": {"required": ["id", "name"], "properties": {"id": true, "name": true}}},
          "b": {"items": {"required": ["key", "value"], "properties": {"key": true, "value": true}}}}}
        """#.utf8))
    let whole = #"{"a": [{"id": 1, "name": "x"}"#
    let damaged = Array((whole + ", {\"id\": 2, \"na\0, " + rest).utf8)
    let (result, _, report) = try Self.recover(damaged, rules: .document(rules, name: "rules"))
    let separator = expected.hasPrefix("{") ? "," : ""
    #expect(result.replacing(" ", with: "") == (whole + separator + expected).replacing(" ", with: ""))
    #expect(report.nameCount == nameCount && report.lossCount == 1)
  }

  @Test func `a string that holds a record is no record`() throws {
    let note = #"{\"id\": 7, \"note\": \"x\"}, {\"id\": 8, \"note\": \"y\"}"#
    let records = (1...20).map { #"{"id": \#($0), "note": "\#(note)"}"# }
    let document = Array(#"{"a": [\#(records.joined(separator: ", "))]}"#.utf8)
    for place in stride(from: 8, to: document.count - 2, by: TestDepth.count(everyday: 11, deep: 3)) {
      for byte in [0, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "}")] {
        var damaged = document
        damaged[place] = byte
        let result = try Self.recover(damaged).text
        let parts = DocumentParts(Array(result.utf8))
        let found = parts.records.map { String(decoding: Array(result.utf8)[$0.range], as: UTF8.self) }
        // One record may hold the damage and be whole all the same.
        #expect(found.count { !records.contains($0) } <= 1, "\(byte) at \(place)")
        #expect(found.count >= 18, "\(byte) at \(place)")
      }
    }
  }

  @Test func `lines that are not one value are left out`() throws {
    let text = "{\"id\": 1}\n{\"id\": \n\n{\"id\": 3} x\n{\"id\": 4}\n{\"id\""
    let (result, parts, report) = try Self.recover(Array(text.utf8), named: "damaged.ndjson")
    #expect(result == "{\"id\": 1}\n{\"id\": 4}\n")
    #expect(parts == ["truncated@10+7", "syntax@19+11", "truncated@41+5"])
    #expect(report.leftOut.map(\.pointer) == ["/1", "/2", "/4"])
    #expect(report.leftOut.map(\.position.line) == [2, 4, 6])
  }

  @Test func `what is left out is handed over, large parts in pieces`() throws {
    let zeros = [UInt8](repeating: 0, count: 20 << 20)
    var records = (0..<2000).map { Array(#"{"id": \#($0), "name": "n\#($0)"},"#.utf8) }
    records.insert(zeros, at: 1000)
    let document = Array(#"{"a": ["#.utf8) + records.flatMap(\.self) + Array(#"{"id": 0, "name": "last"}]}"#.utf8)
    var options = RecoveryOptions(now: Validating.now)
    options.validation.execution.jobs = 2
    var sink = MemorySink()
    var rejected = 0
    var pieces: [LeftOut] = []
    let report = try Recovery(.syntaxOnly(), options: options).recover(MemorySource(document), named: "d.json", to: &sink) {
      rejected += $1.count
      pieces.append($0)
    }
    #expect(rejected == zeros.count && report.lostBytes == zeros.count && report.lossCount == 1)
    #expect(report.leftOut.map(\.byteCount) == [zeros.count])
    #expect(pieces.count > 1 && pieces.map(\.continues) == [false] + pieces.dropFirst().map { _ in true })
    #expect(sink.bytes.count == document.count - zeros.count)
    #expect(DocumentParts(sink.bytes).records.count == 2001)
  }

  @Test func `long white space is kept, wherever it is`() throws {
    let blank = String(repeating: " ", count: 3 << 20)
    for text in [
      #"{"a":\#(blank)1,"b":[{"id":1}]}"#, #"{"a"\#(blank):[{"id":1}]}"#, "[1,\(blank)2]", "[1\(blank),2]\(blank)", "\(blank)12",
      #"{"a":[{"id":1},\#(blank){"id":2}]}"#, "\"\(String(repeating: "x", count: 3 << 20))\"", "[\(blank)]",
    ] {
      let (result, _, report) = try Self.recover(text)
      #expect(result == text && report.isUndamaged, "\(text.prefix(20))")
    }
  }

  @Test(arguments: [("\0", "x"), (" ", "x"), ("\0", #"{"a":[{"id":7}]}"#), (",", #"{"a":[{"id":7}]}"#), ("x", "\0"), ("\0", "]")])
  func `what follows the document is a loss if anything in it is`(_ filler: String, _ end: String) throws {
    let (result, _, report) = try Self.recover(#"{"a":[{"id":1},,{"id":2}]}"# + String(repeating: filler, count: 3_000_000) + end)
    #expect(result.hasPrefix(#"{"a":[{"id":1},{"id":2}]}"#))
    #expect(report.lossCount == 1 && report.isLossy)
  }

  @Test(arguments: ["x\0", "\0x", "x,", ",x"])
  func `a tail of several kinds is a loss`(_ tail: String) throws {
    #expect(try Self.recover(#"{"a": [1]}"# + tail).report.isLossy)
  }

  @Test func `too many levels are a loss, not a repair`() throws {
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    let report = try Self.recover(#"{"a":\#(deep),"b":1}"#).report
    #expect(report.isLossy)
  }

  @Test func `threads don't change the result`() throws {
    var random = SeededRandom(seed: 5)
    let original = try Validating.backup(.init(size: 300_000, seed: 3, defects: [:]), of: "swiff").bytes
    var damaged = original
    for _ in 0..<20 { damaged[Int(random.next() % UInt64(damaged.count))] = 0 }
    let expected = try Self.recover(damaged, jobs: 1)
    for jobs in 2...3 {
      let result = try Self.recover(damaged, jobs: jobs)
      #expect(result.text == expected.text && result.parts == expected.parts)
    }
  }

  /// A cost that grows with the square of the size would take hours.
  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      "[", "{", "\"", "{\"a\":", "[{\"a\":1},", "{\"", "[\"", "]", "}", ",", "\\\"", "{\"a\":}", "[{\"a\":[", "\u{1}\"{",
    ])
  func `hostile documents cost in proportion to their size`(_ piece: String) throws {
    let count = TestDepth.count(everyday: 100_000, deep: 300_000) / piece.utf8.count
    let document = Array((#"{"a": [{"id": 1}, {"id": 2}, "# + String(repeating: piece, count: count)).utf8)
    let (_, _, report) = try Self.recover(document)
    #expect(report.bytes == document.count)
    // And without a beginning.
    let headless = Array(document.dropFirst()) + Array("}, 1".utf8)
    #expect(try Self.recover(headless).report.bytes == headless.count)
  }
}
