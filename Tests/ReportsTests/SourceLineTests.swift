import ByteStreams
import Findings
import Reports
import Testing

@Suite struct SourceLineTests {
  private func lines(_ document: String, at offset: Int, length: Int? = nil, width: Int = 80) -> String {
    var renderer = TextReport()
    renderer.width = width
    renderer.showsMeasures = false
    let bytes = Array(document.utf8)
    renderer.source = { _, range in Array(bytes[range.clamped(to: 0..<bytes.count)]) }
    let end = length.map { TextPosition(offset: offset + $0, line: 1, column: 1) }
    let line = document.utf8.prefix(offset).count { $0 == UInt8(ascii: "\n") } + 1
    let finding = Finding(
      code: "type", keyword: "type", severity: .error, message: "wrong",
      place: Place(pointer: "/a", at: TextPosition(offset: offset, line: line, column: 1), end: end),
      schemaLocation: "/properties/a/type",
      record: RecordIdentity(collection: "/a", key: "7"))
    var report = ValidationReport(file: "a.json")
    report.findings = [finding]
    report.counts.add(1, finding.rule)
    let text = renderer.text(of: report).split(separator: "\n", omittingEmptySubsequences: false)
    return text.dropFirst().prefix { !$0.hasPrefix("a.json: ") }.joined(separator: "\n")
  }

  @Test func `the value is marked in its line, with the record's key and the rule`() {
    #expect(
      lines("{\n  \"carId\": 99, \"cost\": 5\n}", at: 13, length: 2) == """
            2 |   "carId": 99, "cost": 5
              |            ^^
            /a, byte 13, key 7
            rule /properties/a/type
        """)
  }

  @Test func `of a value of several lines, the first one is marked`() {
    #expect(
      lines("[{\n\"a\": 1}]", at: 1, length: 9) == """
            1 | [{
              |  ^
            /a, byte 1, key 7
            rule /properties/a/type
        """)
  }

  @Test func `a long line is shown around the value`() {
    let document = "[" + String(repeating: "\"é\",", count: 500) + "99," + String(repeating: "1,", count: 500) + "]"
    let text = lines(document, at: 2501, length: 2, width: 60).split(separator: "\n").map(String.init)
    #expect(text[0].hasPrefix("    1 | …") && text[0].hasSuffix("…"), "\(text[0])")
    #expect(text[0].count <= 60 && text[1].count <= 60)
    let marker = text[1].distance(from: text[1].startIndex, to: text[1].firstIndex(of: "^") ?? text[1].endIndex)
    #expect(text[0].dropFirst(marker).hasPrefix("99,"), "\(text[0])\n\(text[1])")
  }

  @Test func `control characters and tabs don't move the marker`() {
    let text = lines("[\t\"\u{1B}[31m\",\t5]", at: 11, length: 1).split(separator: "\n").map(String.init)
    #expect(text[0] == #"    1 | [ "\u{1B}[31m", 5]"#)
    #expect(text[1].count - 1 == text[0].distance(from: text[0].startIndex, to: text[0].lastIndex(of: "5") ?? text[0].endIndex))
  }

  @Test func `without a terminal or the text, findings have two lines`() {
    var renderer = TextReport()
    renderer.source = { _, _ in Array("[1]".utf8) }
    #expect(!renderer.text(of: .sample).contains(" | "))
    renderer.width = 80
    renderer.source = { _, _ in nil }
    #expect(!renderer.text(of: .sample).contains(" | "))
    renderer.source = { _, _ in [] }
    #expect(!renderer.text(of: .sample).contains(" | "))
  }
}
