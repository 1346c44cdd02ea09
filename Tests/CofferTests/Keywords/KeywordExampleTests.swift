import Coffer
import Testing

/// What the pages show is what happens.
@Suite struct KeywordExampleTests {
  static let now = Instant(seconds: 1_782_681_300)  // 2026-06-28T21:15:00Z
  static let examples = KeywordReference().groups.flatMap(\.pages).flatMap(KeywordExample.all)

  @Test(arguments: examples)
  func anExampleFindsWhatItSays(_ example: KeywordExample) throws {
    #expect(try Self.lines(example) == example.findings)
  }

  /// `code pointer` in document order, with the severity if that isn't error; the root's pointer is empty.
  private static func lines(_ example: KeywordExample) throws -> [String] {
    let rules = try RuleDocument(MemorySource(example.rules.utf8))
    let validator = Validator(.document(rules, name: example.name), options: ValidationOptions(now: now))
    let report = try validator.validate(MemorySource(example.document.utf8), named: example.name)
    if let error = report.error { return [error.message] }
    return report.findings.map { finding in
      let place = finding.place.pointer.isEmpty ? "" : " \(finding.place.pointer)"
      return finding.code + place + (finding.severity == .error ? "" : " (\(finding.severity.rawValue))")
    }
  }
}
