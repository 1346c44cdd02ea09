import Findings
import Testing

/// Collections that are objects, whose members' names are the ids of the records: `{"d0": {…}, "d1": {…}}`.
@Suite struct KeyedObjectTests {
  typealias Case = KeywordTests.Case

  static let walks = #"{"properties": {"walks": {"foreignKeys": [{"fields": "dog", "reference": {"resource": "/dogs"}}]}}}"#

  static let references = [
    Case(
      walks, #"{"dogs": {"d0": {"x": 1}, "d1": null}, "walks": [{"dog": "d0"}, {"dog": "d1"}, {"dog": "d7"}, {"dog": "x"}]}"#,
      "foreign-key /walks/2/dog", "foreign-key /walks/3/dog"),
    Case(walks, #"{"walks": [{"dog": "d7"}, {"dog": "d0"}, {}], "dogs": {"d0": {}}}"#, "foreign-key /walks/0/dog"),
    // The names of members further inside are no keys.
    Case(walks, #"{"dogs": {"d0": {"d1": {}}}, "walks": [{"dog": "d1"}]}"#, "foreign-key /walks/0/dog"),
    // A name can only be text, so a number finds the name that spells it; `07` spells none.
    Case(
      walks,
      #"{"dogs": {"7": {}, "08": {}, "-1": {}}, "walks": [{"dog": 7}, {"dog": "7"}, {"dog": 8}, {"dog": "08"}, {"dog": -1}]}"#,
      "foreign-key /walks/2/dog"),
    Case(walks, #"{"dogs": {}, "walks": [{"dog": "d0"}]}"#, "foreign-key /walks/0/dog"),
    // An array of scalars, as before: there, 7 and "7" differ.
    Case(walks, #"{"dogs": ["d0", 7], "walks": [{"dog": "d0"}, {"dog": "7"}]}"#, "foreign-key /walks/1/dog"),
    Case(walks, #"{"dogs": {"d\"\u0031é": {}}, "walks": [{"dog": "d\"1é"}]}"#),
    // The rules may describe the object, and name some of its members.
    Case(
      #"""
      {"properties": {
        "dogs": {"type": "object", "properties": {"d0": {"type": "object"}}, "additionalProperties": {"required": ["name"]}},
        "walks": {"foreignKeys": [{"fields": "dog", "reference": {"resource": "/dogs"}}]}}}
      """#,
      #"{"dogs": {"d0": {}, "d1": {}}, "walks": [{"dog": "d0"}, {"dog": "d1"}, {"dog": "d2"}]}"#,
      "required /dogs/d1/name", "foreign-key /walks/2/dog"),
    // Letter case, an object around the record, and one of several objects.
    Case(
      #"""
      {"foreignKeys": [{"fields": "by", "ignoreCase": true, "reference": {"resource": "1/members"}},
        {"fields": "with/*", "reference": {"resource": "1/members"}}]}
      """#,
      #"[{"members": {"Ann": {}, "bo": {}}, "by": "ANN", "with": ["bo", "ann"]}, {"by": "bo", "members": {"Ann": 1}}]"#,
      "foreign-key /0/with/1", "foreign-key /1/by"),
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "y", "reference": {"resource": "/groups/*/ids"}}]}}}"#,
      #"{"groups": [{"ids": {"a": 1}}, {"ids": ["b"]}], "x": [{"y": "a"}, {"y": "b"}, {"y": "c"}]}"#, "foreign-key /x/2/y"),
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "y", "reference": [{"resource": "/a"}, {"resource": "/b", "fields": "id"}]}]}}}"#,
      #"{"a": {"k": 1}, "b": [{"id": "l"}], "x": [{"y": "k"}, {"y": "l"}, {"y": "m"}]}"#, "foreign-key /x/2/y"),
    // An empty object has no records, as an empty array.
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "y", "reference": {"resource": "/a", "ifEmpty": "none"}}]}}}"#,
      #"{"a": {}, "x": [{"y": "k"}]}"#),
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "y", "reference": {"resource": "/a", "ifEmpty": "none"}}]}}}"#,
      #"{"a": {"l": 1}, "x": [{"y": "k"}]}"#, "foreign-key /x/0/y"),
  ]

  static let counts = [
    Case(#"{"properties": {"n": {"countOf": "/dogs"}}}"#, #"{"n": 2, "dogs": {"d0": {"a": 1}, "d1": 5}}"#),
    Case(#"{"properties": {"n": {"countOf": "/dogs"}}}"#, #"{"dogs": {"d0": {}}, "n": 0}"#, "count-of /n"),
    Case(
      #"{"properties": {"n": {"countOf": "/dogs"}, "dogs": {"properties": {"d0": {"type": "integer"}}, "minProperties": 1}}}"#,
      #"{"dogs": {"d0": 1, "d1": 2}, "n": 1}"#, "count-of /n"),
    Case(#"{"properties": {"n": {"countOf": "/a/b"}}}"#, #"{"a": {"b": {"x": {}}}, "n": 1}"#),
    // Null stands for a missing number; any other value is not the count.
    Case(#"{"properties": {"n": {"countOf": "/a"}}}"#, #"{"n": null, "a": [1]}"#),
    Case(#"{"properties": {"n": {"countOf": "/a"}}}"#, #"{"n": "1", "a": [1]}"#, "count-of /n"),
    Case(#"{"properties": {"n": {"countOf": "/a"}}}"#, #"{"n": [1], "a": [1]}"#, "count-of /n"),
    Case(#"{"properties": {"n": {"countOf": "/a"}}}"#, #"{"n": true, "a": [1]}"#, "count-of /n"),
    Case(#"{"properties": {"n": {"format": "decimal", "countOf": "/a"}}}"#, #"{"n": "1.0", "a": [1]}"#),
    Case(#"{"properties": {"n": {"format": "decimal", "countOf": "/a"}}}"#, #"{"n": "2", "a": [1]}"#, "count-of /n"),
    Case(#"{"properties": {"n": {"type": "integer", "countOf": "/a"}}}"#, #"{"n": "2", "a": [1]}"#, "type /n"),
  ]

  static let lists = [
    Case(
      #"{"properties": {"rows": {"items": {"properties": {"unit": {"enum": {"$data": "/units"}}}}}}}"#,
      #"{"units": {"km": {}, "1": {}}, "rows": [{"unit": "km"}, {"unit": "m"}, {"unit": 1}]}"#, "enum /rows/1/unit"),
    Case(
      #"{"properties": {"rows": {"items": {"properties": {"unit": {"enum": {"$data": "/units"}}}}}}}"#,
      #"{"rows": [{"unit": "km"}, {"unit": "m"}], "units": {"km": {}}}"#, "enum /rows/1/unit"),
    Case(
      #"{"items": {"properties": {"pick": {"enum": {"$data": "1/of"}}}}}"#,
      #"[{"pick": "a", "of": {"a": 1}}, {"of": {"b": 1}, "pick": "a"}, {"of": {}, "pick": "a"}, {"of": null, "pick": "a"}]"#,
      "enum /1/pick", "enum /2/pick"),
    // A scalar is no list: nothing is one of its items, unless it has a finding itself.
    Case(#"{"items": {"properties": {"pick": {"enum": {"$data": "1/of"}}}}}"#, #"[{"pick": "a", "of": "a"}]"#, "enum /0/pick"),
    Case(
      #"{"items": {"properties": {"of": {"type": "array"}, "pick": {"enum": {"$data": "1/of"}}}}}"#,
      #"[{"pick": "a", "of": "a"}]"#, "type /0/of"),
  ]

  /// Keywords about the records of an array don't check the members of an object. A warning says so.
  static let unchecked = [
    Case(#"{"primaryKey": "id"}"#, #"{"a": {"id": 1}, "b": {"id": 1}}"#, "not-checked "),
    Case(#"{"uniqueKeys": ["id"], "sortedBy": "id"}"#, #"{"a": {"id": 1}}"#, "not-checked "),
    Case(#"{"properties": {"x": {"sortedBy": "id"}}}"#, #"{"x": {"a": {}}}"#, "not-checked /x"),
    Case(#"{"properties": {"x": {"sortedBy": "id"}}}"#, #"{"x": {}}"#),
    Case(#"{"properties": {"x": {"primaryKey": "id"}}}"#, #"{"x": null}"#),
    Case(#"{"properties": {"x": {"primaryKey": "id"}}}"#, #"{"x": [{"id": 1}]}"#),
    Case(#"{"properties": {"x": {"type": "array", "primaryKey": "id"}}}"#, #"{"x": {"a": {}}}"#, "type /x"),
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "y", "reference": {"resource": "/z", "fields": "id"}}]}}}"#,
      #"{"x": {"a": {"y": 1}}, "z": [{"id": 1}]}"#, "not-checked /x"),
    // Nor do references look for fields of members.
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "y", "reference": {"resource": "/z", "fields": "id"}}]}}}"#,
      #"{"x": [{"y": 1}], "z": {"a": {"id": 1}}}"#, "foreign-key /x/0/y", "not-checked /z"),
    Case(
      #"{"items": {"properties": {"x": {"primaryKey": "id"}}}}"#, #"[{"x": {"a": {}}}, {"x": {"b": {}}}]"#,
      "not-checked /0/x", "not-checked /1/x"),
  ]

  @Test(arguments: references + counts + lists + unchecked)
  func `objects whose members are records have the expected findings`(_ test: Case) throws {
    for chunkSize in [1, 5, 1 << 16] {
      #expect(try Evaluation(test.rules, test.document, chunkSize: chunkSize).lines.sorted() == test.findings.sorted())
    }
  }

  @Test func `a warning says which keywords don't check the members of an object`() throws {
    let rules = #"""
      {"properties": {"x": {"primaryKey": "id", "uniqueKeys": ["a", "b"],
        "foreignKeys": [{"fields": "up", "reference": {"resource": "/x", "fields": ["id"]}}]}}}
      """#
    let findings = try Evaluation(rules, #"{"x": {"a": {}, "b": {}}}"#).findings
    #expect(
      findings.map(\.message) == [
        "primaryKey, uniqueKeys, foreignKeys apply to arrays of records; a reference looks for id in an array of records: "
          + "2 members of this object are not checked"
      ])
    #expect(findings.map(\.severity) == [.warning])
    let note = try Evaluation(#"{"severity": "note", "sortedBy": "id"}"#, #"{"a": 1}"#).findings
    #expect(note.map(\.severity) == [.note])
    #expect(note.map(\.message) == ["sortedBy applies to arrays of records: 1 member of this object is not checked"])
  }

  @Test func `names that don't fit in memory are found on disk`() throws {
    let dogs = (0..<20_000).map { #""a dog with the number \#($0)": {}"# }.joined(separator: ",")
    let walks = (0..<20_000).map { #"{"dog": "a dog with the number \#($0 * 2)"}"# }.joined(separator: ",")
    for document in [#"{"dogs": {\#(dogs)}, "walks": [\#(walks)]}"#, #"{"walks": [\#(walks)], "dogs": {\#(dogs)}}"#] {
      let evaluation = try Evaluation(Self.walks, document, memoryLimit: 100_000)
      #expect(evaluation.counts.byCode == ["foreign-key": 10_000])
    }
  }
}
