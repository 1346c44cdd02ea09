import ByteStreams
import Findings
import JSONEvents

/// References to other schemas, and the names that they use.
extension SchemaReader {
  mutating func reference(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    switch try target(of: value, reader) {
    case .success(let target): .reference(schema(target, severity: nil))
    case .failure(let error): unusable("$ref", value, error, reader)
    }
  }

  mutating func dynamicReference(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    let text = try value.expectString()
    let target: SchemaDocuments.Target
    switch try self.target(of: value, reader) {
    case .success(let found): target = found
    case .failure(let error): return unusable("$dynamicRef", value, error, reader)
    }
    let initial = schema(target, severity: nil)
    // It is resolved dynamically only if its initial target is a dynamic anchor itself (core, section 8.2.3.2).
    let resource = documents.resources[documents.resource(of: target.place)]
    let name: ExactText
    if reader.dialect.edition == .draft2019 {
      name = SchemaDocuments.recursiveAnchor
    } else {
      guard let fragment = URIReference(text).fragment?.percentDecoded, fragment.utf8.first != UInt8(ascii: "/") else {
        return .reference(initial)
      }
      name = ExactText(fragment)
    }
    guard let anchored = resource.dynamicAnchors[name], anchored.place == target.place else { return .reference(initial) }
    noteDynamicName(name)
    return .dynamicReference(initial, anchor: name)
  }

  /// Returns the target of a reference; a failure if its document is not available.
  ///
  /// - Throws: an error that makes the rules unusable whatever a document contains, such as a place that doesn't exist.
  private mutating func target(
    of value: RuleValue, _ reader: KeywordReader
  ) throws(CofferError) -> Result<SchemaDocuments.Target, CofferError> {
    let text = try value.expectString()
    do throws(CofferError) {
      return .success(try documents.resolve(text, in: reader.resource, at: reader.place(of: value), value.json.position))
    } catch {
      guard error.code == .unresolvedReference else { throw error }
      return .failure(error)
    }
  }

  /// Warns about a reference that leads nowhere. The rules remain usable for documents that don't reach it.
  private mutating func unusable(
    _ name: String, _ value: RuleValue, _ error: CofferError, _ reader: KeywordReader
  ) -> Schema.Assertion {
    let origin = Schema.Origin(
      document: documents.name(of: reader.place(of: value)), pointer: value.pointer, position: value.json.position)
    warn(origin.finding(code: error.code.rawValue, keyword: name, error.message))
    return .unusable(error.inDocument(origin.document))
  }

  // MARK: Loops

  /// Makes schemas unusable that refer to themselves without descending into a member or an item: they would apply endlessly.
  ///
  ///     {"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}}
  ///
  ///     a ─▶ a/allOf/0 ─▶ b ─▶ b/not ─▶ a        a is entered while it is open: a becomes unusable
  ///
  /// The compiler and others follow such schemas without further care. What a `$dynamicRef` leads to is known only when rules are
  /// compiled: the compiler refuses its loops. The search takes time linear in the rules, and no recursion.
  mutating func breakLoops() {
    enum Mark { case new, open, done }
    var marks = Array(repeating: Mark.new, count: schemas.count)
    var endless: Set<Int> = []
    for start in schemas.indices where marks[start] == .new {
      var way: [(schema: Int, parts: [Int])] = [(start, partsInPlace(of: start))]
      marks[start] = .open
      while let last = way.indices.last {
        guard let part = way[last].parts.popLast() else {
          marks[way.removeLast().schema] = .done
          continue
        }
        if marks[part] == .new {
          marks[part] = .open
          way.append((part, partsInPlace(of: part)))
        } else if marks[part] == .open {
          endless.insert(part)
        }
      }
    }
    for index in endless.sorted() {
      let origin = schemas[index].origin
      let message = "this schema refers to itself without descending into a member or an item"
      let code = CofferError.Code.endlessReference
      warn(origin.finding(code: code.rawValue, keyword: "$ref", message))
      let place = CofferError.Place(document: origin.document, pointer: origin.pointer, position: origin.position)
      schemas[index].keywords = [
        Schema.Keyword(
          name: "$ref", origin: origin, assertion: .unusable(CofferError(code, message, at: place)), grading: Schema.Grading())
      ]
    }
  }

  /// Returns the schemas that apply to the same value as this one, the last one first.
  private func partsInPlace(of schema: Int) -> [Int] {
    var parts: [Int] = []
    for keyword in schemas[schema].keywords {
      switch keyword.assertion {
      case .reference(let part), .not(let part): parts.append(part)
      case .allOf(let all), .anyOf(let all), .oneOf(let all): parts += all
      case .dependentSchemas(let dependencies): parts += dependencies.map(\.schema)
      // On its own, `if` validates nothing.
      case .condition(let test, let then, let otherwise) where then != nil || otherwise != nil:
        parts += [test, then, otherwise].compactMap(\.self)
      default: break
      }
    }
    return parts.reversed()
  }
}

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

/// Coffer's own keywords.
extension SchemaReader {
  typealias Read = @Sendable (inout SchemaReader, RuleValue, KeywordReader) throws(CofferError) -> Schema.Assertion

  /// The vocabulary: each keyword's name, and how its value is read.
  static let vocabulary: [(name: String, read: Read)] = [
    ("formatMinimum", { _, value, reader throws(CofferError) in try reader.formatBound(.atLeast, value) }),
    ("formatMaximum", { _, value, reader throws(CofferError) in try reader.formatBound(.atMost, value) }),
    ("formatExclusiveMinimum", { _, value, reader throws(CofferError) in try reader.formatBound(.moreThan, value) }),
    ("formatExclusiveMaximum", { _, value, reader throws(CofferError) in try reader.formatBound(.lessThan, value) }),
    (
      "primaryKey",
      { schemas, value, reader throws(CofferError) in .uniqueKey(try schemas.uniqueKey(value, reader, isPrimary: true)) }
    ),
    ("uniqueKeys", { schemas, value, reader throws(CofferError) in try schemas.entries(value, "uniqueKeys", reader) }),
    ("foreignKeys", { schemas, value, reader throws(CofferError) in try schemas.entries(value, "foreignKeys", reader) }),
    ("countOf", { _, value, reader throws(CofferError) in .countOf(try reader.resource(value, allowsWildcard: false)) }),
    ("sumOf", { _, value, reader throws(CofferError) in .sumOf(try reader.sum(value)) }),
    ("sortedBy", { _, value, reader throws(CofferError) in .sortedBy(try reader.sortOrder(value)) }),
    ("since", { _, value, _ throws(CofferError) in .since(min(try value.expectCount(), Int(Int32.max))) }),
    ("containerEntry", { schemas, value, reader throws(CofferError) in try schemas.containerEntry(value, reader) }),
  ]

  /// Reads a list of rules, each with its own place and grading: they become the parts of an `allOf`.
  private mutating func entries(
    _ value: RuleValue, _ name: String, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion {
    var parts: [Int] = []
    for item in try value.expectItems(of: "keys") {
      var entry = reader
      entry.schema = item
      do throws(CofferError) {
        try entry.readGrading()
        let assertion = try name == "uniqueKeys" ? uniqueKeyOrItem(item, entry) : foreignKey(item, entry)
        parts.append(add(part(name, item, assertion, entry)))
      } catch {
        note(error, in: reader)
      }
    }
    return .allOf(parts)
  }

  /// Reads a container entry. With its own grading, it becomes the part of an `allOf`.
  private mutating func containerEntry(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    let assertion = Schema.Assertion.containerEntry(try reader.containerEntry(value))
    guard value.isObject else { return assertion }
    var entry = reader
    entry.schema = value
    try entry.readGrading()
    return .allOf([add(part("containerEntry", value, assertion, entry))])
  }

  /// Reads the fields of a unique key. An empty list of fields means that the items themselves are unique.
  private mutating func uniqueKeyOrItem(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    guard value.isObject, value["fields"]?.items?.isEmpty == true else { return .uniqueKey(try uniqueKey(value, reader)) }
    for name in Self.fieldMembers {
      if let member = value[name] { throw member.error("\(name) needs a field") }
    }
    try reader.checkMembers(value, known: Self.keyMembers)
    return .uniqueItems(ignoresCase: try value["ignoreCase"]?.expectBoolean() ?? false)
  }

  private mutating func uniqueKey(
    _ value: RuleValue, _ reader: KeywordReader, isPrimary: Bool = false
  ) throws(CofferError) -> Schema.UniqueKey {
    guard value.isObject else { return Schema.UniqueKey(fields: try reader.fields(value), isPrimary: isPrimary) }
    if isPrimary {
      try value.checkMembers(known: Self.keyMembers + ["acrossArrays"])
    } else {
      try reader.checkMembers(value, known: Self.keyMembers + Self.fieldMembers)
    }
    guard let fields = value["fields"] else { throw value.error("missing fields") }
    var key = Schema.UniqueKey(
      fields: try reader.fields(fields), ignoresCase: try value["ignoreCase"]?.expectBoolean() ?? false, isPrimary: isPrimary,
      spansArrays: try value["acrossArrays"]?.expectBoolean() ?? false,
      comparesInstants: try value["asInstants"]?.expectBoolean() ?? false)
    if let schema = value["when"] { key.whenSchema = inner(schema, "when", reader) }
    if let grade = value["ifEqual"] {
      guard let leniency = grade.string.flatMap(Schema.Leniency.init(name:)) else {
        throw grade.error("expected error, warning, note or none")
      }
      key.ifEqual = leniency
    }
    return key
  }

  private static let keyMembers = ["fields", "ignoreCase"]
  /// Further members of an entry with fields.
  private static let fieldMembers = ["acrossArrays", "asInstants", "when", "ifEqual"]

  private mutating func foreignKey(_ value: RuleValue, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    try reader.checkMembers(value, known: ["fields", "reference", "when", "at", "ignoreCase"])
    guard let fieldsValue = value["fields"], let reference = value["reference"] else {
      throw value.error("a foreign key needs fields and reference")
    }
    let fields = try reader.fields(fieldsValue, allowsItems: true)
    var key = Schema.ForeignKey(
      fields: fields, ignoresCase: try value["ignoreCase"]?.expectBoolean() ?? false, targets: [], findingField: fields[0])
    let alternatives = reference.items ?? [reference]
    if alternatives.isEmpty { throw reference.error("a reference needs a resource") }
    for alternative in alternatives { key.targets.append(try target(alternative, &key, reader)) }
    if let schema = value["when"] { key.whenSchema = inner(schema, "when", reader) }
    if let field = value["at"] {
      guard field.string != nil else { throw field.error("at must name a field") }
      key.findingField = try reader.fields(field)[0]
    }
    return .foreignKey(key)
  }

  /// Reads a grading, or one that applies to versions of the format before a given one.
  private func ifEmpty(_ value: RuleValue) throws(CofferError) -> Schema.ForeignKey.IfEmpty? {
    guard value.isObject else {
      return value.string.flatMap(Schema.Leniency.init(name:)).map { Schema.ForeignKey.IfEmpty(leniency: $0) }
    }
    try value.checkMembers(known: ["severity", "before"])
    guard let name = value["severity"]?.string, let leniency = Schema.Leniency(name: name), let before = value["before"]
    else { return nil }
    return Schema.ForeignKey.IfEmpty(leniency: leniency, before: try before.expectCount())
  }

  /// Reads one collection that a foreign key may refer to.
  private mutating func target(
    _ value: RuleValue, _ key: inout Schema.ForeignKey, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.ForeignKey.Target {
    try value.checkMembers(known: ["resource", "fields", "where", "ifEmpty"])
    guard let resource = value["resource"] else { throw value.error("a reference needs a resource") }
    var target = Schema.ForeignKey.Target(resource: try reader.keyResource(resource), fields: [])
    if let fields = value["fields"] { target.fields = try reader.fields(fields) }
    if case .relative(levels: 2, let tokens) = target.resource, tokens[0] != "*" {
      throw resource.error(
        "'\(target.resource.text)' begins at the array of the records, whose items are '*'; use 3 for the object around it")
    }
    guard key.fields.count == max(1, target.fields.count) else {
      throw value.error(
        "a foreign key needs as many fields as its reference, or one field if the items of the resource are the keys")
    }
    if let schema = value["where"] {
      if target.fields.isEmpty { throw schema.error("where applies only to records: it needs fields") }
      target.whereSchema = inner(schema, "where", reader)
    }
    if let grade = value["ifEmpty"] {
      guard let ifEmpty = try self.ifEmpty(grade) else { throw grade.error("expected error, warning, note or none") }
      guard key.ifEmpty == nil || key.ifEmpty == ifEmpty else {
        throw grade.error("all alternatives of a reference must have the same ifEmpty")
      }
      key.ifEmpty = ifEmpty
      target.gradesIfEmpty = true
    }
    return target
  }
}
