import Testing

@testable import Coffer

/// `--only`: which records are validated.
@Suite struct SelectiveValidationTests {
  private static let rules = #"""
    {"$schema": "urn:coffer:rules:1", "type": "object", "required": ["b"],
     "properties": {
       "meta": {"properties": {"bCount": {"countOf": "/b"}}},
       "a": {"type": "array", "uniqueKeys": ["id"], "items": {"$ref": "#/$defs/a"}},
       "b": {"type": "array", "primaryKey": "id", "foreignKeys": [
         {"fields": "aId", "reference": {"resource": "/a", "fields": "id"}},
         {"fields": "hybrid", "reference": {"resource": "/a", "fields": "id", "where": {"properties": {"kind": {"const": "h"}}}}}],
         "items": {"properties": {"id": {"type": "integer"}}}}},
     "allOf": [{"properties": {"a": {"items": {"required": ["name"]}}}}, {"$ref": "#/$defs/more"}],
     "$defs": {"a": {"properties": {"id": {"type": "integer"}}}, "more": {"properties": {"a": {"maxItems": 2}}}}}
    """#

  private static let document = #"""
    {"meta": {"bCount": 9},
     "b": [{"id": 1, "aId": 7}, {"id": 1, "aId": 1, "hybrid": 2}, {"id": "x", "hybrid": 3}],
     "a": [{"id": 1}, {"id": 1.5}, {"id": 1}, {"id": 2, "kind": "p"}, {"id": 3, "kind": "h"}]}
    """#

  private static func report(_ only: [String]?, slices: Slicer.Options? = Slicer.Options()) throws -> ValidationReport {
    var options = ValidationOptions(now: Validating.now)
    options.only = only.map(CollectionSelection.init)
    options.slices = slices
    options.execution.jobs = 1
    let validator = Validator(.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules"), options: options)
    return try validator.validate(MemorySource(Array(document.utf8)), named: "test")
  }

  @Test func `only the records of selected collections are validated`() throws {
    let all = Validating.lines(try Self.report(nil))
    #expect(all.contains("unique-key /a/2/id"))
    let report = try Self.report(["b"])
    #expect(Validating.lines(report) == all.filter { !$0.contains(" /a") })
    #expect(report.leftOut == ["a"])
    #expect(report.records == 8)
  }

  @Test func `members outside of collections are always validated`() throws {
    #expect(Validating.lines(try Self.report(["a"])).contains("count-of /meta/bCount"))
    #expect(!Validating.lines(try Self.report(["a"])).contains { $0.contains(" /b") })
  }

  @Test func `references into omitted collections are checked`() throws {
    let lines = Validating.lines(try Self.report(["b"]))
    #expect(lines.contains("foreign-key /b/0/aId"))
    #expect(lines.contains("foreign-key /b/1/hybrid"))
    #expect(!lines.contains("foreign-key /b/2/hybrid"))
  }

  @Test func `slices do not change the findings`() throws {
    var slices = Slicer.Options()
    slices.sliceSize = 16
    #expect(Validating.lines(try Self.report(["b"], slices: slices)) == Validating.lines(try Self.report(["b"], slices: nil)))
  }

  @Test func `an unknown collection is an error`() throws {
    #expect(throws: CofferError.self) { try Self.report(["c"]) }
    var options = ValidationOptions(now: Validating.now)
    options.only = CollectionSelection(["a"])
    #expect(throws: CofferError.self) {
      let validator = Validator(.detected(.builtIn), options: options)
      return try validator.validate(MemorySource("{}".utf8), named: "test")
    }
  }
}
