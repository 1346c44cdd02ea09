import ByteStreams
import JSONEvents
import Rules
import RulesYAML
import TestSupport
import Testing

/// Texts meant to grow, to nest or to break: each quickly gives an error or a value, with memory in proportion to the text.
@Suite struct HostileYAMLTests {
  static func repeated(_ piece: String, _ count: Int) -> String { String(repeating: piece, count: count) }

  /// Expands to nine times nine times nine… values.
  static let bomb =
    "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    + (1..<40).map { "a\($0): &a\($0) [\(Array(repeating: "*a\($0 - 1)", count: 9).joined(separator: ", "))]\n" }.joined()

  static let refused: [(yaml: String, message: String)] = [
    (bomb, "aliases expand beyond a rule document's limit: 32 MiB"),
    // A key would have to be compared with others.
    (bomb.replacing("*a2, *a2]", with: "*a2, *a2]\n? *a3\n: x"), "a key can't be an alias"),
    ("a: &a \(repeated("x", 1 << 20))\nb: [\(repeated("*a, ", 100))]", "aliases expand beyond"),
    ("a: &a {b: *a}", "is inside the value that it refers to"),
    (repeated("[", 100_000), "values are nested deeper than 256"),
    (repeated("{a: ", 100_000), "values are nested deeper than 256"),
    (repeated("- ", 100_000), "values are nested deeper than 256"),
    (repeated("? ", 100_000), "a key must be a string, not a mapping"),
    (repeated("[", 255) + repeated("]", 255) + "\n---\n[", "a second document"),
    ("a: &a \(repeated("[", 200))\(repeated("]", 200))\nb: \(repeated("[", 100))*a", "values are nested deeper than 256"),
    (repeated("]", 100_000), "not valid YAML"),
    (repeated("\"", 100_001), "not valid YAML"),
    (repeated("&a ", 100_000), "not valid YAML"),
    (repeated("%TAG !a! b\n", 100_000), "there are more than 100 directives"),
    ((0..<40_000).map { "%TAG !t\($0)! x\n" }.joined() + "---\na: 1\n", "there are more than 100 directives"),
    (repeated("- !a!b\n", 100_000), "not valid YAML"),
  ]

  @Test(arguments: refused.indices)
  func `YAML that would grow or nest too deep is refused`(index: Int) throws {
    let (yaml, message) = Self.refused[index]
    let error = #expect(throws: CofferError.self) { try RuleSyntax.yaml.read(MemorySource(yaml.utf8)) }
    #expect(try #require(error).message.contains(message), "\(error?.message ?? "")")
  }

  @Test func `large but harmless YAML is read`() throws {
    let text = try RuleSyntax.yaml.read(MemorySource("a: \(Self.repeated("word ", 2_000_000))".utf8))
    #expect(text["a"]?.string?.utf8.count == 9_999_999)
    let list = try RuleSyntax.yaml.read(MemorySource("[\(Self.repeated("1, ", 200_000))]".utf8))
    #expect(list.array?.count == 200_000)
    let anchors = try RuleSyntax.yaml.read(MemorySource((0..<100_000).map { "- &a\($0) \($0)\n- *a\($0)\n" }.joined().utf8))
    #expect(anchors.array?.last?.number == "99999")
    #expect(anchors.array?.count == 200_000)
    let keys = try RuleSyntax.yaml.read(MemorySource((0..<50_000).map { "k\($0): \($0)\n" }.joined().utf8))
    #expect(keys.object?.count == 50_000)
    let levels = try RuleSyntax.yaml.read(MemorySource((Self.repeated("[", 256) + Self.repeated("]", 256)).utf8))
    #expect(levels.array?.count == 1)
  }

  @Test func `YAML over the size limit is refused while it is read`() throws {
    let source = RepeatingSource(start: "enum:\n", piece: "- 12345678\n", count: 1 << 30, end: "")
    let error = #expect(throws: CofferError.self) { try RuleSyntax.yaml.read(source) }
    #expect(error?.message == "the rule document is larger than the limit of 32 MiB")
  }

  /// Random text is read, or refused with a place in the text.
  @Test(arguments: TestDepth.cases(everyday: 400, deep: 4000) as Range<UInt64>)
  func `random YAML is read or refused with a place in it`(seed: UInt64) throws {
    let pieces = [
      "a", ": ", "- ", "\n", "\n  ", "[", "]", "{", "}", ", ", "&x ", "*x", "!!str ", "!y ", "'", "\"", "|\n", ">", "# c", "? ",
      "---\n",
      "...\n", "1.5", "~", "<<", "\t", "é", "🔋", "\\u00", "%YAML 1.2\n", "\r\n", "\u{FEFF}", "\u{85}", "$ref", "@",
    ]
    var random = SeededRandom(seed: seed)
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      if Int.random(in: 0..<40, using: &random) == 0 {
        bytes.append(UInt8.random(in: 0...255, using: &random))
      } else {
        bytes += pieces[Int.random(in: pieces.indices, using: &random)].utf8
      }
    }
    do {
      try checkPlaces(of: RuleSyntax.yaml.read(MemorySource(bytes)), in: bytes)
    } catch {
      check(error.position, in: bytes)
    }
  }

  private func checkPlaces(of value: JSONValue.Located, in bytes: [UInt8]) {
    check(value.position, in: bytes)
    for item in value.array ?? [] { checkPlaces(of: item, in: bytes) }
    for member in value.object ?? [] {
      check(member.keyPosition, in: bytes)
      checkPlaces(of: member.value, in: bytes)
    }
  }

  /// Checks that the line and column match the offset.
  private func check(_ position: TextPosition, in bytes: [UInt8]) {
    let offset = position.offset
    guard offset <= bytes.count else {
      Issue.record("byte \(offset) of \(bytes.count)")
      return
    }
    let before = bytes[..<offset]
    #expect(position.line == 1 + before.count { $0 == UInt8(ascii: "\n") })
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let mark = lineStart == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 1 : 0
    #expect(position.column == 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 } - mark)
  }
}
