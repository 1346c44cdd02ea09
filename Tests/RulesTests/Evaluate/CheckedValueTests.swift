import Testing

/// Rules count the values that they apply to.
@Suite struct CheckedValueTests {
  private func values(_ rules: String, _ document: String) throws -> [String: Int] {
    let whole = try Evaluation(rules, document).values
    #expect(try Evaluation(rules, document, chunkSize: 7).values == whole)
    return whole
  }

  @Test func `each value counts, whether or not it passes`() throws {
    let rules = #"""
      {"required": ["people"], "properties": {"people": {"type": "array", "items": {
        "required": ["id"], "additionalProperties": false,
        "properties": {
          "id": {"type": "integer"}, "age": {"maximum": 100}, "nmae": {"type": "string"},
          "home": {"properties": {"zip": {"minLength": 5}}}, "tags": {"items": {"minLength": 2}}}}}}}
      """#
    let document = #"""
      {"people": [{"id": 1, "age": 101, "home": {"zip": "12345"}}, {"id": "2", "age": "old", "tags": ["ab", "c", 3]},
        {"home": {"zip": 1}, "x": 1}, {"home": {}, "tags": []}, 5]}
      """#
    let items = "/properties/people/items"
    #expect(
      try values(rules, document) == [
        "/required": 1, "/properties/people/type": 1, "\(items)/required": 5, "\(items)/properties/id/type": 2,
        "\(items)/properties/age/maximum": 2, "\(items)/properties/nmae/type": 0,
        "\(items)/properties/home/properties/zip/minLength": 2, "\(items)/properties/tags/items/minLength": 3,
      ])
  }

  @Test func `keys count records`() throws {
    let rules = #"""
      {"properties": {
        "cars": {"primaryKey": "id"},
        "trips": {"foreignKeys": [{"fields": "car", "reference": {"resource": "/cars", "fields": "id"}}],
          "items": {"required": ["car"]}}}}
      """#
    let document = #"{"cars": [{"id": 1}, {"id": 1}, {}], "trips": [{"car": 1}, {"car": 7}]}"#
    #expect(
      try values(rules, document) == [
        "/properties/cars/primaryKey": 3, "/properties/trips/foreignKeys/0": 2, "/properties/trips/items/required": 2,
      ])
  }

  @Test func `values of alternatives count once`() throws {
    let rules = ##"""
      {"items": {"oneOf": [
        {"properties": {"kind": {"const": "a"}, "to": {"$ref": "#/$defs/place"}}},
        {"properties": {"kind": {"const": "b"}, "to": {"$ref": "#/$defs/place"}}}]},
       "$defs": {"place": {"minLength": 2, "properties": {"zip": {"pattern": "^[0-9]"}}}}}
      """##
    let document = #"[{"kind": "a", "to": "x"}, {"kind": "b", "to": {"zip": "1"}}, {"kind": "c"}]"#
    let values = try values(rules, document)
    #expect(values["/items/oneOf"] == 3)
    #expect(values["/items/oneOf/0/properties/kind/const"] == 3)
    #expect(values["/$defs/place/minLength"] == 2)
    #expect(values["/$defs/place/properties/zip/pattern"] == 1)
  }

  @Test func `a rule that no value passes is not counted`() throws {
    #expect(
      try values(#"{"properties": {"a": false, "b": {"not": {}}, "c": {"not": {"type": "null"}}}}"#, #"{"c": 1}"#)
        == ["/properties/c/not": 1])
  }
}
