import BackupFormats
import ByteStreams
import Coffer
import Findings
import Rules
import RulesYAML
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
      Self.gaps(score) == [] && score.score == 1 && score.caught > 200 && score.untried == 0 && score.fieldsWithFindings == 0)
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
    #expect(score.bytes > 2_000_000 && score.fieldsWithFindings == 0 && Self.gaps(score) == [] && score.caught > 200)
  }

  @Test func `a backup with findings is tested where it has none`() throws {
    let backup = Self.backup().replacing("\"carId\": 3,", with: "\"carId\": 300,")
    let score = try score(Self.rules, backup)
    #expect(score.fieldsWithFindings == 0 && score.caught > 150)
  }

  @Test func `the budget bounds the defects, and what is left is said`() throws {
    let score = try score(Self.rules, Self.backup(expenses: 3000)) { $0.budget = 0 }
    #expect(score.untried > 200 && score.caught == 0 && score.score == nil)
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

  @Test func `suggestions fill the gaps, and keep comments and order`() throws {
    for (rules, syntax) in [
      (Self.gappy, RuleSyntax.yaml), ("{\n  \"properties\": {\n    \"cars\": {\"items\": {}}\n  }\n}\n", .json), ("{}", .json),
    ] {
      let document = try RuleDocument(MemorySource(rules.utf8), syntax: syntax)
      var options = RuleScorer.Options(validation: ValidationOptions(now: Validating.now))
      options.validation.execution.jobs = 2
      let path = try write(Self.backup(), to: "backup.json")
      let before = try RuleScorer(.document(document, name: "r"), options: options).score([path])
      let suggestions = try RuleSuggestions(for: before, rules, syntax, named: "r.yaml")
      #expect(before.missed > 100 && !suggestions.additions.isEmpty && suggestions.leftOut == [], "\(suggestions.leftOut)")
      let better = try RuleDocument(MemorySource(suggestions.document.utf8), syntax: syntax)
      let after = try RuleScorer(.document(better, name: "r"), options: options).score([path])
      #expect(after.missed == 0, "\(Self.gaps(after)) in\n\(suggestions.document)")
      // Nothing is lost.
      var rest = suggestions.document[...]
      for line in rules.split(whereSeparator: { "{}[] ,\n".contains($0) }) {
        let found = rest.firstRange(of: line)
        #expect(found != nil, "\(line)")
        if let found { rest = rest[found.upperBound...] }
      }
      let report = try Validator(.document(better, name: "r"), options: options.validation).validate(
        FileSource(path: path), named: "b.json")
      #expect(report.counts.total == 0, "\(report.findings.prefix(3).map(\.message))")
    }
  }

  @Test func `a patch of few lines`() throws {
    let score = try score(Self.rules.replacing(#", "enum": ["petrol", "diesel"]"#, with: ""))
    let text = Self.rules.replacing(#", "enum": ["petrol", "diesel"]"#, with: "")
    let suggestions = try RuleSuggestions(for: score, text, .json, named: "rules.json")
    #expect(suggestions.additions == ["/cars/*/kind: enum"])
    #expect(
      suggestions.patch.hasPrefix("--- rules.json\n+++ rules.json\n@@ -9,7 +9,7 @@\n")
        && suggestions.patch.split(separator: "\n").count == 11,
      "\(suggestions.patch)")
  }

  @Test func `keywords of Coffer are not suggested for other dialects`() throws {
    let rules = "{\"$schema\": \"http://json-schema.org/draft-07/schema#\"}"
    let score = try score(rules)
    let suggestions = try RuleSuggestions(for: score, rules, .json, named: "r.json")
    #expect(suggestions.leftOut.contains { $0.hasPrefix("/cars: primaryKey (needs \"$schema\"") }, "\(suggestions.leftOut)")
    let better = try RuleDocument(MemorySource(suggestions.document.utf8))
    #expect(better.warnings.isEmpty, "\(better.warnings.map(\.message))")
  }
}
