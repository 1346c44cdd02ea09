import Foundation
import JSONEvents
import LaneComparison
import TestSupport
import Testing

/// The lane accepts the same documents as yajl and gives the same events, whatever instructions it uses.
@Suite struct LaneTests {
  /// Returns whether the scan would pass the bytes to the lane.
  private static func isText(_ bytes: some Collection<UInt8>) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil && !bytes.contains { $0 == 0x0B || $0 == 0x0C }
  }

  private func check(
    _ records: some Collection<UInt8>, _ syntax: JSONSyntax, ofObject: Bool = false, limits: ReaderLimits = ReaderLimits(),
    comparesKeys: Bool = true
  ) -> Bool {
    let (names, isRefused) = SliceReading.kernelsThatDiffer(
      on: records, syntax: syntax, ofObject: ofObject, limits: limits, comparesKeys: comparesKeys)
    #expect(names.isEmpty, "\(String(decoding: records, as: UTF8.self).prefix(2000))")
    return isRefused
  }

  // MARK: Cases

  private static let numbers = [
    "0", "-0", "1", "-1", "10", "01", "-01", "00", "-", "+1", ".5", "1.", "1.5", "-1.50", "0.0", "1.5.5", "1e5", "1E+5", "1e-05",
    "1e", "1e+", "1.e1",
    "1.0e", "123456789012345", "1234567890123456", "12345678901234567", "123456789012345.5", "12345678901234.55",
    "1234567890123.", "0123456789012345",
    "123456789012345678901234567890.123456789012345678901234567890e+123456789012345678", "1x", "1-", "--1", "-a", "1_000", "0x10",
    "NaN", "Infinity",
  ]

  private static let strings: [String] =
    (28...70).map { "\"" + String(repeating: "x", count: $0) + "\"" } + [
      #""""#, #""a"#, #"""#, #""\""#, #""\\""#, #""\"#, #""\/\b\f\n\r\t\"""#, #""\x""#, #""\u0041""#, #""\u004""#, #""\u00g0""#,
      #""\u0000""#, #""\u07ff\u0800\uffff""#,
      #""\ud83d\udd0b""#, #""\ud83d""#, #""\udd0b""#, #""\udd0b\ud83d""#, #""\ud83d\u0041""#, #""\ud83dx""#, #""\uD83D\uDD0B""#,
      "\"\t\"", "\"\u{1F}\"", "\"\u{7F}\"",
      "\"é€🔋\"", #""é\n€\n🔋""#, #"'a'"#, #""a"b"#, "\"" + String(repeating: #"\n"#, count: 100) + "\"",
      "\"" + String(repeating: "long ", count: 30) + #"\""#,
    ]

  private static let others = [
    "true", "false", "null", "tru", "truE", "nul", "fals", "nullx", "true1", "[]", "[ ]", "{}", "{ }", "[1,]", "[,1]", "[1 2]",
    "[1", "1]", "{", "}", "{1:2}",
    #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a" : 1 , "b":2}"#, #"{"a":1 "b":2}"#, #"{"a"::1}"#, #"{"a":1]"#, "[1}",
    #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#,
    #"{"":1,"":2}"#, "[[[[]]]]", #"{"a":{"b":{"c":[{}]}}}"#, "", " ", ",", ":", "1 2", "1,,2", "1],[2", "[1]]", "\u{FEFF}1",
    "\u{0}", "//", "/**/1",
  ]

  @Test(arguments: [true, false]) func `the lane reads the members of an object like yajl`(comparesKeys: Bool) {
    var refused = 0
    for token in Self.numbers + Self.strings + Self.others {
      for form in [
        "%", "\"k\":%", " \"k\" : % ", "\"k\":%,", ",\"k\":%", "\"k\":%,\"l\":%", "\"k\":{\"k\":%},\"l\":{\"k\":%}",
        "\"k\":%,\"k\":%", "\"k\":1,\"\\u006b\":%", "\"k\":[%]\n,\n\"l\":2}", "%:1", "%:1,%:2", "\"k\":%]", "\"k\"%", "\"k\":{%",
      ] {
        if check(form.replacing("%", with: token).utf8, .json, ofObject: true, comparesKeys: comparesKeys) { refused += 1 }
      }
    }
    let many = (0..<300).map { #""key number \#($0)": {"a": \#($0), "b": {}}"# }
    #expect(!check(many.joined(separator: ", ").utf8, .json, ofObject: true, comparesKeys: comparesKeys))
    let isRefused = check((many + many.prefix(1)).joined(separator: ",").utf8, .json, ofObject: true, comparesKeys: comparesKeys)
    #expect(isRefused == comparesKeys)
    #expect(refused > 500)
  }

  @Test(arguments: JSONSyntax.allCases) func `the lane reads all tokens like yajl`(_ syntax: JSONSyntax) {
    for token in Self.numbers + Self.strings + Self.others {
      for form in [
        "%", " %", "% ", "1,%", "%,1", "[%]", "{\"k\":%}", "{\"k\": % , \"l\":%}", "[%, %]", "{%:1}", "1\n%", "%\n2",
        "%\r\n\n \t\n%",
      ] {
        _ = check(form.replacing("%", with: token).utf8, syntax)
        _ = check(form.replacing("%", with: token).utf8, syntax, comparesKeys: false)
      }
    }
  }

  @Test func `the lane has the same limits as yajl`() {
    var limits = ReaderLimits()
    for (size, length) in [5, 64].flatMap({ size in (size - 4...size + 6).map { (size, $0) } }) {
      limits.tokenSize = size
      let text = String(repeating: "7", count: length)
      for token in [text, "-\(text)", "\"\(text)\"", #""\n\#(text)""#, "{\"\(text)\":1}", #"{"\#(text)\n":1}"#] {
        _ = check(token.utf8, .json, limits: limits)
      }
    }
    limits.tokenSize = 64
    for depth in 1...6 {
      limits.depth = depth
      for text in ["1", "[]", "{}", "[[]]", "[{}]", #"{"a":[1]}"#, "[[[]]]", "[[[[1]]]]"] {
        for syntax in JSONSyntax.allCases { _ = check(text.utf8, syntax, limits: limits) }
      }
    }
    limits = ReaderLimits()
    limits.lineSize = 8
    for line in ["1234567", "12345678", "123456789", "       ", "        ", "         ", " 1     ", " 1       "] {
      for text in [line, line + "\n", "1\n" + line, line + "\n1"] { _ = check(text.utf8, .jsonLines, limits: limits) }
    }
  }

  /// More keys than a level holds, keys that change all the time, and long keys.
  @Test(arguments: [1, 3, 4, 5, 16, 17, 62, 63, 64, 65, 300]) func `objects with many keys are read`(count: Int) {
    for pad in ["", "a long name that no word holds "] {
      for repeats in [false, true] {
        var text = ""
        for record in 0..<12 {
          let keys = (0..<count).map { "\(pad)k\(repeats ? $0 % max(1, count - 1) : ($0 * (record % 3 + 1)))" }
          text += (record == 0 ? "" : ",") + "{" + keys.map { "\"\($0)\":{\"x\":1}" }.joined(separator: ",\n  ") + "}"
        }
        #expect(!check(text.utf8, .json))
        #expect(!check(text.utf8, .json, comparesKeys: false))
        #expect(!check(text.replacing("\n", with: " ").replacing("},{", with: "}\n{").utf8, .jsonLines) || text.contains("},{\""))
      }
    }
  }

  /// A key after one that there was no room for must not affect how the next object begins.
  @Test func `the token after a key is not expected at the start of an object`() {
    let keys = (0..<64).map { "\"k\($0)\": 1" }.joined(separator: ", ")
    let full = #"{\#(keys), "one too many": 1, "k1": 1}"#
    for next in [#"{, "k1": 1}"#, #"{ "k1": 1}"#] {
      for comparesKeys in [false, true] {
        #expect(check("\(full), \(full), \(next)".utf8, .json, comparesKeys: comparesKeys) == next.hasPrefix("{,"))
      }
    }
  }

  @Test(.enabled(if: !ParsingSuite.names.isEmpty)) func `the lane reads the public suite like yajl`() throws {
    for name in ParsingSuite.names {
      let bytes = Array(try Data(contentsOf: ParsingSuite.folder.appending(path: name)))
      _ = check(bytes, .jsonLines)
      if Self.isText(bytes) { _ = check(bytes, .json) }
    }
  }

  // MARK: Chance

  @Test(arguments: [JSONSyntax.json, .jsonLines]) func `the lane reads mutated records like yajl`(_ syntax: JSONSyntax) {
    let count = TestDepth.count(everyday: 10_000, deep: 500_000)
    var acceptedCount = 0
    var random = SeededRandom(seed: syntax == .json ? 11 : 12)
    for seed in 0..<UInt64(count / 20) {
      let original = Self.records(&random, syntax)
      for _ in 0..<20 {
        var records = original
        Self.damage(&records, &random)
        if syntax == .json, !Self.isText(records) { continue }
        if !check(records, syntax, comparesKeys: seed % 4 != 0) { acceptedCount += 1 }
      }
    }
    #expect(acceptedCount > count / 10)
  }

  /// Returns similar records, like those of backups, with occasional differences.
  private static func records(_ random: inout SeededRandom, _ syntax: JSONSyntax) -> [UInt8] {
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let isPretty = syntax == .json && below(2) == 0
    let (gap, colon) = isPretty ? ("\n    ", ": ") : ("", ":")
    var values = [
      "1", "-2.50", "1e9", "\"\"", "\"a\"", "\"a text of some more words than 32 bytes can hold\"", "\"\\u00e9\\n\"", "true",
      "false", "null", "[]", "{}", "[1, 2]", #"{"x":"y"}"#, "\"é🔋\"",
    ]
    values.swapAt(0, below(values.count))
    let keys = ["id", "name", "a rather long name of a key", "é", "k\\n", "tags"].prefix(1 + below(6))
    let texts = (0..<1 + below(6)).map { _ in
      "{" + keys.map { gap + "\"\($0)\"" + colon + values[below(values.count)] }.joined(separator: ",")
        + (isPretty ? "\n  }" : "}")
    }
    return Array(texts.joined(separator: syntax == .json ? ",\n  " : "\n").utf8)
  }

  private static func damage(_ records: inout [UInt8], _ random: inout SeededRandom) {
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let pieces = [
      "\"", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "0", "1", "-", ".", "e", "t", "\u{1}", "\\u", "\"a\":1,", "id", "é",
    ]
    for _ in 0..<below(3) {
      let place = below(records.count)
      switch below(5) {
      case 0: records.remove(at: place)
      case 1: records.insert(contentsOf: pieces[below(pieces.count)].utf8, at: place)
      case 2: records.replaceSubrange(place...place, with: pieces[below(pieces.count)].utf8)
      case 3: records.removeLast(records.count - place)
      default: records[place] = UInt8(below(256))
      }
      if records.isEmpty { records = [0x20] }
    }
  }
}
