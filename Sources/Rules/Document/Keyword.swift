import ByteStreams

/// A keyword of rule documents: which dialects have it, where its value holds schemas, and how the value is read.
///
/// A keyword's value, its words and the rows that check it are in one file of `Keywords`, alone or with others of its kind:
///
///     value ─▶ Keyword.read ─▶ Schema.Assertion ─▶ Keyword.Rule.add ─▶ rows of the RuleProgram ─▶ RuleEvaluator ─▶ finding
package struct Keyword: Sendable {
  /// What a dialect needs for it.
  enum Group: Sendable {
    /// Informs people.
    case annotation
    /// Grades findings.
    case grading
    /// Only names schemas, or holds those that others refer to.
    case naming
    /// Every dialect has it.
    case core
    case applicator, unevaluated, validation
    /// Coffer's vocabulary.
    case coffer
  }

  /// Reads the value. Returns `nil` if it asserts nothing by itself.
  typealias Read =
    @Sendable (inout SchemaReader, RuleValue.Member, KeywordReader) throws(CofferError) -> Schema.Assertion?
  /// Returns the schemas in a value, each with the tokens that lead to it.
  typealias Subschemas = @Sendable (JSONValue.Located) -> [(tokens: [String], schema: JSONValue.Located)]

  package let name: String
  let group: Group
  /// The first and the last edition that have it.
  let since: Dialect.Edition
  let until: Dialect.Edition
  /// What Coffer's dialect has instead, and the `$schema` of a draft that has it.
  let successor: (advice: String, schema: String)?
  /// The keyword without which it has no effect.
  let needs: String?
  private let code: String?
  let subschemas: Subschemas?
  let read: Read

  /// - Parameter code: the code of its findings, if that isn't the name in kebab case.
  init(
    _ name: String, _ group: Group, since: Dialect.Edition = .draft4, until: Dialect.Edition = .draft2020,
    successor: (advice: String, schema: String)? = nil, needs: String? = nil, code: String? = nil,
    subschemas: Subschemas? = nil, read: @escaping Read
  ) {
    (self.name, self.group, self.since, self.until, self.successor) = (name, group, since, until, successor)
    (self.needs, self.code, self.subschemas, self.read) = (needs, code, subschemas, read)
  }

  /// Returns whether a dialect evaluates it; annotations don't count.
  func isOn(in dialect: Dialect) -> Bool {
    guard since...until ~= dialect.edition, successor == nil || !dialect.hasVocabulary else { return false }
    switch group {
    case .annotation, .grading: return false
    case .naming, .core: return true
    case .applicator: return dialect.hasApplicators
    case .unevaluated: return dialect.hasUnevaluated
    case .validation: return dialect.hasValidation
    case .coffer: return dialect.hasVocabulary
    }
  }

  /// The value means nothing to rules.
  static let nothing: Read = { _, _, _ in nil }

  /// True if its value holds schemas, such as the conditions of `uniqueKeys`.
  package var holdsSchemas: Bool { subschemas != nil }

  /// True if it is one of Coffer's own.
  var isOwn: Bool { group == .coffer || group == .grading }
}

/// Where values hold schemas.
extension Keyword {
  static let one: Subschemas = { [([], $0)] }
  static let list: Subschemas = { value in (value.array ?? []).enumerated().map { ([String($0)], $1) } }
  static let oneOrList: Subschemas = { $0.array == nil ? one($0) : list($0) }
  static let map: Subschemas = { ($0.object ?? []).map { ([$0.key], $0.value) } }
}

extension Keyword {
  private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

  static func named(_ name: String) -> Keyword? { byName[name] }

  /// Returns the known keywords that a dialect evaluates, and those that inform people.
  static func names(in dialect: Dialect) -> [String] {
    all.filter { $0.group == .annotation || $0.isOn(in: dialect) && $0.until > .draft4 }.map(\.name)
  }

  /// Returns true if a name asserts nothing: it informs people or tools, or only names schemas. Vendors mark theirs by a prefix.
  static func assertsNothing(_ name: String) -> Bool {
    let group = named(name)?.group
    return group == .annotation || group == .naming || foreignAnnotations.contains(name) || name.contains(":")
      || ["x-", "X-", "_", "//", "@"].contains { name.hasPrefix($0) }
  }

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

  /// Returns the code of a finding if the rule document gives none: the keyword in kebab case, with lists in the singular.
  package static func code(of name: String) -> String {
    named(name)?.code ?? name.map { ($0.isUppercase ? "-" : "") + $0.lowercased() }.joined()
  }
}
