import Foundation
import TestSupport
import Testing

/// Previews of the formats' example documents: they have every field of the file that the format's app shows before an import.
///
/// `COFFER_RECORD=1 swift test --filter InspectExamplesTests` writes the recorded ones.
@Suite struct InspectExamplesTests {
  static let examples = Checkout.names(in: Checkout.formatExamples).map { String($0.dropLast(".json".count)) }

  @Test(arguments: examples) func `the text report is as recorded`(name: String) async throws {
    let path = Checkout.formatExamples.appending(path: name + ".json").path
    let run = try await Command("inspect", "--now", "2026-07-01T00:00:00Z", path)
    let report = run.output.replacing(path, with: "FILE")
    #expect(try report == Recording.of(report, in: "Inspections/\(name).txt"))
    #expect(run.errors == "")
    #expect(run.status == (run.output.contains("import     yes") ? 0 : 1))
  }

  @Test(arguments: ["ev-charging-tracker-v5", "keeptrack"]) func `the JSON report is as recorded`(name: String) async throws {
    let path = Checkout.formatExamples.appending(path: name + ".json").path
    let run = try await Command("inspect", "--output-format", "json", path)
    let report = run.output.replacing(path, with: "FILE")
    #expect(try report == Recording.of(report, in: "Inspections/\(name).json"))
  }

  /// The preview that each app shows before an import, as members of the JSON output.
  @Test(
    arguments: [
      ("aquavate", ["found\": \"1\"", "\"app\": \"1.0\"", "2026-02-10T18:30:00Z", "\"settings\": true"], [1, 3, 2, 1]),
      (
        "ev-charging-tracker",
        [
          "found\": \"9\"", "\"app\": \"2026.3.1 (214)\"", "\"device\": \"sample-phone.local\"", "2026-06-28T20:15:00Z",
          "\"earliest\": \"2026-06-12T10:05:00Z\"", "\"latest\": \"2026-06-27T17:40:00Z\"",
        ], [2, 3, 1, 1, 1, 1]
      ),
      (
        "smilepile", ["found\": \"2\"", "\"app\": \"25.10.02.002\"", "2025-10-02T14:30:22Z", "\"container\": \"json\""],
        [2, 2, 2]
      ),
      ("swiff", ["found\": \"1\"", "2026-02-01T09:30:00Z"], [2, 1, 1, 2]),
      ("keeptrack", ["found\": \"1\"", "2026-01-20T21:05:00Z", "\"settings\": true"], [3, 2, 1]),
    ] as [(String, [String], [Int])])
  func `the JSON report has the fields that the app previews`(name: String, texts: [String], counts: [Int]) async throws {
    let run = try await Command("inspect", "--json", Checkout.formatExamples.appending(path: name + ".json").path)
    for text in texts { #expect(run.output.contains(text)) }
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let file = try #require((report["files"] as? [[String: Any]])?.first)
    let collections = try #require(file["collections"] as? [[String: Any]])
    #expect(collections.map { $0["count"] as? Int ?? -1 } == counts)
  }
}
