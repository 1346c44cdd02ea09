/// The place of a schema: a document, and the JSON Pointer's tokens from its root.
struct SchemaPlace: Hashable {
  var document: String
  var tokens: [PlainText] = []
}

/// A schema with the properties that the schemas around it determine.
struct PlainSchema {
  let place: SchemaPlace
  let value: PlainValue
  /// The URI of the resource that it belongs to (core, section 9.1).
  let base: String
  /// The vocabularies of its resource's meta-schema; `nil`: all of them.
  let vocabularies: Set<String>?

  func uses(_ vocabulary: String) -> Bool {
    vocabularies?.contains("https://json-schema.org/draft/2020-12/vocab/\(vocabulary)") ?? true
  }
}

/// Every schema of some documents, and the identifiers that references use for them.
struct SchemaIndex {
  private var documents: [String: PlainValue]
  private var schemas: [SchemaPlace: PlainSchema] = [:]
  /// By URI without fragment: core, section 8.2.1.
  private var resources: [String: SchemaPlace] = [:]
  /// By URI with fragment: core, section 8.2.2. Each `$dynamicAnchor` is an `$anchor`, too.
  private var anchors: [String: SchemaPlace] = [:]
  private var dynamicAnchors: [String: SchemaPlace] = [:]

  /// - Parameter root: The root, whose identifiers take precedence over those of the other documents.
  init(root: PlainValue, uri: String, documents: [String: PlainValue]) {
    self.documents = documents
    self.documents[uri] = root
    for (uri, document) in documents.sorted(by: { $0.key < $1.key }) + [(uri, root)] {
      resources[uri] = SchemaPlace(document: uri)
      add(document, at: SchemaPlace(document: uri), base: uri, vocabularies: nil)
    }
  }

  subscript(place: SchemaPlace) -> PlainSchema? { schemas[place] }

  // MARK: Schemas and their identifiers

  private static let keywordsOfOne = [
    "additionalProperties", "propertyNames", "items", "contains", "not", "if", "then", "else", "unevaluatedItems",
    "unevaluatedProperties", "contentSchema",
  ]
  private static let keywordsOfList = ["allOf", "anyOf", "oneOf", "prefixItems"]
  private static let keywordsOfMap = [
    "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies",
  ]

  private mutating func add(_ value: PlainValue, at place: SchemaPlace, base: String, vocabularies: Set<String>?) {
    guard case .object = value else {
      schemas[place] = PlainSchema(place: place, value: value, base: base, vocabularies: vocabularies)
      return
    }
    var base = base
    if let identifier = value["$id"]?.text {
      base = PlainURI(identifier.string).resolved(against: PlainURI(base)).withoutFragment
      resources[base] = place
    }
    if let anchor = value["$anchor"]?.text { anchors["\(base)#\(anchor.string)"] = place }
    if let anchor = value["$dynamicAnchor"]?.text {
      anchors["\(base)#\(anchor.string)"] = place
      dynamicAnchors["\(base)#\(anchor.string)"] = place
    }
    let vocabularies = value["$schema"].map(self.vocabularies) ?? vocabularies
    schemas[place] = PlainSchema(place: place, value: value, base: base, vocabularies: vocabularies)

    func child(_ keyword: String, _ tokens: String...) -> SchemaPlace {
      SchemaPlace(document: place.document, tokens: place.tokens + [PlainText(keyword)] + tokens.map { PlainText($0) })
    }
    for keyword in Self.keywordsOfOne {
      if let schema = value[PlainText(keyword)] { add(schema, at: child(keyword), base: base, vocabularies: vocabularies) }
    }
    for keyword in Self.keywordsOfList {
      guard case .array(let list) = value[PlainText(keyword)] else { continue }
      for (index, schema) in list.enumerated() {
        add(schema, at: child(keyword, String(index)), base: base, vocabularies: vocabularies)
      }
    }
    for keyword in Self.keywordsOfMap {
      guard case .object(let map) = value[PlainText(keyword)] else { continue }
      for (name, schema) in map { add(schema, at: child(keyword, name.string), base: base, vocabularies: vocabularies) }
    }
  }

  /// Returns the vocabularies that the meta-schema with this URI declares, if it is among the documents: core, section 8.1.2.
  private func vocabularies(of metaSchema: PlainValue) -> Set<String>? {
    guard let uri = metaSchema.text, case .object(let vocabularies) = documents[uri.string]?["$vocabulary"] else { return nil }
    return Set(vocabularies.keys.map(\.string))
  }

  // MARK: References

  /// Returns the target of a reference from a schema: core, sections 8.2.3.1 and 9.2.1.
  mutating func target(of reference: String, from schema: PlainSchema) throws(PlainError) -> PlainSchema {
    let uri = PlainURI(reference).resolved(against: PlainURI(schema.base))
    let fragment = uri.decodedFragment
    if !fragment.isEmpty, !fragment.hasPrefix("/") {
      guard let place = anchors["\(uri.withoutFragment)#\(fragment)"], let schema = schemas[place] else {
        throw PlainError.unresolved(reference)
      }
      return schema
    }
    guard let resource = resources[uri.withoutFragment] else { throw PlainError.unresolved(reference) }
    let tokens = PlainText(fragment).bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().map {
      PlainText(String(decoding: $0, as: UTF8.self).replacing("~1", with: "/").replacing("~0", with: "~"))
    }
    return try self.schema(at: tokens, in: resource, reference)
  }

  /// Returns the target of a `$dynamicRef`: core, section 8.2.3.2.
  ///
  /// - Parameter scope: The resources that evaluation has entered, outermost first.
  mutating func dynamicTarget(of reference: String, from schema: PlainSchema, scope: [String]) throws(PlainError) -> PlainSchema {
    let initial = try target(of: reference, from: schema)
    let uri = PlainURI(reference).resolved(against: PlainURI(schema.base))
    let fragment = uri.decodedFragment
    guard dynamicAnchors["\(uri.withoutFragment)#\(fragment)"] != nil else { return initial }
    let candidates = scope.compactMap { dynamicAnchors["\($0)#\(fragment)"] }
    return candidates.first.flatMap { schemas[$0] } ?? initial
  }

  /// Returns the schema that a pointer refers to. A value below a keyword that has no schemas becomes a schema when it is
  /// referred to.
  private mutating func schema(at tokens: [PlainText], in resource: SchemaPlace, _ reference: String) throws(PlainError)
    -> PlainSchema
  {
    var place = resource
    guard var enclosing = schemas[resource] else { throw PlainError.unresolved(reference) }
    var value = enclosing.value
    for token in tokens {
      guard let child = value.child(token) else { throw PlainError.unresolved(reference) }
      value = child
      place.tokens.append(token)
      if let schema = schemas[place] { enclosing = schema }
    }
    if enclosing.place != place { add(value, at: place, base: enclosing.base, vocabularies: enclosing.vocabularies) }
    guard let schema = schemas[place] else { throw PlainError.unresolved(reference) }
    return schema
  }
}
