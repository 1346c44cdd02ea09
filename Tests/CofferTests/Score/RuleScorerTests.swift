import BackupFormats
import ByteStreams
import Coffer
import Findings
import Rules
import RulesYAML
import SyntheticBackups
import SystemPackage
import TestSupport
import Testing

@Suite struct RuleScorerTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(_ text: String, to name: String) throws -> FilePath {
    try folder.write(text, to: name)
    return folder.path.appending(name)
  }

  /// 12 cars, and expenses of them.
  private static func backup(expenses: Int = 40) -> String {
    let cars = (1...12).map {
      "{\"id\": \($0), \"name\": \"Van \($0 * 7 % 5)\", \"kind\": \"\($0 % 3 == 0 ? "petrol" : "diesel")\"}"
    }
    let records = (1...expenses).map { number in
      "{\"id\": \(number), \"carId\": \(number % 12 + 1), \"amount\": \(number % 90 + 3), \"day\": \"2026-0\(number % 6 + 1)-1\(number % 9)\", "
        + "\"note\": \"\(number % 7 == 0 ? "car wash" : "n\(number * 31 % 17)")\"}"
    }
    return
      "{\"expenseCount\": \(expenses), \"cars\": [\(cars.joined(separator: ", "))], \"expenses\": [\(records.joined(separator: ", "))]}"
  }

  private static let rules = """
    {
      "type": "object",
      "required": ["expenseCount", "cars", "expenses"],
      "additionalProperties": false,
      "properties": {
        "expenseCount": {"type": "integer", "countOf": "/expenses", "minimum": 0, "maximum": 100000},
        "cars": {
          "type": "array",
          "primaryKey": "id",
          "items": {
            "type": "object", "additionalProperties": false, "required": ["id", "name", "kind"],
            "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "kind": {"type": "string", "enum": ["petrol", "diesel"]}}
          }
        },
        "expenses": {
          "type": "array",
          "primaryKey": "id",
          "allOf": [{"sortedBy": "id"}],
          "foreignKeys": [{"fields": "carId", "reference": {"resource": "/cars", "fields": "id"}}],
          "items": {
            "type": "object", "additionalProperties": false, "required": ["id", "carId", "amount", "day", "note"],
            "properties": {
              "id": {"type": "integer"}, "carId": {"type": "integer"},
              "amount": {"type": "integer", "minimum": 0, "maximum": 1000},
              "day": {"type": "string", "format": "date", "formatMaximum": "now"},
              "note": {"type": "string"}
            }
          }
        }
      }
    }
    """

  private func score(
    _ rules: String, _ backup: String = backup(), jobs: Int = 1, change: (inout RuleScorer.Options) -> Void = { _ in }
  ) throws -> RuleScore {
    var options = RuleScorer.Options(validation: ValidationOptions(now: Validating.now))
    options.validation.execution.jobs = jobs
    change(&options)
    let path = try write(backup, to: "backup.json")
    return try RuleScorer(.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules.json"), options: options).score([
      path
    ])
  }

  private static func gaps(_ score: RuleScore) -> Set<String> { Set(score.gaps.map { "\($0.field) \($0.kind.rawValue)" }) }

  @Test func `rules that say all that a backup shows miss nothing`() throws {
    let score = try score(Self.rules)
    #expect(
      Self.gaps(score) == [] && score.score == 1 && score.caught > 200 && !score.isCutShort && score.fieldsWithFindings == 0)
    // A note may be cut off, as far as this backup shows.
    #expect(score.cells.contains { $0.field == "/expenses/*/note" && $0.kind == .text && $0.allowed > 0 && $0.missed == 0 })
  }

  /// What is taken out of the rules, and what passes then.
  @Test(arguments: [
    (#""countOf": "/expenses", "#, "", ["/expenseCount total", "/expenses/* omission"], "countOf"),
    (#""minimum": 0, "maximum": 1000}"#, #""maximum": 1000}"#, ["/expenses/*/amount range"], "minimum"),
    (#""minimum": 0, "maximum": 1000}"#, #""minimum": 0}"#, ["/expenses/*/amount range", "/expenses/*/amount unit"], "maximum"),
    (#", "enum": ["petrol", "diesel"]"#, "", ["/cars/*/kind value", "/cars/*/kind text", "/cars/*/name exchange"], "enum"),
    (#", "formatMaximum": "now""#, "", ["/expenses/*/day future"], "formatMaximum"),
    (#""amount", "day", "note""#, #""amount", "day""#, ["/expenses/*/note missing"], "required"),
    (
      #""foreignKeys": [{"fields": "carId", "reference": {"resource": "/cars", "fields": "id"}}],"#, "",
      ["/expenses/*/carId reference", "/cars/*/id reference", "/cars/* omission", "/expenses/*/carId exchange"], "foreignKeys"
    ),
    (#""note": {"type": "string"}"#, #""note": {}"#, ["/expenses/*/note type", "/expenses/*/note null"], "type"),
    (
      #""additionalProperties": false, "required": ["id", "name", "kind"]"#, #""required": ["id", "name", "kind"]"#,
      ["/cars/* unknown"],
      "additionalProperties"
    ),
  ])
  func `a rule that is missing is named`(_ rule: String, _ other: String, _ expected: [String], _ keyword: String) throws {
    let weakened = Self.rules.replacing(rule, with: other)
    try #require(weakened != Self.rules)
    let score = try score(weakened)
    #expect(Self.gaps(score) == Set(expected))
    #expect(score.gaps.allSatisfy { $0.keyword == keyword }, "\(score.gaps.map { $0.keyword ?? "" })")
  }

  @Test func `the score depends on the seed, not on threads`() throws {
    func text(_ score: RuleScore) -> String { score.cells.map { "\($0)" }.joined(separator: "\n") }
    let weakened = Self.rules.replacing(#", "enum": ["petrol", "diesel"]"#, with: "")
    let one = try score(weakened)
    let four = try score(weakened, jobs: 4)
    #expect(text(one) == text(four))
    let other = try score(weakened) { $0.seed = 1 }
    #expect(text(one) != text(other) && Self.gaps(one) == Self.gaps(other))
  }

  /// The sample has the records that others refer to, and right totals, so that the rules find nothing in it.
  @Test(arguments: [1, 3]) func `a large backup is tested by a sample`(_ jobs: Int) throws {
    let score = try score(Self.rules, Self.backup(expenses: 30_000), jobs: jobs)
    #expect(score.fieldsWithFindings == 0 && Self.gaps(score) == [] && score.caught > 200)
  }

  @Test func `fields that the samples lack are counted`() throws {
    let rare = Self.backup(expenses: 30_000).replacing("\"id\": 20000,", with: "\"id\": 20000, \"refund\": {\"by\": \"card\"},")
    #expect(try score("{}", rare).fieldsNotSampled == 2)
    #expect(try score("{}", Self.backup(expenses: 30_000)).fieldsNotSampled == 0)
    #expect(try score("{}", Self.backup()).fieldsNotSampled == 0)
  }

  @Test func `a backup with findings is tested where it has none`() throws {
    let backup = Self.backup().replacing("\"carId\": 3,", with: "\"carId\": 300,")
    let score = try score(Self.rules, backup)
    #expect(score.fieldsWithFindings == 0 && score.caught > 150)
  }

  @Test func `the report says that the budget left defects out`() throws {
    let score = try score(Self.rules, Self.backup(expenses: 3000)) { $0.budget = 0 }
    #expect(score.isCutShort && score.caught == 0 && score.score == nil)
  }

  @Test(arguments: ["[]", "{}", "5", "[[[1]]]", #"{"a": {"b": [null]}}"#, "\"x\"", "[1, 2, 3]"])
  func `small documents`(_ backup: String) throws {
    let score = try score("{}", backup)
    #expect(score.caught == 0)
    _ = try self.score("false", backup)
  }

  @Test func `rules must be named, and backups readable`() throws {
    let path = try write("{\"a\": ", to: "cut.json")
    let options = RuleScorer.Options(validation: ValidationOptions(now: Validating.now))
    #expect(throws: CofferError.self) { try RuleScorer(.detected(.builtIn), options: options).score([path]) }
    #expect {
      try RuleScorer(.syntaxOnly(), options: options).score([path])
    } throws: {
      ($0 as? CofferError)?.place.document == path.string
    }
  }

  // MARK: Suggestions

  private static let gappy = """
    # What my app needs.
    type: object
    properties:
      expenseCount: {type: integer}   # not yet counted
      cars:
        type: array
        items:
          type: object
          # The name may be empty.
          required: [name]
          properties:
            name: {type: string}
      expenses:
        primaryKey: id
        items: {}
    """

  /// Returns the suggestions, and the score of the rules with them.
  private func suggestions(
    _ rules: String, _ syntax: RuleSyntax = .json, _ backup: String = backup()
  ) throws -> (before: RuleScore, RuleSuggestions, after: RuleScore) {
    let path = try write(backup, to: "backup.json")
    var options = RuleScorer.Options(validation: ValidationOptions(now: Validating.now))
    options.validation.execution.jobs = 2
    let scorer = RuleScorer(.document(try RuleDocument(MemorySource(rules.utf8), syntax: syntax), name: "r"), options: options)
    let before = try scorer.score([path])
    let suggestions = try scorer.suggestions(for: before, Array(rules.utf8), syntax, named: "rules.json", admitting: [path])
    let better = RuleSource.document(try RuleDocument(MemorySource(suggestions.document), syntax: syntax), name: "r")
    // The backup satisfies them as it did before.
    let report = try Validator(better, options: options.validation).validate(FileSource(path: path), named: "b.json")
    #expect(
      report.counts.total == before.findings.total, "\(report.findings.prefix(3).map { "\($0.place.pointer) \($0.message)" })")
    return (before, suggestions, try RuleScorer(better, options: options).score([path]))
  }

  @Test(arguments: [
    (gappy, true), (gappy.replacing("\n", with: "\r\n"), true),
    ("{\n  \"properties\": {\n    \"cars\": {\"items\": {}}\n  }\n}\n", false),
    ("{}", false), ("{\"properties\": {}}", false), ("{\"properties\": {\"cars\": {\"items\": {\"properties\": {}}}}}", false),
  ])
  func `suggestions fill the gaps, and keep comments and order`(_ rules: String, _ isYAML: Bool) throws {
    let (before, suggestions, after) = try suggestions(rules, isYAML ? .yaml : .json)
    #expect(before.missed > 100 && !suggestions.additions.isEmpty && suggestions.leftOut == [], "\(suggestions.leftOut)")
    let text = String(decoding: suggestions.document, as: UTF8.self)
    #expect(after.missed == 0, "\(Self.gaps(after)) in\n\(text)")
    // Nothing is lost.
    var rest = text[...]
    for word in rules.split(whereSeparator: { $0.isWhitespace || "{}[],".contains($0) }) {
      let found = rest.firstRange(of: word)
      #expect(found != nil, "\(word)")
      if let found { rest = rest[found.upperBound...] }
    }
    #expect(!isYAML || rules.contains("\r\n") == text.contains("\r\n"))
  }

  /// What one place needs is never written into a definition that others use, too.
  @Test(arguments: [
    ##"{"properties": {"cars": {"items": {"$ref": "#/$defs/record"}}, "expenses": {"items": {"$ref": "#/$defs/record"}}}, "$defs": {"record": {"type": "object"}}}"##,
    #"{"additionalProperties": {"type": ["array", "integer"]}}"#,
    #"{"properties": {"cars": true, "expenses": {"items": false}}}"#,
  ])
  func `shared schemas stay as they are`(_ rules: String) throws {
    let (before, suggestions, after) = try suggestions(rules)
    #expect(after.missed < before.missed || !suggestions.leftOut.isEmpty)
    if rules.contains("$defs") {
      // What is beside a `$ref` can't close an object.
      #expect(Self.gaps(after) == ["/cars/* unknown", "/expenses/* unknown"])
      #expect(String(decoding: suggestions.document, as: UTF8.self).contains(#""record": {"type": "object"}"#))
    }
  }

  @Test(arguments: [
    "cars: &list {type: array}\n  expenses: *list", "cars: !!map {type: array}",
    "cars: {items: {properties: {id: &id {}, name: *id}}}",
  ])
  func `aliases, anchors and tags of YAML stay as they are`(_ properties: String) throws {
    let (_, suggestions, _) = try suggestions("properties:\n  \(properties)\n", .yaml)
    #expect(String(decoding: suggestions.document, as: UTF8.self).contains("properties:\n"))
  }

  @Test func `objects of records by id get additionalProperties`() throws {
    let records = (1...30).map { "\"p\($0)00\": {\"id\": \($0), \"age\": \($0 % 20 + 20)}" }.joined(separator: ", ")
    let (before, suggestions, after) = try suggestions(
      #"{"properties": {"people": {"type": "object"}}}"#, .json, "{\"people\": {\(records)}}")
    #expect(before.missed > 20 && after.missed == 0, "\(Self.gaps(after)) \(suggestions.leftOut)")
    #expect(
      String(decoding: suggestions.document, as: UTF8.self).contains("\"additionalProperties\": {\"required\": [\"id\", \"age\"]")
    )
  }

  /// Formats share definitions between many places.
  @Test(arguments: ["aquavate", "ev-charging-tracker", "keeptrack", "smilepile", "swiff"])
  func `backups satisfy the patched rules of a format`(_ name: String) throws {
    let format = try #require(FormatCatalog.builtIn.formats.first { $0.name == name })
    let path = folder.path.appending("backup.json")
    var sink = MemorySink()
    _ = try SyntheticBackup(of: SyntheticFormat(format), options: .init(size: 40_000, seed: 3)).write(to: &sink) {
      _ throws(CofferError) in
    }
    try folder.write(String(decoding: sink.bytes, as: UTF8.self), to: "backup.json")
    var options = RuleScorer.Options(validation: ValidationOptions(now: Validating.now))
    options.budget = 3
    let scorer = RuleScorer(.format(format), options: options)
    let score = try scorer.score([path])
    let suggestions = try scorer.suggestions(
      for: score, Array(format.descriptor.utf8), .json, named: "rules.json", admitting: [path])
    #expect(score.missed > 0 && suggestions.additions.count > 3, "\(suggestions.leftOut)")
    let patched = try BackupFormat(descriptor: String(decoding: suggestions.document, as: UTF8.self))
    #expect(
      try Validator(.format(patched), options: options.validation).validate(FileSource(path: path), named: "b.json").counts.total
        == 0)
    let after = try RuleScorer(.format(patched), options: options).score([path])
    #expect(after.missed < score.missed)
  }

  @Test func `a time in the future outside of the sample counts`() throws {
    let items = (1...3000).map { "{\"id\": \($0), \"at\": \"20\($0 == 2777 ? "31" : "26")-05-0\($0 % 9 + 1)T10:00:00Z\"}" }
      .joined(separator: ",")
    let (before, _, _) = try suggestions("{}", .json, "{\"items\": [\(items)]}")
    #expect(!before.gaps.contains { $0.kind == .future })
  }

  @Test func `a patch of few lines`() throws {
    let text = Self.rules.replacing(#", "enum": ["petrol", "diesel"]"#, with: "")
    let (_, suggestions, _) = try suggestions(text)
    #expect(suggestions.additions == ["/cars/*/kind: enum"])
    let patch = String(decoding: suggestions.patch, as: UTF8.self)
    #expect(
      patch.hasPrefix("--- rules.json\n+++ rules.json\n@@ -9,7 +9,7 @@\n") && patch.split(separator: "\n").count == 11, "\(patch)"
    )
  }

  @Test func `keywords of Coffer are not suggested for other dialects`() throws {
    for draft in ["draft-07/schema#", "draft/2020-12/schema", "draft-04/schema#"] {
      let (_, suggestions, _) = try suggestions(
        "{\"$schema\": \"\(draft.contains("2020") ? "https" : "http")://json-schema.org/\(draft)\"}")
      #expect(
        suggestions.leftOut.contains {
          $0.contains("/cars: primaryKey") && $0.hasSuffix("(it needs \"$schema\": \"urn:coffer:rules:1\")")
        })
      #expect(try RuleDocument(MemorySource(suggestions.document)).warnings.isEmpty)
    }
  }

  @Test func `rules that refuse everything have no score, and findings are said`() throws {
    let none = try score("false")
    #expect(none.score == nil && none.findings.total == 1 && none.fieldsWithFindings > 5)
    // All records have a finding: nothing is planted in them.
    let some = try score(Self.rules.replacing(#""enum": ["petrol", "diesel"]"#, with: #""enum": ["electric"]"#))
    #expect(some.findings.total == 12 && !some.cells.contains { $0.field.hasPrefix("/cars/*") } && Self.gaps(some) == [])
  }

  @Test func `deep values are refused`() throws {
    let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
    for backup in [
      deep, "{\"a\": \(deep)}", String(repeating: "{\"a\": ", count: 600) + "1" + String(repeating: "}", count: 600),
    ] {
      #expect(throws: CofferError.self) { try score("{}", backup) { $0.validation.limits.depth = 5000 } }
    }
  }
}
