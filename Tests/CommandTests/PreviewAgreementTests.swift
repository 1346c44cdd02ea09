import Foundation
import TestSupport
import Testing

/// `inspect` reports a backup as importable if and only if `import` accepts it.
@Suite struct PreviewAgreementTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func expectAgreement(
    _ text: String, _ importability: String, _ options: [String] = [], _ location: SourceLocation = #_sourceLocation
  ) async throws {
    try folder.write(text, to: "in.json")
    let preview = try await Command(["inspect", "in.json"] + options, in: folder)
    let report = try await Command(["inspect", "--json", "-"] + options, input: text, in: folder)
    let result = try await Command(["import", "in.json", "--into", "out.db"] + options, in: folder)
    #expect(report.output.contains(#""reason": "\#(importability)""#), "\(report.output)", sourceLocation: location)
    // Without a format, rules are drafted.
    let isDrafted = importability == "unknown-format" && options.isEmpty
    let isImportable = preview.status == 0 || isDrafted
    #expect(isImportable == (result.status == 0), "\(preview.output)\(result.errors)", sourceLocation: location)
    #expect(result.output.contains("drafted") == isDrafted, sourceLocation: location)
    #expect(preview.status == report.status, sourceLocation: location)
  }

  @Test(arguments: Checkout.names(in: Checkout.formatExamples))
  func `inspect and import agree on the example documents`(name: String) async throws {
    let text = try String(contentsOf: Checkout.formatExamples.appending(path: name), encoding: .utf8)
    let older = ["ev-charging-tracker-v5", "smilepile-android", "keeptrack-legacy"]
    let importability =
      older.contains { name.hasPrefix($0) } ? "older" : name.contains("manifest") ? "unknown-format" : "current"
    try await expectAgreement(text, importability)
  }

  @Test(
    arguments: [
      (#""id": 1,"#, #""id": 1, "id": 1,"#, "duplicate-keys"),
      (#""userSettings": {"#, #""userSettings": {"preferredLanguage": "de", "#, "duplicate-keys"),
      (#""cars": ["#, #""cars": [], "cars": ["#, "duplicate-keys"),
      (#""energyCharged": "#, #""energyCharged": -"#, "findings"),
      (#""databaseSchemaVersion": 9"#, #""databaseSchemaVersion": 10"#, "newer"),
      (#""databaseSchemaVersion": 9"#, #""databaseSchemaVersion": 4"#, "older-than-known"),
      (#""databaseSchemaVersion": 9"#, #""databaseSchemaVersion": 8"#, "older"),
      (#""databaseSchemaVersion": 9"#, #""databaseSchemaVersion": null"#, "no-version"),
    ] as [(String, String, String)])
  func `inspect and import agree on changed examples`(original: String, replacement: String, importability: String) async throws {
    let path = Checkout.formatExamples.appending(path: "ev-charging-tracker.json")
    let text = try String(contentsOf: path, encoding: .utf8)
    #expect(text.contains(original))
    let range = try #require(text.range(of: original))
    try await expectAgreement(text.replacingCharacters(in: range, with: replacement), importability)
  }

  @Test func `inspect and import refuse an older version without migrations`() async throws {
    try folder.write(
      #"""
      {"backup": {"name": "t", "detect": "/t", "version": {"pointer": "/v", "current": 3, "oldest": 1}, "collections": {"/t": {}}},
       "properties": {"t": {"type": "array", "items": {"type": "object"}}}}
      """#,
      to: "t.json")
    try await expectAgreement(#"{"v": 2, "t": []}"#, "no-migration", ["--rules", "t.json"])
    try await expectAgreement(#"{"v": 3, "t": []}"#, "current", ["--rules", "t.json"])
  }

  @Test func `inspect and import refuse rules that describe no backup`() async throws {
    try folder.write(#"{"type": "object"}"#, to: "t.json")
    try await expectAgreement("{}", "unknown-format", ["--rules", "t.json"])
  }

  /// Swiff files from before January 2026 have the current version, too.
  @Test func `older documents of the same version are migrated`() async throws {
    let path = Checkout.formatExamples.appending(path: "swiff.json")
    var document = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [String: Any])
    let people = try #require(document["people"] as? [[String: Any]])
    document["people"] = people.map { $0.filter { $0.key != "personSource" } }
    let text = String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
    try await expectAgreement(text, "older")
    let migrated = try await Command("migrate", "in.json", "-", in: folder).output
    #expect(try await Command("export", "out.db", "exported.json", in: folder).status == 0)
    try folder.write(migrated, to: "migrated.json")
    let difference = try await Command("diff", "migrated.json", "exported.json", in: folder)
    #expect(difference.status == 0, "\(difference.output)")

    // Errors that no migration fixes are reported at their place in the file.
    document["groups"] = 1
    let broken = String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self)
    try await expectAgreement(broken, "findings")
    let run = try await Command("import", "in.json", "--into", "other.db", in: folder)
    #expect(run.status == 1 && run.errors.contains("/people/0/personSource") && run.errors.contains("/groups"))
  }
}
