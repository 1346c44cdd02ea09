package import Rules

/// Decides whether a value in memory is valid, following JSON Schema 2020-12 literally and as simply as possible: one keyword
/// after another, with every annotation as a set.
///
/// This is the reference for the streaming evaluator, and independent of it. Unless noted otherwise, sections are those of the
/// specification's core document. `format` and `content…` are annotations.
package struct PlainEvaluator: Sendable {
  private let index: SchemaIndex
  private let root: SchemaPlace

  /// - Parameters:
  ///   - schema: The root of a rule document.
  ///   - uri: The document's URI, against which its `$id` is resolved.
  ///   - documents: Other documents that references may lead to, by URI, with meta-schemas if their vocabularies matter.
  package init(
    _ schema: JSONValue.Located, uri: String = "file:///schema.json", documents: [String: JSONValue.Located] = [:]
  ) {
    index = SchemaIndex(root: PlainValue(schema), uri: uri, documents: documents.mapValues(PlainValue.init))
    root = SchemaPlace(document: uri)
  }

  /// - Throws: `PlainError` if there is no verdict.
  package func isValid(_ instance: JSONValue.Located) throws(PlainError) -> Bool {
    guard let schema = index[root] else { preconditionFailure("a document's root is a schema") }
    var evaluation = PlainEvaluation(index)
    return try evaluation.apply(Application(schema: schema, value: PlainValue(instance))).isValid
  }
}

/// A schema at one place of the instance.
struct Application {
  var schema: PlainSchema
  var value: PlainValue
  /// The steps from the instance's root to the value.
  var path: [Step] = []
  /// The dynamic scope (section 7.1): the resources that evaluation has entered, outermost first, each once, as only the first
  /// counts.
  var scope: [String] = []

  enum Step: Hashable {
    case member(PlainText), item(Int)
    /// The name of a member, as checked by `propertyNames`.
    case name(PlainText)
  }

  subscript(keyword: PlainText) -> PlainValue? { schema.value[keyword] }

  /// Returns the application of another schema at the same place.
  func with(_ schema: PlainSchema) -> Application {
    Application(schema: schema, value: value, path: path, scope: scope)
  }

  /// Returns the application of another schema at a place below.
  func with(_ schema: PlainSchema, _ value: PlainValue, at step: Step) -> Application {
    Application(schema: schema, value: value, path: path + [step], scope: scope)
  }
}

/// The result of a schema for a value: its verdict, and the members and items that it evaluated (section 11).
struct PlainOutcome {
  var isValid = true
  var members: Set<PlainText> = []
  var items: Set<Int> = []

  /// Adds the outcome of a schema that must hold at the same place.
  mutating func require(_ other: PlainOutcome) {
    isValid = isValid && other.isValid
    collect(other)
  }

  /// Adds only the annotations. A schema that doesn't hold has none (section 7.7.1.2).
  mutating func collect(_ other: PlainOutcome) {
    members.formUnion(other.members)
    items.formUnion(other.items)
  }
}

/// One instance's evaluation.
struct PlainEvaluation {
  private var index: SchemaIndex
  private var applications = 0
  /// The current applications: repeating one would never end.
  private var open: Set<Open> = []

  private struct Open: Hashable {
    let place: SchemaPlace
    let path: [Application.Step]
    let scope: [String]
  }

  private static let maximumApplications = 50_000
  private static let maximumDepth = 250

  init(_ index: SchemaIndex) { self.index = index }

  mutating func apply(_ outer: Application) throws(PlainError) -> PlainOutcome {
    if case .boolean(let verdict) = outer.schema.value { return PlainOutcome(isValid: verdict) }
    guard case .object = outer.schema.value else { throw .malformed("a schema") }
    var application = outer
    if !application.scope.contains(application.schema.base) { application.scope.append(application.schema.base) }

    applications += 1
    guard applications <= Self.maximumApplications, open.count < Self.maximumDepth else { throw .tooCostly }
    let entry = Open(place: application.schema.place, path: application.path, scope: application.scope)
    guard open.insert(entry).inserted else { throw .infiniteRecursion }
    defer { open.remove(entry) }

    var outcome = PlainOutcome()
    if application.schema.uses("validation") { outcome.isValid = try application.assertionsHold() }
    try applyReferences(application, &outcome)
    if application.schema.uses("applicator") {
      try applyInPlace(application, &outcome)
      try applyToItems(application, &outcome)
      try applyToMembers(application, &outcome)
    }
    if application.schema.uses("unevaluated") { try applyToUnevaluated(application, &outcome) }
    return outcome.isValid ? outcome : PlainOutcome(isValid: false)
  }

  /// Section 8.2.3.
  private mutating func applyReferences(_ application: Application, _ outcome: inout PlainOutcome) throws(PlainError) {
    if let reference = application["$ref"] {
      guard let text = reference.text else { throw .malformed("$ref") }
      outcome.require(try apply(application.with(try index.target(of: text.string, from: application.schema))))
    }
    if let reference = application["$dynamicRef"] {
      guard let text = reference.text else { throw .malformed("$dynamicRef") }
      let target = try index.dynamicTarget(of: text.string, from: application.schema, scope: application.scope)
      outcome.require(try apply(application.with(target)))
    }
  }

  // MARK: Subschemas of keywords

  /// Returns the schema of a keyword that has one.
  func schema(_ keyword: PlainText, of application: Application, _ tokens: PlainText...) throws(PlainError) -> PlainSchema? {
    guard application[keyword] != nil else { return nil }
    let place = application.schema.place
    let child = SchemaPlace(document: place.document, tokens: place.tokens + [keyword] + tokens)
    guard let schema = index[child] else { throw .malformed(keyword.string) }
    return schema
  }

  /// Returns the schemas of a keyword that has a list of them.
  func schemas(_ keyword: PlainText, of application: Application) throws(PlainError) -> [PlainSchema]? {
    guard let value = application[keyword] else { return nil }
    guard case .array(let list) = value else { throw .malformed(keyword.string) }
    var schemas: [PlainSchema] = []
    for position in list.indices {
      if let schema = try schema(keyword, of: application, PlainText(String(position))) { schemas.append(schema) }
    }
    return schemas
  }

  /// Returns the schemas of a keyword that has them by name, sorted by name.
  func namedSchemas(_ keyword: PlainText, of application: Application) throws(PlainError) -> [(PlainText, PlainSchema)] {
    guard let value = application[keyword] else { return [] }
    guard case .object(let map) = value else { throw .malformed(keyword.string) }
    var schemas: [(PlainText, PlainSchema)] = []
    for name in map.keys.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
      if let schema = try schema(keyword, of: application, name) { schemas.append((name, schema)) }
    }
    return schemas
  }
}
