import ByteStreams
import Findings
import JSONEvents

/// Turns the JSON of a rule document, and of the documents it refers to, into schemas. Every keyword is interpreted, known not to
/// affect validation, or rejected with its place.
///
/// Unread schemas are kept in a list instead of being read recursively, so that no chain of references can be too long.
struct SchemaReader {
  var documents: SchemaDocuments
  let formats: RuleDocument.FormatAssertion
  var schemas: [Schema] = []
  /// What is not applied.
  private(set) var warnings = FindingCollector(limit: 1000)
  var unknownNames = UnknownNames()
  /// What is wrong: all errors until there are too many, then the first ones. A keyword in error contributes nothing.
  private var errors: [CofferError] = []
  private(set) var errorCount = 0
  /// The most errors to keep.
  private static let errorLimit = 1000
  /// The errors in other documents: each reference to one may find them again.
  private var knownErrors: Set<CofferError> = []
  private var indices: [SchemaDocuments.Place: Int] = [:]
  private var unread: [Unread] = []
  /// Schemas found only by references. They are read last, because the others inherit from the schemas around them.
  private var referred: [Unread] = []
  private var isRead: [Bool] = []
  /// The names that `$dynamicRef` keywords look for.
  private var dynamicNames: Set<ExactText> = []

  private struct Unread {
    let index: Int
    let target: SchemaDocuments.Target
  }

  init(document: JSONValue.Located, options: RuleDocument.Options) throws(CofferError) {
    documents = try SchemaDocuments(document, options: options)
    formats = options.formats
  }

  var rootDialect: Dialect { documents.resources[0].dialect }

  /// Reads the root schema and all schemas reachable from it. Returns the root's index.
  mutating func read() -> Int {
    let root = schema(documents.resources[0].root, severity: .error)
    var indexedResources = 0
    var indexedNames = 0
    repeat {
      while let next = unread.popLast() ?? referred.popLast() {
        if !isRead[next.index] { read(next) }
      }
      // A $dynamicRef may resolve to any of these.
      guard indexedResources < documents.resources.count || indexedNames < dynamicNames.count else { break }
      indexedResources = documents.resources.count
      indexedNames = dynamicNames.count
      for resource in documents.resources {
        for (_, target) in dynamicTargets(of: resource) { _ = schema(target, severity: nil) }
      }
    } while !unread.isEmpty || !referred.isEmpty
    breakLoops()
    for note in unknownNames.notes.values { warn(note) }
    return root
  }

  var dynamicAnchors: [[ExactText: Int]] {
    documents.resources.map { resource in
      var anchors: [ExactText: Int] = [:]
      for (name, target) in dynamicTargets(of: resource) { anchors[name] = indices[target.place] }
      return anchors
    }
  }

  private func dynamicTargets(of resource: SchemaDocuments.Resource) -> [(ExactText, SchemaDocuments.Target)] {
    resource.dynamicAnchors.filter { dynamicNames.contains($0.key) }.sorted { $0.key.text < $1.key.text }
  }

  /// Returns the index of the schema at a place. If it is unread, it is read later.
  ///
  /// - Parameter severity: the inherited severity: subschemas that apply to the same value are graded like the schema around
  ///   them. `nil` if the schema is only referred to.
  mutating func schema(_ target: SchemaDocuments.Target, severity: Severity?) -> Int {
    if let index = indices[target.place] {
      if let severity, !isRead[index] { schemas[index].grading.severity = severity }
      return index
    }
    let index = schemas.count
    indices[target.place] = index
    isRead.append(false)
    var schema = Schema(
      origin: Schema.Origin(
        document: documents.name(of: target.place), pointer: target.place.pointer.text, position: target.value.position))
    schema.resource = documents.resource(of: target.place)
    schema.grading.severity = severity ?? .error
    schemas.append(schema)
    if severity == nil {
      referred.append(Unread(index: index, target: target))
    } else {
      unread.append(Unread(index: index, target: target))
    }
    return index
  }

  /// Adds a synthesised schema.
  mutating func add(_ schema: Schema) -> Int {
    schemas.append(schema)
    isRead.append(true)
    return schemas.count - 1
  }

  private mutating func read(_ next: Unread) {
    let index = next.index
    let value = RuleValue(next.target.value, at: next.target.place.pointer.text)
    let origin = schemas[index].origin
    isRead[index] = true
    if let boolean = value.boolean {
      if documents.resources[schemas[index].resource].dialect.edition == .draft4,
        !SubschemaPlaces.allowsBooleans(at: value.pointer)
      {
        return note(origin.error("in draft 4, only additionalProperties and additionalItems may be true or false"))
      }
      if !boolean, schemas[index].keywords.isEmpty { refuse(with: "falseSchema", graded: schemas[index].grading, index) }
      return
    }
    guard let members = value.members else {
      return note(origin.error("a schema must be an object or a boolean, not \(value.json.typeName)"))
    }
    schemas[index].title = value["title"]?.string
    let dialect = documents.resources[schemas[index].resource].dialect
    var keywords = KeywordReader(
      schema: value, document: next.target.place.document, resource: schemas[index].resource, dialect: dialect,
      grading: schemas[index].grading)
    do throws(CofferError) { try keywords.readGrading() } catch { note(error, in: keywords) }
    schemas[index].grading = keywords.grading
    // Before 2019-09, `$ref` disables all other keywords of its schema.
    let isReferenceAlone = dialect.refersAlone && value["$ref"] != nil
    for member in members {
      if isReferenceAlone, member.key != "$ref" {
        passOverSibling(member, keywords)
        continue
      }
      do throws(CofferError) {
        guard let assertion = try assertion(member, keywords) else { continue }
        schemas[index].keywords.append(
          Schema.Keyword(
            name: member.key,
            origin: Schema.Origin(
              document: origin.document, pointer: member.value.pointer, position: member.keyPosition),
            assertion: assertion, grading: keywords.grading))
      } catch {
        note(error, in: keywords)
      }
    }
    warnOfNumericBounds(schemas[index].keywords)
  }

  /// Turns the schema `false` into a rule of its keyword, with the same grading and message as the keyword's other rules.
  mutating func refuse(with keyword: String, graded grading: Schema.Grading, _ index: Int) {
    schemas[index].keywords = [
      Schema.Keyword(name: keyword, origin: schemas[index].origin, assertion: .never, grading: grading)
    ]
  }

  mutating func warn(_ finding: Finding) {
    // Each has a place of its own in the rules: they share by their codes.
    warnings.add(finding, by: finding.rule.kind)
  }

  /// Notes an error in one of a schema's keywords. Reading goes on without the keyword.
  mutating func note(_ error: CofferError, in reader: KeywordReader) {
    note(error.inDocument(documents.name(of: reader.place(of: reader.schema))))
  }

  mutating func note(_ error: CofferError) {
    if error.place.document != nil, !knownErrors.insert(error).inserted { return }
    errorCount += 1
    errors.append(error)
    if errors.count == 2 * Self.errorLimit { errors = firstErrors }
  }

  /// The first errors in document order, those of the rule document itself before those of others.
  var firstErrors: [CofferError] {
    let sorted = errors.sorted { a, b in
      (a.place.document ?? "", a.place.position?.offset ?? 0) < (b.place.document ?? "", b.place.position?.offset ?? 0)
    }
    return Array(sorted.prefix(Self.errorLimit))
  }

  mutating func noteDynamicName(_ name: ExactText) { dynamicNames.insert(name) }
}

/// The standard's keywords.
extension SchemaReader {
  mutating func assertion(_ member: RuleValue.Member, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion? {
    let name = member.key
    guard KeywordNames.isOn(name, in: reader.dialect) else {
      if reader.dialect.hasVocabulary { try checkIsHarmless(member, reader) } else { passOver(member, reader) }
      return nil
    }
    warnIfLonely(member, reader)
    let value = member.value
    switch name {
    case "type": return .types(try reader.types(value))
    case "enum": return try reader.enumeration(value)
    case "const":
      if let data = try reader.dataReference(value, options: ["prefix"]) { return .equalsData(data) }
      return .values([value.json])
    case "minimum": return try reader.numericBound(try reader.excludes("exclusiveMinimum") ? .moreThan : .atLeast, value)
    case "maximum": return try reader.numericBound(try reader.excludes("exclusiveMaximum") ? .lessThan : .atMost, value)
    case "exclusiveMinimum" where reader.dialect.edition == .draft4, "exclusiveMaximum" where reader.dialect.edition == .draft4:
      _ = try reader.excludes(name)
      return nil
    case "exclusiveMinimum": return try reader.exclusiveBound(.moreThan, name, value)
    case "exclusiveMaximum": return try reader.exclusiveBound(.lessThan, name, value)
    case "multipleOf": return .multipleOf(try reader.divisor(value))
    case "minLength": return .length(.atLeast, try value.expectCount())
    case "maxLength": return .length(.atMost, try value.expectCount())
    case "minItems": return .itemCount(.atLeast, try value.expectCount())
    case "maxItems": return .itemCount(.atMost, try value.expectCount())
    case "minProperties": return .memberCount(.atLeast, try value.expectCount())
    case "maxProperties": return .memberCount(.atMost, try value.expectCount())
    case "uniqueItems": return try value.expectBoolean() ? .uniqueItems(ignoresCase: false) : nil
    case "pattern": return .pattern(try value.expectPattern())
    case "format": return try format(member, reader)
    case "required": return .required(try reader.required(value))
    case "dependentRequired": return .dependentRequired(try dependentNames(value))
    default: return try applicator(name, value, reader)
    }
  }

  private func dependentNames(_ value: RuleValue) throws(CofferError) -> [(name: String, required: [String])] {
    try value.expectMembers(of: "lists of names").map { member throws(CofferError) in
      (member.key, try member.value.expectNames())
    }
  }

  // MARK: Applicators

  private mutating func applicator(
    _ name: String, _ value: RuleValue, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion? {
    let severity = reader.grading.severity
    switch name {
    case "properties": return .members(try members(reader))
    case "patternProperties":
      return reader.schema["properties"] == nil ? .members(try members(reader)) : nil
    case "additionalProperties":
      // It is read together with the names and patterns that it doesn't apply to.
      return reader.schema["properties"] == nil && reader.schema["patternProperties"] == nil ? .members(try members(reader)) : nil
    case "propertyNames": return .memberNames(inner(value, name, reader))
    case "unevaluatedProperties": return .unevaluatedMembers(inner(value, name, reader))
    case "unevaluatedItems": return .unevaluatedItems(inner(value, name, reader))
    case "prefixItems": return try items(reader)
    case "items": return reader.schema["prefixItems"] == nil || !reader.knowsPrefixItems ? try items(reader) : nil
    case "additionalItems": return nil
    case "contains": return try contains(value, reader)
    case "minContains", "maxContains":
      _ = try value.expectCount()
      return nil
    case "allOf": return .allOf(try schemas(value, name, reader, severity))
    case "anyOf": return .anyOf(try schemas(value, name, reader, severity))
    case "oneOf": return .oneOf(try schemas(value, name, reader, severity))
    case "not": return .not(inner(value, name, reader, severity))
    case "if": return condition(value, reader, severity)
    case "then", "else":
      _ = inner(value, name, reader, severity)
      return nil
    case "dependentSchemas": return .dependentSchemas(try dependentSchemas(value, reader))
    case "dependencies": return try dependencies(value, reader)
    case "contentSchema":
      _ = inner(value, name, reader)
      return nil
    case "$defs", "definitions":
      for member in try value.expectMembers(of: "schemas") { _ = inner(member.value, name, reader) }
      return nil
    case "$ref": return try reference(value, reader)
    case "$dynamicRef", "$recursiveRef": return try dynamicReference(value, reader)
    case "$id", "id", "$anchor", "$dynamicAnchor":
      _ = try value.expectString()
      return nil
    default:
      let keyword = Self.vocabulary.first { $0.name == name }
      return try keyword?.read(&self, value, reader)
    }
  }

  /// Returns the index of a keyword's subschema.
  ///
  /// - Parameter severity: the severity of the surrounding schema, if both apply to the same value.
  mutating func inner(
    _ value: RuleValue, _ keyword: String, _ reader: KeywordReader, _ severity: Severity = .error
  ) -> Int {
    let index = schema(SchemaDocuments.Target(place: reader.place(of: value), value: value.json), severity: severity)
    if value.boolean == false { refuse(with: keyword, graded: reader.grading, index) }
    return index
  }

  private mutating func schemas(
    _ value: RuleValue, _ name: String, _ reader: KeywordReader, _ severity: Severity
  ) throws(CofferError) -> [Int] {
    try value.expectItems(of: "schemas", allowsNone: false).map { inner($0, name, reader, severity) }
  }

  private mutating func members(_ reader: KeywordReader) throws(CofferError) -> Schema.Members {
    var rule = Schema.Members()
    if let value = reader.schema["properties"] {
      var places: [ExactText: Int] = [:]
      for member in try value.expectMembers(of: "schemas") {
        let schema = inner(member.value, "properties", reader)
        if let place = places[ExactText(member.key)] {
          rule.named[place].schema = schema
        } else {
          places[ExactText(member.key)] = rule.named.count
          rule.named.append((member.key, schema))
        }
      }
    }
    if let value = reader.schema["patternProperties"] {
      for member in try value.expectMembers(of: "schemas") {
        let schema = inner(member.value, "patternProperties", reader)
        do throws(CofferError) { rule.patterns.append((try member.expectPattern(), schema)) } catch { note(error, in: reader) }
      }
    }
    if let value = reader.schema["additionalProperties"] { rule.additional = inner(value, "additionalProperties", reader) }
    return rule
  }

  /// Reads `prefixItems` and `items`; before 2020-12, `items` as a list and `additionalItems`.
  private mutating func items(_ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    let prefixName = reader.knowsPrefixItems ? "prefixItems" : "items"
    let restName = reader.knowsPrefixItems ? "items" : "additionalItems"
    guard let value = reader.schema[prefixName], value.isArray || reader.knowsPrefixItems else {
      guard let value = reader.schema["items"] else { preconditionFailure("items needs a keyword") }
      guard !value.isArray else {
        throw value.error("items must be one schema for all items; since 2020-12, use prefixItems for a list of schemas")
      }
      return .items(prefix: [], rest: inner(value, "items", reader))
    }
    let prefix = try schemas(value, prefixName, reader, .error)
    return .items(prefix: prefix, rest: reader.schema[restName].map { inner($0, restName, reader) })
  }

  private mutating func contains(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    var rule = Schema.Contains(schema: inner(value, "contains", reader), minimum: 1, maximum: nil)
    guard reader.dialect.hasValidation, reader.dialect.edition >= .draft2019 else { return .contains(rule) }
    if let value = reader.schema["minContains"] { rule.minimum = try value.expectCount() }
    if let value = reader.schema["maxContains"] { rule.maximum = try value.expectCount() }
    rule.evaluates = reader.dialect.edition >= .draft2020
    return .contains(rule)
  }

  private mutating func condition(_ value: RuleValue, _ reader: KeywordReader, _ severity: Severity) -> Schema.Assertion {
    .condition(
      if: inner(value, "if", reader, severity), then: reader.schema["then"].map { inner($0, "then", reader, severity) },
      else: reader.schema["else"].map { inner($0, "else", reader, severity) })
  }

  private mutating func dependentSchemas(
    _ value: RuleValue, _ reader: KeywordReader
  ) throws(CofferError) -> [(name: String, schema: Int)] {
    var dependencies: [(name: String, schema: Int)] = []
    for member in try value.expectMembers(of: "schemas") {
      dependencies.append((member.key, inner(member.value, "dependentSchemas", reader, reader.grading.severity)))
    }
    return dependencies
  }

  /// Reads `dependencies`: required names or schemas. 2019-09 split it into two keywords.
  private mutating func dependencies(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    var parts: [Int] = []
    for member in try value.expectMembers(of: "names or schemas") {
      let assertion: Schema.Assertion
      if member.value.isArray {
        assertion = .dependentRequired([(member.key, try member.value.expectNames())])
      } else {
        let schema = inner(member.value, "dependencies", reader, reader.grading.severity)
        assertion = .dependentSchemas([(member.key, schema)])
      }
      parts.append(add(part("dependencies", member.value, assertion, reader)))
    }
    return .allOf(parts)
  }

  /// Makes a schema of one of a keyword's rules. The keyword becomes an `allOf` of such schemas.
  func part(_ name: String, _ value: RuleValue, _ assertion: Schema.Assertion, _ reader: KeywordReader) -> Schema {
    let origin = Schema.Origin(
      document: documents.name(of: reader.place(of: value)), pointer: value.pointer, position: value.json.position)
    var schema = Schema(origin: origin)
    schema.resource = reader.resource
    schema.grading = reader.grading
    schema.keywords = [Schema.Keyword(name: name, origin: origin, assertion: assertion, grading: reader.grading)]
    return schema
  }

  // MARK: Keywords that are not evaluated

  private func checkIsHarmless(_ member: RuleValue.Member, _ reader: KeywordReader) throws(CofferError) {
    // In the standard, unknown keywords are annotations. In Coffer's own dialect a misspelt rule is an error.
    if KeywordNames.annotations.contains(member.key) { return }
    if KeywordNames.gradings.contains(member.key) || member.key == "backup" && reader.schema.pointer.isEmpty { return }
    // Foreign keywords usually mean that a schema for other validators lacks `$schema`.
    let isNamed = documents.resources[0].root.value["$schema"] != nil
    if let successor = KeywordNames.successors[member.key] {
      let hint = isNamed ? "" : ", or name the draft, such as \"$schema\": \"\(KeywordNames.draft(of: member.key))\""
      throw member.error("'\(member.key)' belongs to an older draft; \(successor)\(hint)")
    }
    let known = KeywordNames.annotations + KeywordNames.gradings + KeywordNames.all
    let suggestion = Suggestion.text(for: member.key, among: known)
    let hint =
      isNamed || !suggestion.isEmpty
      ? "" : "; if this schema is for other validators, name its draft, such as \"$schema\": \"\(Dialect.standardURI)\""
    throw member.error("unknown keyword '\(member.key)'\(suggestion)\(hint)")
  }
}
