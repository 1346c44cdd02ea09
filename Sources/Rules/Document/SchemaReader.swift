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
  private typealias Unread = (index: Int, target: SchemaDocuments.Target)
  private var unread: [Unread] = []
  /// Schemas found only by references. They are read last, because the others inherit from the schemas around them.
  private var referred: [Unread] = []
  private var isRead: [Bool] = []
  /// The names that `$dynamicRef` keywords look for.
  private var dynamicNames: Set<ExactText> = []

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
      referred.append((index, target))
    } else {
      unread.append((index, target))
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
        !value.pointer.hasSuffix("/additionalProperties"), !value.pointer.hasSuffix("/additionalItems")
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

/// Keywords, by their entries in ``Keyword/all``.
extension SchemaReader {
  /// Returns `nil` if the keyword asserts nothing by itself, or isn't one of the dialect.
  private mutating func assertion(
    _ member: RuleValue.Member, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion? {
    guard let keyword = Keyword.named(member.key), keyword.isOn(in: reader.dialect) else {
      if reader.dialect.hasVocabulary { try checkIsHarmless(member, reader) } else { passOver(member, reader) }
      return nil
    }
    if let other = keyword.needs, reader.schema[other] == nil {
      ignore(member, reader, "'\(member.key)' has no effect without '\(other)'")
    }
    return try keyword.read(&self, member, reader)
  }

  mutating func schemas(
    _ value: RuleValue, _ name: String, _ reader: KeywordReader, _ severity: Severity
  ) throws(CofferError) -> [Int] {
    try value.expectItems(of: "schemas", allowsNone: false).map { inner($0, name, reader, severity) }
  }

  // MARK: Applicators

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
    let keyword = Keyword.named(member.key)
    if keyword?.group == .annotation || keyword?.group == .grading { return }
    if member.key == "backup" && reader.schema.pointer.isEmpty { return }
    // Foreign keywords usually mean that a schema for other validators lacks `$schema`.
    let isNamed = documents.resources[0].root.value["$schema"] != nil
    if let successor = keyword?.successor {
      let hint = isNamed ? "" : ", or name the draft, such as \"$schema\": \"\(successor.schema)\""
      throw member.error("'\(member.key)' belongs to an older draft; \(successor.advice)\(hint)")
    }
    let known = Keyword.all.filter { $0.successor == nil }.map(\.name)
    let suggestion = Suggestion.text(for: member.key, among: known)
    let hint =
      isNamed || !suggestion.isEmpty
      ? "" : "; if this schema is for other validators, name its draft, such as \"$schema\": \"\(Dialect.standardURI)\""
    throw member.error("unknown keyword '\(member.key)'\(suggestion)\(hint)")
  }
}
