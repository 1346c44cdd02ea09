import Foundation
import TestSupport
import Testing

/// `validate` with several threads and limited memory.
@Suite struct ValidateScaleTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `the report is the same with any number of jobs`() async throws {
    let kinds = ["reference", "duplicate", "enum", "future", "unknown", "order"]
    let generated = try await Command(
      "generate", "ev-charging-tracker", "backup.json", "--size", "6MB", "--seed", "3", "--ledger", "backup.ledger",
      "--defect", kinds[0], "--defect", kinds[1], "--defect", kinds[2], "--defect", kinds[3], "--defect", kinds[4], "--defect",
      kinds[5],
      in: folder)
    #expect(generated.status == 0)
    var reports: Set<String> = []
    for jobs in ["1", "2", "5"] {
      let run = try await Command(
        "validate", "backup.json", "--jobs", jobs, "--output-format", "json", "--now", "2026-07-01T00:00:00Z", in: folder)
      #expect(run.status == 1)
      reports.insert(run.output)
    }
    #expect(reports.count == 1)
    let ledger = try folder.text(of: "backup.ledger").split(separator: "\n").count
    let report = try #require(try reports.first.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) } as? [String: Any])
    let findings = (report["files"] as? [[String: Any]])?.first?["findings"] as? [Any]
    #expect(findings?.count == ledger)
  }

  /// 60,000 string keys take more than 1 MiB.
  @Test func `keys that exceed the memory limit are still checked`() async throws {
    try folder.write(
      """
      {"properties": {
        "people": {"primaryKey": "id"},
        "visits": {"foreignKeys": [{"fields": "person", "reference": {"resource": "/people", "fields": "id"}}]}}}
      """, to: "rules.json")
    var visits = (0..<60_000).map { #"{"person":"person-\#($0 &* 7919 % 60_000)"}"# }
    visits[100] = #"{"person":"nobody"}"#
    visits[59_000] = #"{"person":"nobody else"}"#
    var people = (0..<60_000).map { #"{"id":"person-\#($0)"}"# }
    people[59_999] = #"{"id":"person-5"}"#
    try folder.write(
      #"{"visits":[\#(visits.joined(separator: ","))],"people":[\#(people.joined(separator: ",\n"))]}"#, to: "a.json")
    let arguments = ["validate", "--rules", "rules.json", "a.json", "--output-format", "json", "--jobs", "2"]
    let limited = try await Command(arguments + ["--memory-limit", "1MiB"], in: folder)
    let unlimited = try await Command(arguments + ["--memory-limit", "1GiB"], in: folder)
    #expect(limited.status == 1)
    #expect(limited.output == unlimited.output)
    // The replaced person is missing, too, and has a visit.
    #expect(limited.output.contains(#""foreign-key": 3"#))
    #expect(limited.output.contains(#""primary-key": 1"#))
    #expect(try folder.names == ["a.json", "rules.json"])
  }
}
