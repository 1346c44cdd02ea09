/// The keywords that a rule document may contain, grouped by their role.
package enum KeywordNames {
  /// Keywords that inform people and don't affect validation.
  package static let annotations = [
    "$schema", "$comment", "$vocabulary", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "contentEncoding", "contentMediaType",
  ]
  /// Annotations of editors, generators and API descriptions. Public schemas are full of them (of 951 in SchemaStore, 72 have some).
  private static let foreignAnnotations: Set = [
    // Visual Studio Code, its settings, and other editors.
    "markdownDescription", "enumDescriptions", "markdownEnumDescriptions", "enumItemLabels", "deprecationMessage",
    "markdownDeprecationMessage", "errorMessage", "patternErrorMessage", "defaultSnippets", "doNotSuggest", "suggestSortText",
    "allowComments", "allowTrailingCommas", "editPresentation", "scope", "order",
    // Forms and code generators.
    "propertyOrder", "options", "enumNames", "tsType", "tsEnumNames", "javaType", "existingJavaType", "javaInterfaces",
    "javaName",
    "javaEnumNames",
    // OpenAPI, and hyper-schemas.
    "example", "externalDocs", "xml", "discriminator", "links", "base", "media",
    "comment", "note", "notes",
  ]
  package static let gradings = ["severity", "code", "errorMessage"]
  /// The keywords of references: always enabled.
  private static let core = ["$ref", "$dynamicRef"] + names
  /// The keywords that only name schemas, or hold those that others refer to.
  private static let names = ["$defs", "$id", "$anchor", "$dynamicAnchor"]
  private static let formerNames = ["definitions", "id", "$recursiveAnchor"]
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
  private static let vocabulary = SchemaReader.vocabulary.map(\.name)
  /// Keywords of earlier drafts.
  private static let draft2019 = ["definitions", "dependencies", "additionalItems", "$recursiveRef"]
  private static let draft7 = ["definitions", "dependencies", "additionalItems"]
  private static let sinceDraft6 = ["$id", "const", "contains", "propertyNames"]
  private static let sinceDraft7 = ["if", "then", "else"]
  private static let sinceDraft2019 = [
    "$defs", "$anchor", "dependentRequired", "dependentSchemas", "minContains", "maxContains", "contentSchema",
  ]
  private static let sinceDraft2020 = ["prefixItems", "$dynamicRef", "$dynamicAnchor"]

  /// All keywords of Coffer's own dialect.
  package static let all = core + applicators + unevaluated + validation + ["format", "contentSchema"] + vocabulary
  /// The replacements for keywords of older drafts.
  package static let successors = [
    "definitions": "use $defs", "dependencies": "use dependentRequired or dependentSchemas",
    "additionalItems": "use prefixItems for the first items and items for the rest",
    "$recursiveRef": "use $dynamicRef with a name", "$recursiveAnchor": "use $dynamicAnchor with a name",
    "id": "use $id",
  ]

  /// Returns true if a keyword asserts nothing: it informs people or tools, or only names schemas. Vendors mark theirs by a prefix.
  static func assertsNothing(_ keyword: String) -> Bool {
    annotations.contains(keyword) || names.contains(keyword) || formerNames.contains(keyword) || keyword == "contentSchema"
      || foreignAnnotations.contains(keyword) || keyword.contains(":")
      || ["x-", "X-", "_", "//", "@"].contains { keyword.hasPrefix($0) }
  }

  /// Returns the draft that introduced a keyword, or `nil` if draft 4 has it, or no draft.
  static func introduction(of keyword: String) -> Dialect.Edition? {
    if sinceDraft6.contains(keyword) { return .draft6 }
    if sinceDraft7.contains(keyword) { return .draft7 }
    if sinceDraft2019.contains(keyword) || unevaluated.contains(keyword) || keyword == "$recursiveRef" { return .draft2019 }
    return sinceDraft2020.contains(keyword) ? .draft2020 : nil
  }

  /// Returns the known keywords that a dialect evaluates, and those that inform people.
  static func known(in dialect: Dialect) -> [String] { annotations + (all + draft2019).filter { isOn($0, in: dialect) } }

  /// Returns true if a keyword is one of JSON Schema's, although a meta-schema may leave out its vocabulary.
  static func isStandard(_ keyword: String) -> Bool { !vocabulary.contains(keyword) && all.contains(keyword) }

  /// Returns true if a keyword is one of Coffer's own.
  static func isOwn(_ keyword: String) -> Bool { vocabulary.contains(keyword) || gradings.contains(keyword) }

  /// Returns the URI of a draft that has a keyword of older drafts.
  static func draft(of keyword: String) -> String {
    switch keyword {
    case "id": "http://json-schema.org/draft-04/schema#"
    case "$recursiveRef", "$recursiveAnchor": "https://json-schema.org/draft/2019-09/schema"
    default: "http://json-schema.org/draft-07/schema#"
    }
  }

  /// Returns the code of a finding if the rule document gives none: the keyword in kebab case, with lists in the singular.
  package static func code(of keyword: String) -> String {
    switch keyword {
    case "uniqueKeys": return "unique-key"
    case "foreignKeys": return "foreign-key"
    case "$ref": return "reference"
    default: break
    }
    var code = ""
    for character in keyword {
      if character.isUppercase { code += "-" }
      code += character.lowercased()
    }
    return code
  }

  /// Returns true if a dialect evaluates a keyword; annotations don't count.
  static func isOn(_ name: String, in dialect: Dialect) -> Bool {
    switch dialect.edition {
    case .draft2020:
      // These are kept for older schemas (validation, appendix A of the meta-schema).
      if ["definitions", "dependencies"].contains(name) { return !dialect.hasVocabulary }
    case .draft2019:
      if sinceDraft2020.contains(name) { return false }
      if draft2019.contains(name) { return true }
    case .draft7, .draft6, .draft4:
      if dialect.edition < .draft7, sinceDraft7.contains(name) { return false }
      if dialect.edition < .draft6 {
        if sinceDraft6.contains(name) { return false }
        if name == "id" { return true }
      }
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
