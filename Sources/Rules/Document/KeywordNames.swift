/// The keywords that a rule document may hold, by what they do here.
enum KeywordNames {
  /// They tell people something and change no verdict.
  static let annotations = [
    "$schema", "$comment", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "contentEncoding",
    "contentMediaType", "contentSchema",
  ]
  static let gradings = ["severity", "code", "errorMessage"]
  static let assertions = [
    "$ref", "$defs", "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength",
    "maxLength", "pattern", "format", "properties", "required", "additionalProperties", "items", "minItems", "maxItems",
    "contains",
    "minContains", "maxContains", "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "formatMinimum", "formatMaximum",
    "formatExclusiveMinimum", "formatExclusiveMaximum", "primaryKey", "uniqueKeys", "foreignKeys", "countOf", "since",
  ]
  /// Of the standard or its earlier drafts: they would change verdicts, so to ignore them would be wrong.
  static let unsupported = [
    "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary", "patternProperties",
    "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "prefixItems", "additionalItems", "uniqueItems",
    "minProperties", "maxProperties", "unevaluatedItems", "unevaluatedProperties",
  ]
  static let unsupportedVocabulary = ["sumOf", "containerEntry"]
}
