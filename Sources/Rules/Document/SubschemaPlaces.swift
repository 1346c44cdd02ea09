/// The places in a schema object that contain other schemas.
enum SubschemaPlaces {
  private enum Shape { case schema, list, map, schemaOrList, mapOrNames, keys }

  private static let shapes: [String: Shape] = [
    "$defs": .map, "definitions": .map, "properties": .map, "patternProperties": .map, "dependentSchemas": .map,
    "dependencies": .mapOrNames, "additionalProperties": .schema, "unevaluatedProperties": .schema, "propertyNames": .schema,
    "items": .schemaOrList, "prefixItems": .list, "additionalItems": .schema, "unevaluatedItems": .schema, "contains": .schema,
    "allOf": .list, "anyOf": .list, "oneOf": .list, "not": .schema, "if": .schema, "then": .schema, "else": .schema,
    "contentSchema": .schema, "foreignKeys": .keys, "uniqueKeys": .keys,
  ]

  /// Returns true if drafts before 6 allow a boolean there instead of a schema.
  static func allowsBooleans(at pointer: String) -> Bool {
    pointer.hasSuffix("/additionalProperties") || pointer.hasSuffix("/additionalItems")
  }

  /// Returns the schemas in a member, each with the tokens that lead to it from the schema object.
  static func of(_ member: JSONValue.Member) -> [(tokens: [String], schema: JSONValue.Located)] {
    guard let shape = shapes[member.key] else { return [] }
    let value = member.value
    switch shape {
    case .schema: return [([member.key], value)]
    case .list: return list(value, member.key)
    case .schemaOrList: return value.array == nil ? [([member.key], value)] : list(value, member.key)
    case .map, .mapOrNames: return (value.object ?? []).map { ([member.key, $0.key], $0.value) }
    case .keys:
      return (value.array ?? []).enumerated().flatMap { index, entry -> [(tokens: [String], schema: JSONValue.Located)] in
        var schemas: [(tokens: [String], schema: JSONValue.Located)] = []
        if let schema = entry["when"] { schemas.append(([member.key, String(index), "when"], schema)) }
        let path = [member.key, String(index), "reference"]
        if let schema = entry["reference"]?["where"] { schemas.append((path + ["where"], schema)) }
        for (number, alternative) in (entry["reference"]?.array ?? []).enumerated() {
          if let schema = alternative["where"] { schemas.append((path + [String(number), "where"], schema)) }
        }
        return schemas
      }
    }
  }

  private static func list(_ value: JSONValue.Located, _ name: String) -> [(tokens: [String], schema: JSONValue.Located)] {
    (value.array ?? []).enumerated().map { ([name, String($0)], $1) }
  }
}
