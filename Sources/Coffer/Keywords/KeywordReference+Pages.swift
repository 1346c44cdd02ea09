/// The pages, by group. The files are in `Coffer.docc/Keywords`, where DocC finds them.
extension KeywordReference {
  static let names: [(title: String, pages: [String])] = [
    ("References and dialects", ["schema", "id", "ref", "defs", "dynamicRef", "vocabulary", "comment", "earlierDrafts"]),
    ("Any value", ["type", "enum", "const"]),
    ("Numbers", ["minimum", "multipleOf"]),
    ("Strings", ["minLength", "pattern", "format", "contentEncoding"]),
    (
      "Objects",
      [
        "properties", "patternProperties", "additionalProperties", "required", "dependentRequired", "dependentSchemas",
        "propertyNames", "minProperties", "unevaluatedProperties",
      ]
    ),
    ("Arrays", ["items", "prefixItems", "contains", "minItems", "uniqueItems", "unevaluatedItems"]),
    ("Combinations", ["allOf", "anyOf", "oneOf", "not", "if"]),
    ("Descriptions", ["title"]),
    ("Coffer: keys and references", ["primaryKey", "uniqueKeys", "foreignKeys"]),
    ("Coffer: times, and values elsewhere", ["formatMinimum", "data", "countOf", "sumOf", "containerEntry"]),
    ("Coffer: findings and versions", ["severity", "code", "errorMessage", "since", "backup"]),
  ]
}
