import TestSupport
import Testing

@testable import Coffer

/// `--only`: which collections are kept.
@Suite struct SelectiveConversionTests {
  private static let rules = #"""
    {"$schema": "urn:coffer:rules:1",
     "properties": {
       "meta": {"properties": {"cars": {"countOf": "/cars"}, "expenses": {"countOf": "/expenses"}}},
       "cars": {"items": {}}, "groups": {"items": {}},
       "expenses": {
         "foreignKeys": [
           {"fields": "carId", "reference": {"resource": "/cars", "fields": "id"}},
           {"fields": "carId", "when": {"required": ["x"]}, "reference": {"resource": "/cars", "fields": "id"}},
           {"fields": ["a", "b"], "reference": {"resource": "/expenses", "fields": ["a", "b"]}},
           {"fields": "who/*", "reference": [{"resource": "/cars", "fields": "id"}, {"resource": "/groups", "fields": "id"}]}],
         "items": {"properties": {"parts": {
           "foreignKeys": [{"fields": "by", "reference": {"resource": "/groups", "fields": "id"}}], "items": {}}}}}}}
    """#

  private static let document = #"""
    {"meta": {"cars": 2, "expenses": "three", "groups": 4, "inner": {"cars": 2}}, "expenses": [{"cars": [1.0]}, [2]],
     "cars": [{"id": 1, "meta": {"cars": 7}}, {}], "groups": null, "other": [[1], 2]}
    """#

  private static func convert(
    _ text: String, _ only: [String], rules: String? = Self.rules, slices: Slicer.Options? = Slicer.Options(),
    sorts: Bool = false
  ) throws -> (text: String, conversion: Conversion) {
    var options = ConversionOptions()
    options.execution.jobs = 2
    options.slices = slices
    options.sortsKeys = sorts
    options.only = CollectionSelection(only)
    options.rules = try rules.map { .document(try RuleDocument(MemorySource($0.utf8)), name: "rules") }
    var sink = MemorySink()
    let conversion = try Converter(options: options).convert(MemorySource(Array(text.utf8)), to: &sink)
    return (String(decoding: sink.bytes, as: UTF8.self), conversion)
  }

  @Test(arguments: [
    (
      ["expenses"],
      #"{"meta":{"cars":0,"expenses":"three","groups":4,"inner":{"cars":2}},"expenses":[{"cars":[1.0]},[2]],"cars":[],"groups":null,"other":[[1],2]}"#
    ),
    (
      ["cars"],
      #"{"meta":{"cars":2,"expenses":"three","groups":4,"inner":{"cars":2}},"expenses":[],"cars":[{"id":1,"meta":{"cars":7}},{}],"groups":null,"other":[[1],2]}"#
    ),
  ])
  func `omitted collections become empty, and their counts zero`(only: [String], text: String) throws {
    var slices = Slicer.Options()
    #expect(try Self.convert(Self.document, only).text == text)
    #expect(try Self.convert(Self.document, only, slices: nil).text == text)
    for size in [1, 3, 8, 40] {
      slices.sliceSize = size
      #expect(try Self.convert(Self.document, only, slices: slices).text == text)
    }
  }

  @Test func `members can be sorted in the same conversion`() throws {
    #expect(
      try Self.convert(#"{"meta": {"x": 1, "cars": 2}, "cars": [1, 2]}"#, ["groups"], sorts: true).text
        == #"{"cars":[],"meta":{"cars":0,"x":1}}"#)
  }

  @Test func `references into omitted collections are listed`() throws {
    let conversion = try Self.convert(Self.document, ["expenses"]).conversion
    #expect(conversion.choice?.leftOutTitles == ["cars", "groups"])
    #expect(
      conversion.danglingReferences.map(\.description) == [
        "expenses.carId refers to cars, which is left out: these references will dangle",
        "expenses.who/* refers to cars and groups, which are left out: these references will dangle",
        "expenses.parts/*/by refers to groups, which is left out: these references will dangle",
      ])
    let both = try Self.convert(Self.document, ["expenses", "groups"]).conversion
    #expect(
      both.danglingReferences.last?.description
        == "expenses.who/* refers to cars, which is left out: references that don't lead to other collections will dangle")
  }

  @Test func `the arrays at the root are the collections of an unknown format`() throws {
    let text = #"{"a": [1, 2], "b": {"c": [3]}, "d": [4], "e": 5}"#
    #expect(try Self.convert(text, ["d"], rules: nil).text == #"{"a":[],"b":{"c":[3]},"d":[4],"e":5}"#)
    #expect(try Self.convert(text, ["d"], rules: nil).conversion.choice?.leftOutTitles == ["a"])
    #expect(try Self.convert(text, ["d"], rules: nil).conversion.choice?.kept == ["/d"])
    #expect(try Self.convert(text, ["/a"], rules: nil).text == #"{"a":[1,2],"b":{"c":[3]},"d":[],"e":5}"#)
    let error = #expect(throws: CofferError.self) { try Self.convert(text, ["d", "b"], rules: nil) }
    #expect(error?.message == "the document has no collection 'b': it has a, d")
    #expect(throws: CofferError.self) { try Self.convert("[1]", ["d"], rules: nil) }
  }

  @Test func `omitted records must be well-formed`() {
    for slices in [nil, Slicer.Options()] {
      #expect(throws: CofferError.self) { try Self.convert(#"{"cars": [{"id": 1}, {]}"#, ["expenses"], slices: slices) }
    }
  }
}
