import ByteStreams
import Findings
import Rules
import Testing

@Suite struct CheckedRulesTests {
  private func checkedRules(of rules: String) throws -> [CheckedRule] {
    try RuleDocument(MemorySource(Array(rules.utf8))).compiled().checkedRules()
  }

  @Test func `rules are listed by code with their places`() throws {
    let rules = try checkedRules(
      of: #"""
        {"$schema": "urn:coffer:rules:1", "type": "object",
         "properties": {
           "cars": {"primaryKey": "id"},
           "year": {"maximum": 2100, "severity": "warning", "code": "far", "errorMessage": "too late"},
           "model": {"type": "string"}}}
        """#)
    #expect(
      rules == [
        CheckedRule(
          code: "far", keyword: "maximum", severity: .warning, message: "too late",
          schemaLocations: ["/properties/year/maximum"]),
        CheckedRule(
          code: "not-checked", keyword: "primaryKey", severity: .warning, schemaLocations: ["/properties/cars/primaryKey"]),
        CheckedRule(
          code: "primary-key", keyword: "primaryKey", severity: .error, schemaLocations: ["/properties/cars/primaryKey"]),
        CheckedRule(code: "type", keyword: "type", severity: .error, schemaLocations: ["/type", "/properties/model/type"]),
      ])
  }

  @Test func `a rule with many places lists the first ten`() throws {
    let members = (0..<30).map { "\"m\($0)\": {\"minLength\": 2}" }.joined(separator: ", ")
    let rules = try checkedRules(of: "{\"properties\": {\(members)}}")
    #expect(rules.map(\.code) == ["min-length"])
    #expect(rules[0].schemaLocations.count == 10)
  }
}
