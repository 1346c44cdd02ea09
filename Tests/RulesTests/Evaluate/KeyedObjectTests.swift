import ByteStreams
import Findings
import JSONEvents
import Rules
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

  /// Members that are objects are records, as items of an array are.
  static let records = [
    Case(#"{"primaryKey": "id"}"#, #"{"a": {"id": 1}, "b": {"id": 1}, "c": {}}"#, "primary-key /b/id", "primary-key /c/id"),
    Case(
      #"{"uniqueKeys": ["id"], "sortedBy": "id"}"#, #"{"a": {"id": 2}, "b": {"id": 1}, "c": {"id": 2}, "d": 7}"#,
      "sorted-by /b/id", "unique-key /c/id"),
    // Only the rest of the members, and names that schemas, patterns or branches know.
    Case(
      #"{"properties": {"a": {"required": ["id"]}}, "patternProperties": {"^b": {}}, "primaryKey": "id"}"#,
      #"{"a": {}, "b": {"id": 1}, "c": {"id": 1}}"#, "required /a/id", "primary-key /a/id", "primary-key /c/id"),
    Case(
      #"{"anyOf": [{"additionalProperties": {"type": "object"}}, {"required": ["z"]}], "uniqueKeys": ["id"]}"#,
      #"{"b": {"id": 1}, "c": {"id": 1}}"#, "unique-key /c/id"),
    Case(#"{"properties": {"x": {"type": "array", "primaryKey": "id"}}}"#, #"{"x": {"a": {}}}"#, "type /x"),
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "y", "reference": {"resource": "/z", "fields": "id"}}]}}}"#,
      #"{"x": {"a": {"y": 1}, "b~/": {"y": 2}}, "z": {"k": {"id": 1}, "l": {"id": 3}}}"#, "foreign-key /x/b~0~1/y"),
    Case(
      #"{"items": {"properties": {"x": {"primaryKey": "id"}}}}"#,
      #"[{"x": {"a": {"id": 1}}}, {"x": {"b": {"id": 1}, "c": {"id": 1}}}]"#,
      "primary-key /1/x/c/id"),
    // `*` matches each member.
    Case(
      #"{"properties": {"pay": {"foreignKeys": [{"fields": "order", "reference": {"resource": "/users/*/orders", "fields": "no"}}]}}}"#,
      #"{"pay": [{"order": 1}, {"order": 2}, {"order": 3}], "users": {"u1": {"orders": [{"no": 1}]}, "u2": {"orders": {"o": {"no": 2}}}}}"#,
      "foreign-key /pay/2/order"),
    Case(
      #"""
      {"properties": {"users": {"properties": {"u1": {}}, "patternProperties": {"^u2": {}}},
        "pay": {"foreignKeys": [{"fields": "order", "reference": {"resource": "/users/*/orders"}}]}}}
      """#,
      #"{"users": {"u1": {"orders": ["a"]}, "u2": {"orders": ["b"]}, "v": {"orders": {"c": 1}}}, "pay": [{"order": "a"}, {"order": "b"}, {"order": "c"}, {"order": "d"}]}"#,
      "foreign-key /pay/3/order"),
    Case(
      #"{"properties": {"n": {"sumOf": {"values": "/users/*/orders/*/total"}}}}"#,
      #"{"n": 7, "users": {"u1": {"orders": {"a": {"total": 1}, "b": {"total": 2}}}, "u2": {"orders": [{"total": 3}]}}}"#,
      "sum-of /n"),
    Case(
      #"{"properties": {"rooms": {"foreignKeys": [{"fields": "seats/*/by", "reference": {"resource": "/users"}}]}}}"#,
      #"{"users": {"a": {}}, "rooms": {"r": {"seats": {"s1": {"by": "a"}, "s2": {"by": "b"}}}, "q": {"seats": [{"by": "c"}]}}}"#,
      "foreign-key /rooms/r/seats/s2/by", "foreign-key /rooms/q/seats/0/by"),
  ]

  /// `0#` is a record's own name or index.
  static let names = [
    Case(#"{"primaryKey": "0#"}"#, #"{"a": {}, "b": {}}"#),
    Case(#"{"uniqueKeys": [{"fields": "0#", "ignoreCase": true}]}"#, #"{"a": {}, "b": {}, "A": {}}"#, "unique-key /A"),
    Case(
      #"{"additionalProperties": {"uniqueKeys": [{"fields": "0#", "acrossArrays": true}]}}"#,
      #"{"x": {"a": {}}, "y": {"b": {}, "a": {}}}"#, "unique-key /y/a"),
    Case(#"{"sortedBy": "0#"}"#, #"{"a": {}, "c": {}, "b": 1}"#, "sorted-by /b"),
    Case(#"{"sortedBy": {"field": "0#", "order": "descending"}}"#, #"{"c": {}, "b": {}, "d": {}}"#, "sorted-by /d"),
    Case(#"{"sortedBy": "0#"}"#, #"[{}, {}]"#),
    // A record's name as a reference, and as what is referred to. Numbers and names that spell them find each other.
    Case(
      #"{"properties": {"profiles": {"foreignKeys": [{"fields": "0#", "reference": {"resource": "/users", "fields": "id"}}]}}}"#,
      #"{"profiles": {"7": {}, "8": {}, "x": {}, "y": {}, "1234567890123456789": {}}, "users": [{"id": 7}, {"id": "8"}, {"id": "x"}, {"id": 1234567890123456789}]}"#,
      "foreign-key /profiles/y"),
    Case(
      #"{"properties": {"profiles": {"foreignKeys": [{"fields": "0#", "reference": {"resource": "/users"}}]}}}"#,
      #"{"users": {"7": {}, "x": 1}, "profiles": {"7": {}, "8": {}, "x": {}}}"#, "foreign-key /profiles/8"),
    Case(
      #"{"properties": {"profiles": {"foreignKeys": [{"fields": "0#", "reference": {"resource": "/ids"}}]}}}"#,
      #"{"ids": [7, "x"], "profiles": {"7": {}, "8": {}, "x": {}}}"#, "foreign-key /profiles/8"),
    Case(
      #"{"properties": {"orders": {"foreignKeys": [{"fields": "by", "reference": {"resource": "/users", "fields": "0#", "where": {"required": ["mail"]}}}]}}}"#,
      #"{"users": {"a": {"mail": 1}, "b": {}, "7": {"mail": 1}, "1234567890123456789": {"mail": 1}}, "orders": [{"by": "a"}, {"by": "b"}, {"by": 7}, {"by": "7"}, {"by": 1234567890123456789}]}"#,
      "foreign-key /orders/1/by"),
    Case(
      #"{"properties": {"orders": {"foreignKeys": [{"fields": ["by", "at"], "reference": {"resource": "/users", "fields": ["0#", "shop"]}}]}}}"#,
      #"{"users": {"a": {"shop": 1}, "7": {"shop": 2}}, "orders": [{"by": "a", "at": 1}, {"by": "a", "at": 2}, {"by": 7, "at": 2}]}"#,
      "foreign-key /orders/1/by"),
    Case(
      #"{"properties": {"rooms": {"foreignKeys": [{"fields": "members/*/0#", "reference": {"resource": "/users"}}]}}}"#,
      #"{"rooms": {"r": {"members": {"a": true, "b": true}}}, "users": {"a": {}}}"#, "foreign-key /rooms/r/members/b"),
    // The index in an array.
    Case(
      #"{"properties": {"nodes": {"foreignKeys": [{"fields": "mesh", "reference": {"resource": "/meshes", "fields": "0#"}}]}}}"#,
      #"{"nodes": [{"mesh": 0}, {"mesh": 1}, {"mesh": 2}, {"mesh": "1"}], "meshes": [{}, {}]}"#, "foreign-key /nodes/2/mesh",
      "foreign-key /nodes/3/mesh"),
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": ["0#", "k"], "reference": {"resource": "/y", "fields": ["n", "k"]}}]}}}"#,
      #"{"x": [{"k": 1}, {"k": 1}], "y": [{"n": 0, "k": 1}]}"#, "foreign-key /x/1"),
    // A name with a finding of its own is no dangling reference as well.
    Case(
      #"{"properties": {"x": {"propertyNames": {"maxLength": 2}, "foreignKeys": [{"fields": "0#", "reference": {"resource": "/y"}}]}}}"#,
      #"{"x": {"aaa": {}, "b": {}}, "y": {}}"#, "max-length /x/aaa", "foreign-key /x/b"),
    Case(
      #"{"uniqueKeys": [{"fields": ["0#", "n"], "ignoreCase": true}], "properties": {"known": {}}}"#,
      #"{"known": {"n": 1}, "KNOWN": {"n": 1}, "Known": {"n": 2}}"#, "unique-key /KNOWN"),
  ]

  /// An object without any record, where the rules are about records. A warning says so.
  static let unchecked = [
    Case(#"{"primaryKey": "id"}"#, #"{"count": 2, "items": [{}]}"#, "not-checked "),
    Case(#"{"properties": {"x": {"sortedBy": "id"}}}"#, #"{"x": {"a": 1}}"#, "not-checked /x"),
    Case(#"{"properties": {"x": {"sortedBy": "id"}}}"#, #"{"x": {}}"#),
    Case(#"{"properties": {"x": {"primaryKey": "id"}}}"#, #"{"x": null}"#),
    Case(#"{"properties": {"x": {"primaryKey": "id"}}}"#, #"{"x": [{"id": 1}]}"#),
    Case(
      #"{"properties": {"x": {"foreignKeys": [{"fields": "y", "reference": {"resource": "/z", "fields": "id"}}]}}}"#,
      #"{"x": [{"y": 1}], "z": {"a": [{"id": 1}]}}"#, "foreign-key /x/0/y", "not-checked /z"),
    Case(
      #"{"items": {"properties": {"x": {"primaryKey": "id"}}}}"#, #"[{"x": {"a": {"id": 1}}}, {"x": {"b": 2}}]"#,
      "not-checked /1/x"),
  ]

  @Test(arguments: references + counts + lists + records + names + unchecked)
  func `objects whose members are records have the expected findings`(_ test: Case) throws {
    for chunkSize in [1, 5, 1 << 16] {
      #expect(try Evaluation(test.rules, test.document, chunkSize: chunkSize).lines.sorted() == test.findings.sorted())
    }
  }

  static let arrays =
    (KeyTests.unique + KeyTests.withoutCase + KeyTests.acrossArrays + KeyTests.references + KeyTests.equalRecords
    + KeyTests.conditions + KeyTests.faults + KeyTests.emptyBeforeAVersion + VocabularyTests.paths + VocabularyTests.targets
    + VocabularyTests.sums + VocabularyTests.orders).filter { !$0.rules.contains(#""fields": []"#) }

  /// Records in an object whose names are the indices have the same pointers as in an array.
  @Test(arguments: arrays)
  func `records in an object have the findings of records in an array`(_ test: Case) throws {
    func findings(_ rules: String, _ document: String, chunkSize: Int) throws -> [String] {
      try Evaluation(rules, document, chunkSize: chunkSize).findings.map { "\($0.severity) \($0.code) \($0.place.pointer)" }
        .sorted()
    }
    let rules = try JSONValue.readRules(MemorySource(test.rules.utf8)).describingObjects.text
    let document = try JSONValue.readRules(MemorySource(test.document.utf8)).withObjects.text
    let expected = try findings(test.rules, test.document, chunkSize: 1 << 16)
    #expect(expected.isEmpty == test.findings.isEmpty)
    for chunkSize in [3, 1 << 16] { #expect(try findings(rules, document, chunkSize: chunkSize) == expected) }
  }

  @Test func `a warning says which keywords found no record in an object`() throws {
    let rules = #"""
      {"properties": {"x": {"primaryKey": "id", "uniqueKeys": ["a", "b"],
        "foreignKeys": [{"fields": "up", "reference": {"resource": "/x", "fields": ["id"]}}]}}}
      """#
    let findings = try Evaluation(rules, #"{"x": {"a": 1, "b": []}}"#).findings
    #expect(
      findings.map(\.message) == [
        "primaryKey, uniqueKeys, foreignKeys apply to records; a reference looks for id in records: "
          + "none of the 2 members of this object is an object"
      ])
    #expect(findings.map(\.severity) == [.warning])
    let note = try Evaluation(#"{"severity": "note", "sortedBy": "id"}"#, #"{"a": 1}"#).findings
    #expect(note.map(\.severity) == [.note])
    #expect(note.map(\.message) == ["sortedBy applies to records: the member of this object is not an object"])
  }

  @Test(arguments: [
    (
      #"{"uniqueKeys": [{"fields": "0#", "ignoreCase": true}]}"#, #"{"a": {}, "A": {}}"#,
      "duplicate its name a: an earlier record has it"
    ),
    (
      #"{"foreignKeys": [{"fields": "0#", "reference": {"resource": "/b/x", "fields": "id"}}]}"#, #"{"b": {"x": []}}"#,
      "its name b refers to no record of /b/x"
    ),
    (
      #"{"foreignKeys": [{"fields": "0#", "reference": {"resource": "/0/x", "fields": "id"}}]}"#, #"[{"x": []}]"#,
      "its index 0 refers to no record of /0/x"
    ),
    (
      #"{"foreignKeys": [{"fields": "a/*/0#", "reference": {"resource": "/none"}}]}"#, #"{"b": {"a": {"c": 1}}}"#,
      "a/* c refers to no record of /none"
    ),
    (#"{"primaryKey": "id"}"#, #"{"a": {"id": 1}, "b": {"id": 1}}"#, "duplicate id 1: an earlier record has it"),
    (#"{"sortedBy": "0#"}"#, #"{"b": {}, "a": {}}"#, "expected ascending names, found 'a' after 'b'"),
  ])
  func `messages name records by their names`(rules: String, document: String, message: String) throws {
    #expect(try Evaluation(rules, document).findings.map(\.message) == [message])
  }

  @Test(arguments: ["0#/id", "a/0#", "*/id", "0#/0#"])
  func `a record's name must be the whole field`(field: String) {
    #expect(throws: CofferError.self) { try Evaluation(#"{"primaryKey": "\#(field)"}"#, "[]") }
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

extension JSONValue.Located {
  /// Rules about arrays as rules about objects.
  fileprivate var describingObjects: JSONValue.Located {
    switch value {
    case .array(let items): JSONValue.Located(.array(items.map(\.describingObjects)))
    case .object(let members):
      JSONValue.Located(
        .object(
          members.flatMap { member -> [JSONValue.Member] in
            var member = member
            let isSchema = member.key == "items" && (member.value.object != nil || member.value.boolean != nil)
            if member.key == "type", member.value.string == "array" { member.key = "title" }
            member.value = member.value.describingObjects
            guard isSchema else { return [member] }
            return [member, JSONValue.Member(key: "additionalProperties", keyPosition: position, value: member.value)]
          }))
    default: self
    }
  }

  /// The same value with objects in place of arrays of objects.
  fileprivate var withObjects: JSONValue.Located {
    switch value {
    case .array(let items):
      if items.contains(where: { $0.object != nil }) {
        JSONValue.Located(
          .object(
            items.enumerated().map {
              JSONValue.Member(key: String($0), keyPosition: position, value: $1.withObjects)
            }))
      } else {
        JSONValue.Located(.array(items.map(\.withObjects)))
      }
    case .object(let members):
      JSONValue.Located(
        .object(
          members.map { member in
            var member = member
            member.value = member.value.withObjects
            return member
          }))
    default: self
    }
  }
}
