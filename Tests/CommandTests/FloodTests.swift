import TestSupport
import Testing

/// A document with far more findings than a report shows: none may hide the few of another rule.
@Suite struct FloodTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      #"""
      {"$schema": "urn:coffer:rules:1", "type": "object", "properties": {
        "cars": {"primaryKey": "id"},
        "expenses": {
          "foreignKeys": [{"fields": "carId", "reference": {"resource": "/cars", "fields": "id"}}],
          "items": {"properties": {"kind": {"enum": ["fuel", "food"]}, "cost": {"maximum": 10000}}}}}}
      """#, to: "rules.json")
    let expenses = (0..<3000).map { index in
      let kind = (200..<1400).contains(index) ? "toll" : "fuel"
      return #"{"kind": "\#(kind)", "cost": \#(index % 500 == 7 ? 20_000 : 5), "carId": \#(index == 2500 ? 99 : 1)}"#
    }
    try folder.write(#"{"cars": [{"id": 1}], "expenses": [\#(expenses.joined(separator: ",\n"))]}"#, to: "backup.json")
  }

  @Test(arguments: ["text", "json", "sarif", "junit", "github", "markdown", "gitlab", "rdjsonl", "checkstyle", "html"])
  func `every report has the only dangling reference`(format: String) async throws {
    let run = try await Command("validate", "--rules", "rules.json", "--output-format", format, "backup.json", in: folder)
    #expect(run.output.contains("carId 99 refers to no record of"), "\(run.output.prefix(2000))")
    let threads = try await Command(
      "validate", "--rules", "rules.json", "--output-format", format, "--jobs", "1", "backup.json", in: folder)
    // The time, the duration and the command differ.
    func plain(_ text: String) -> String {
      text.replacing(#/ in [0-9.]+ s.*|time="[0-9.]+"|<dl class="properties">[^@]*?<\/dl>/#, with: "")
    }
    #expect(plain(threads.output) == plain(run.output))
  }

  @Test func `the summary groups findings by the rule's place and its words`() async throws {
    let run = try await Command("validate", "--rules", "rules.json", "--summary", "backup.json", in: folder)
    #expect(
      run.output.hasPrefix(
        """
        backup.json: 1,207 errors (rules.json)
          1,200  error    enum         /expenses/*/kind: one of 'fuel', 'food' (of 3,000 values, first at 201:10)
              6  error    maximum      /expenses/*/cost: at most 10000 (of 3,000 values, first at 8:26)
              1  error    foreign-key  /expenses/*/carId: the key of a record of /cars (of 3,000 values, at 2501:38)

        """), "\(run.output)")
  }

  @Test func `JUnit has a case for each rule, named by its place, whatever is found`() async throws {
    try folder.write(#"{"cars": [], "expenses": []}"#, to: "empty.json")
    var names: [[Substring]] = []
    for file in ["backup.json", "empty.json"] {
      let run = try await Command("validate", "--rules", "rules.json", "--output-format", "junit", file, in: folder)
      names.append(run.output.matches(of: #/<testcase [^>]* name="([^"]+)"/#).map(\.1))
    }
    #expect(names[0] == names[1])
    #expect(names[0].contains("maximum /expenses/*/cost") && names[0].contains("foreign-key /expenses/*/carId"))
  }

  @Test func `SARIF lists 5,000 results`() async throws {
    let run = try await Command("validate", "--rules", "rules.json", "--output-format", "sarif", "backup.json", in: folder)
    #expect(run.output.matches(of: #/"ruleId"/#).count == 1207)
    let fewer = try await Command(
      "validate", "--rules", "rules.json", "--output-format", "sarif", "--max-findings", "10", "backup.json", in: folder)
    #expect(fewer.output.matches(of: #/"ruleId"/#).count == 10)
    #expect(fewer.output.contains("1,197 more findings are not listed"))
  }
}
