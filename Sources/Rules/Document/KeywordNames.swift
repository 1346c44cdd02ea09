/// The keywords that a rule document may hold, by what they do here.
package enum KeywordNames {
  /// They tell people something and change no verdict.
  package static let annotations = [
    "$schema", "$comment", "$vocabulary", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "contentEncoding", "contentMediaType",
  ]
  package static let gradings = ["severity", "code", "errorMessage"]
  /// What references are made of; always on.
  private static let core = ["$ref", "$defs", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor"]
  private static let applicators = [
    "properties", "patternProperties", "additionalProperties", "propertyNames", "dependentSchemas", "items", "prefixItems",
    "contains", "allOf", "anyOf", "oneOf", "not", "if", "then", "else",
  ]
  private static let unevaluated = ["unevaluatedItems", "unevaluatedProperties"]
  private static let validation = [
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
    "pattern", "required", "dependentRequired", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains",
    "minProperties", "maxProperties",
  ]
  private static let vocabulary = [
    "formatMinimum", "formatMaximum", "formatExclusiveMinimum", "formatExclusiveMaximum", "primaryKey", "uniqueKeys",
    "foreignKeys",
    "countOf", "sumOf", "since", "containerEntry",
  ]
  /// Of earlier drafts.
  private static let draft2019 = ["definitions", "dependencies", "additionalItems", "$recursiveRef"]
  private static let draft7 = ["definitions", "dependencies", "additionalItems"]
  private static let sinceDraft2019 = [
    "$defs", "$anchor", "dependentRequired", "dependentSchemas", "minContains", "maxContains", "contentSchema",
  ]
  private static let sinceDraft2020 = ["prefixItems", "$dynamicRef", "$dynamicAnchor"]

  /// All of Coffer's own dialect.
  package static let all = core + applicators + unevaluated + validation + ["format", "contentSchema"] + vocabulary
  /// What to write instead of a keyword of an older draft.
  package static let successors = [
    "definitions": "it is called $defs now", "dependencies": "dependentRequired and dependentSchemas tell names from schemas",
    "additionalItems": "prefixItems holds the schemas of the first items, items that of all others",
    "$recursiveRef": "$dynamicRef does what it did, by a name", "$recursiveAnchor": "$dynamicAnchor does what it did, by a name",
    "id": "it is called $id now",
  ]

  /// Whether a keyword says something in a dialect, apart from annotations.
  static func isOn(_ name: String, in dialect: Dialect) -> Bool {
    switch dialect.edition {
    case .draft2020:
      // Both are kept for schemas that were written before (validation, appendix A of the meta-schema).
      if ["definitions", "dependencies"].contains(name) { return !dialect.hasVocabulary }
    case .draft2019:
      if sinceDraft2020.contains(name) { return false }
      if draft2019.contains(name) { return true }
    case .draft7:
      if sinceDraft2019.contains(name) || sinceDraft2020.contains(name) { return false }
      if draft7.contains(name) { return true }
    }
    if core.contains(name) || name == "format" || name == "contentSchema" { return true }
    if applicators.contains(name) { return dialect.hasApplicators }
    if unevaluated.contains(name) { return dialect.hasUnevaluated }
    if validation.contains(name) { return dialect.hasValidation }
    return dialect.hasVocabulary && vocabulary.contains(name)
  }
}
