import Coffer
import Rules
import SystemPackage
import TestSupport
import Testing

/// Rules that are drafted from an app's export in January: next months' exports satisfy them, and mistakes don't.
@Suite struct NextMonthTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func draft(_ app: AppExport, seed: UInt64) throws -> RuleDraft {
    try folder.write(app.export(month: 1, seed: seed).json, to: "january.json")
    return try RuleDrafter(options: DraftingOptions()).draft([folder.path.appending("january.json")])
  }

  private func errors(in export: ExportValue, by draft: RuleDraft) throws -> [Finding] {
    var options = ValidationOptions(now: Instant(seconds: 0))
    options.maximumFindings = 1000
    let validator = Validator(.document(try RuleDocument(MemorySource(draft.json.utf8)), name: "draft"), options: options)
    let report = try validator.validate(MemorySource(export.json.utf8), named: "export.json")
    #expect(report.error == nil)
    return report.findings.filter { $0.severity == .error }
  }

  @Test(arguments: AppExport.all) func `drafts of an app's export have the relations of its data`(_ app: AppExport) throws {
    let draft = try draft(app, seed: 1)
    let facts = RuleFacts(draft.document).facts.map(\.description)
    #expect(app.facts.filter { !facts.contains($0) } == [], "\(draft.yaml)\n\(draft.notes)")
  }

  @Test(arguments: AppExport.all, 0..<TestDepth.count(everyday: 6, deep: 200) as Range<UInt64>)
  func `the exports of later months satisfy January's draft`(_ app: AppExport, _ seed: UInt64) throws {
    let draft = try draft(app, seed: seed)
    for month in [2, 12] {
      let errors = try errors(in: app.export(month: month, seed: seed &+ 1000), by: draft)
      #expect(errors.map { "\($0.schemaLocation): \($0.message) at \($0.place.pointer)" } == [])
    }
  }

  @Test(arguments: AppExport.all) func `slices and threads don't change the draft of an app's export`(_ app: AppExport) throws {
    try folder.write(app.export(month: 1, seed: 2).json, to: "january.json")
    var drafts: [RuleDraft] = []
    for size in [nil, 200, 3000] {
      var options = DraftingOptions()
      options.execution.jobs = size == nil ? 1 : 3
      if let size { options.slices?.sliceSize = size } else { options.slices = nil }
      drafts.append(try RuleDrafter(options: options).draft([folder.path.appending("january.json")]))
    }
    #expect(drafts[1].json == drafts[0].json && drafts[2].json == drafts[0].json)
    #expect(drafts[1].notes == drafts[0].notes && drafts[2].notes == drafts[0].notes)
  }

  @Test(arguments: AppExport.all) func `January's draft finds the mistakes in December's export`(_ app: AppExport) throws {
    let draft = try draft(app, seed: 3)
    let december = app.export(month: 12, seed: 3)
    for mistake in app.mistakes {
      var export = december
      mistake.make(&export)
      let errors = try errors(in: export, by: draft)
      let pointer = Self.resolve(mistake.pointer, in: december)
      #expect(
        errors.contains { $0.keyword == mistake.keyword && $0.place.pointer == pointer },
        "\(app.name), \(mistake.name): \(errors.map { "\($0.keyword) \($0.place.pointer) \($0.message)" })")
    }
  }

  /// Replaces `{kind card}` by the index of the first such record, and `{0}` by the first member's name.
  private static func resolve(_ pointer: String, in export: ExportValue) -> String {
    var value: ExportValue? = export
    let tokens = pointer.split(separator: "/").map { token -> String in
      var token = String(token)
      if token.hasPrefix("{") {
        let words = token.dropFirst().dropLast().split(separator: " ").map(String.init)
        if words.count == 2 {
          token = value?.index(where: words[0], is: words[1]).map { "\($0)" } ?? ""
        } else if case .object(let members) = value {
          token = members.first?.key ?? ""
        }
      }
      value = Int(token).flatMap { value?[$0] } ?? value?[token]
      return token
    }
    return tokens.map { "/" + $0 }.joined()
  }
}
