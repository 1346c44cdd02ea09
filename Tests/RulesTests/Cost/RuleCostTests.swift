import ByteStreams
import JSONEvents
import Rules
import Testing

/// The cost of rules is known before any document is read, and matches what evaluation then does.
@Suite struct RuleCostTests {
  struct Example: CustomTestStringConvertible, Sendable {
    let rules: String
    /// `kind place location`
    var needs: [String] = []
    /// `place`, or `place reason location`
    var collections: [String] = []

    var testDescription: String { rules }
  }

  static let examples = [
    Example(rules: #"{"properties": {"a": {"type": "string"}}}"#),
    Example(rules: "true"),
    Example(rules: #"{"type": "array"}"#, collections: [""]),
    Example(
      rules: #"{"properties": {"cars": {"primaryKey": "id", "uniqueKeys": ["name"]}}}"#,
      needs: ["keys /cars /properties/cars/primaryKey", "keys /cars /properties/cars/uniqueKeys/0"], collections: ["/cars"]),
    Example(
      rules: #"""
        {"properties": {"trips": {"foreignKeys": [{"fields": "car", "reference": {"resource": "/cars", "fields": "id"}}]}}}
        """#,
      needs: [
        "references /trips /properties/trips/foreignKeys/0", "definitions /cars /properties/trips/foreignKeys/0",
      ], collections: ["/trips", "/cars"]),
    // An object, by the rules, is no array, even if another keyword would need one.
    Example(
      rules: #"""
        {"properties": {
          "dogs": {"primaryKey": "id", "additionalProperties": {"properties": {"id": {"type": "string"}}}},
          "walks": {"foreignKeys": [{"fields": "dog", "reference": {"resource": "/dogs"}}]}}}
        """#,
      needs: ["references /walks /properties/walks/foreignKeys/0"], collections: ["/walks"]),
    Example(
      rules: #"{"properties": {"tags": {"uniqueItems": true}}}"#,
      needs: ["items /tags /properties/tags/uniqueItems"], collections: ["/tags"]),
    Example(
      rules: #"{"properties": {"tags": {"anyOf": [{"uniqueItems": true}, {"maxItems": 3}]}}}"#,
      needs: ["items-in-branch /tags /properties/tags/anyOf/0/uniqueItems"],
      collections: ["/tags unique-items /properties/tags/anyOf/0/uniqueItems"]),
    Example(
      rules: ##"""
        {"properties": {"b": {"const": 1}},
         "anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]}
        """##,
      needs: ["findings  /anyOf"]),
    Example(
      rules: ##"""
        {"properties": {"b": {"const": {"$data": "1/c"}}},
         "anyOf": [{"properties": {"a": {"$ref": "#"}}}, {"properties": {"a": {"$ref": "#"}}}]}
        """##,
      needs: ["findings  /anyOf", "answers /a /anyOf"]),
    Example(
      rules: #"{"properties": {"cars": {"contains": {"const": 1}, "minContains": 0}}}"#,
      collections: ["/cars counts /properties/cars/contains"]),
    Example(
      rules: #"{"properties": {"cars": {"items": {"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}}}}"#,
      collections: ["/cars"]),
    Example(
      rules: #"{"anyOf": [{"properties": {"cars": {"items": {"type": "object"}}}}, {"required": ["b"]}]}"#,
      needs: ["findings  /anyOf"], collections: ["/cars branch /anyOf"]),
    Example(
      rules: #"{"not": {"properties": {"cars": {"items": {"type": "object"}}}}}"#, collections: ["/cars branch /not"]),
    Example(
      rules: #"{"properties": {"cars": {"if": {"minItems": 2}, "then": {"items": {"type": "object"}}}}}"#,
      needs: ["findings /cars /properties/cars/if"], collections: ["/cars branch /properties/cars/if"]),
    Example(
      rules: #"{"properties": {"cars": {"anyOf": [{"prefixItems": [true]}, true], "unevaluatedItems": {"type": "object"}}}}"#,
      collections: ["/cars unevaluated /properties/cars/unevaluatedItems"]),
    Example(
      rules: #"{"properties": {"cars": {"prefixItems": [true], "unevaluatedItems": {"type": "object"}}}}"#,
      collections: ["/cars"]),
    Example(
      rules: #"{"properties": {"cars": {"type": "array", "enum": [[1], [2]]}}}"#,
      needs: ["digests /cars /properties/cars/enum"], collections: ["/cars comparison /properties/cars/enum"]),
    Example(
      rules: #"{"properties": {"groups": {"uniqueItems": true, "items": {"type": "array"}}}}"#,
      needs: ["items /groups /properties/groups/uniqueItems"],
      collections: ["/groups", "/groups/* comparison /properties/groups/uniqueItems"]),
    Example(
      rules: #"{"properties": {"cars": {"items": {"properties": {"a": {"minimum": {"$data": "/least"}}}}}}}"#,
      needs: ["comparisons /cars/*/a /properties/cars/items/properties/a/minimum"], collections: ["/cars"]),
    Example(
      rules: #"{"properties": {"cars": {"items": {"properties": {"n": {"countOf": "/trips"}}}}, "n": {"countOf": "/trips"}}}"#,
      needs: ["counts /cars/*/n /properties/cars/items/properties/n/countOf"], collections: ["/cars"]),
    // Deeper arrays stay with their records: they are never sliced, so no keyword is an obstacle.
    Example(
      rules: #"{"properties": {"cars": {"items": {"properties": {"trips": {"contains": true, "uniqueItems": true}}}}}}"#,
      needs: ["items /cars/*/trips /properties/cars/items/properties/trips/uniqueItems"], collections: ["/cars"]),
    Example(
      rules: ##"{"$ref": "#/$defs/node", "$defs": {"node": {"uniqueItems": true, "items": {"$ref": "#/$defs/node"}}}}"##,
      needs: ["items  /$defs/node/uniqueItems"],
      collections: ["", "/* comparison /$defs/node/uniqueItems", "/*/* comparison /$defs/node/uniqueItems"]),
    Example(
      rules:
        ##"{"properties": {"a": {"$ref": "#/$defs/list"}, "b": {"$ref": "#/$defs/list"}}, "$defs": {"list": {"items": {"type": "object"}}}}"##,
      collections: ["/a", "/b"]),
    Example(
      rules: #"{"additionalProperties": {"items": {"type": "object"}}, "patternProperties": {"^x": {"contains": true}}}"#,
      collections: ["/* counts /patternProperties/^x/contains"]),
  ]

  @Test(arguments: examples)
  func `the cost of rules lists what they keep and which collections they slice`(_ example: Example) throws {
    let cost = try Self.cost(of: example.rules)
    #expect(cost.needs.map { "\($0.kind.rawValue) \($0.place) \($0.origin.location)" } == example.needs)
    let collections = cost.collections.map { collection in
      collection.place + (collection.obstacle.map { " \($0.reason.rawValue) \($0.origin.location)" } ?? "")
    }
    #expect(collections == example.collections)
  }

  /// Evaluation slices an array in a member `cars` or `tags` of the root exactly if the cost lists it without an obstacle.
  @Test(arguments: examples.filter { $0.collections.contains { $0.hasPrefix("/cars") || $0.hasPrefix("/tags") } })
  func `evaluation slices exactly the collections that the cost lists`(_ example: Example) throws {
    let program = try RuleDocument(MemorySource(example.rules.utf8)).compiled()
    let name = example.collections[0].split(separator: "/")[0].prefix { $0.isLetter }
    let opening = #"{"\#(name)":["#
    var limits = ReaderLimits()
    limits.chunkSize = opening.utf8.count
    var reader = JSONEventReader(MemorySource((opening + "{}]}").utf8), limits: limits)
    var evaluator = DocumentEvaluator(
      program, options: RuleEvaluator.Options(now: Evaluation.now, key: SipHash128.Key(low: 1, high: 2)))
    #expect(try reader.next())
    try evaluator.consume(reader.batch, lines: reader.lines)
    let isCut = evaluator.collection(depth: 2, recordsBefore: 0) != nil
    #expect(isCut == example.collections.contains("/\(name)"))
  }

  @Test func `an obstacle has the location and line of its keyword`() throws {
    let cost = try Self.cost(of: "{\n  \"properties\": {\n    \"cars\": {\n      \"contains\": {}\n    }\n  }\n}")
    #expect(cost.collections.first?.obstacle?.origin == RuleCost.Origin(location: "/properties/cars/contains", line: 4))
  }

  @Test func `schemas, states and name patterns are counted`() throws {
    let cost = try Self.cost(of: #"{"properties": {"a": {"type": "null"}}, "patternProperties": {"^b": false, "^c": false}}"#)
    #expect(cost.schemas == 4)
    #expect(cost.states == 4)
    #expect(cost.namePatterns == 2)
  }

  private static func cost(of rules: String) throws -> RuleCost {
    let document = try RuleDocument(MemorySource(rules.utf8))
    return RuleCost(of: try document.compiled(), schemas: document.schemas.count)
  }
}
