import Coffer
import Testing

/// The examples in the pages are correct.
@Suite struct KeywordExampleTests {
  static let now = Instant(seconds: 1_782_681_300)  // 2026-06-28T21:15:00Z
  static let examples = KeywordReference().groups.flatMap(\.pages).flatMap(KeywordExample.all)

  @Test(arguments: examples)
  func `an example has the findings that its page shows`(_ example: KeywordExample) throws {
    #expect(try Self.lines(example) == example.findings)
  }

  /// Returns `code pointer` lines in document order, with the severity unless it is error; the root's pointer is empty.
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
