import ByteStreams
import Findings
import JSONEvents

/// The standard's keywords.
extension SchemaReader {
  mutating func assertion(_ member: JSONValue.Member, _ reader: KeywordReader) throws(CofferError) -> Schema.Assertion? {
    let name = member.key
    guard KeywordNames.isOn(name, in: reader.dialect) else {
      try checkIsHarmless(member, reader)
      return nil
    }
    let value = member.value
    let pointer = reader.pointer(to: name)
    switch name {
    case "type": return .types(try reader.types(value, pointer))
    case "enum": return try reader.enumeration(value, pointer)
    case "const":
      if let data = try reader.dataReference(value, pointer, options: ["prefix"]) { return .equalsData(data) }
      return .values([value])
    case "minimum": return try reader.numericBound(try reader.excludes("exclusiveMinimum") ? .moreThan : .atLeast, value, pointer)
    case "maximum": return try reader.numericBound(try reader.excludes("exclusiveMaximum") ? .lessThan : .atMost, value, pointer)
    case "exclusiveMinimum" where reader.dialect.edition == .draft4, "exclusiveMaximum" where reader.dialect.edition == .draft4:
      _ = try reader.excludes(name)
      return nil
    case "exclusiveMinimum": return try reader.exclusiveBound(.moreThan, name, value, pointer)
    case "exclusiveMaximum": return try reader.exclusiveBound(.lessThan, name, value, pointer)
    case "multipleOf": return .multipleOf(try reader.divisor(value, pointer))
    case "minLength": return .length(.atLeast, try reader.count(value, pointer))
    case "maxLength": return .length(.atMost, try reader.count(value, pointer))
    case "minItems": return .itemCount(.atLeast, try reader.count(value, pointer))
    case "maxItems": return .itemCount(.atMost, try reader.count(value, pointer))
    case "minProperties": return .memberCount(.atLeast, try reader.count(value, pointer))
    case "maxProperties": return .memberCount(.atMost, try reader.count(value, pointer))
    case "uniqueItems": return try reader.boolean(value, pointer) ? .uniqueItems : nil
    case "pattern": return .pattern(try reader.pattern(value, pointer))
    case "format":
      return try reader.format(value, pointer, isAsserted: assertsFormats || reader.dialect.assertsFormats)
        .map(Schema.Assertion.format)
    case "required": return .required(try reader.required(value, pointer))
    case "dependentRequired": return .dependentRequired(try dependentNames(value, pointer, reader))
    default: return try applicator(name, value, pointer, reader)
    }
  }

  private func dependentNames(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(CofferError) -> [(name: String, required: [String])] {
    var dependencies: [(name: String, required: [String])] = []
    for member in try reader.members(value, pointer, of: "lists of names") {
      dependencies.append((member.key, try reader.names(member.value, pointer + "/" + member.key.pointerToken)))
    }
    return dependencies
  }

  // MARK: Applicators

  private mutating func applicator(
    _ name: String, _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion? {
    let severity = reader.grading.severity
    switch name {
    case "properties": return .members(try members(reader))
    case "patternProperties":
      return reader.schema["properties"] == nil ? .members(try members(reader)) : nil
    case "additionalProperties":
      // It is read together with the names and patterns that it doesn't apply to.
      return reader.schema["properties"] == nil && reader.schema["patternProperties"] == nil ? .members(try members(reader)) : nil
    case "propertyNames": return .memberNames(inner(value, [name], reader))
    case "unevaluatedProperties": return .unevaluatedMembers(inner(value, [name], reader))
    case "unevaluatedItems": return .unevaluatedItems(inner(value, [name], reader))
    case "prefixItems": return try items(reader)
    case "items": return reader.schema["prefixItems"] == nil || !reader.knowsPrefixItems ? try items(reader) : nil
    case "additionalItems": return nil
    case "contains": return try contains(value, reader)
    case "minContains", "maxContains":
      _ = try reader.count(value, pointer)
      return nil
    case "allOf": return .allOf(try schemas(value, name, reader, severity))
    case "anyOf": return .anyOf(try schemas(value, name, reader, severity))
    case "oneOf": return .oneOf(try schemas(value, name, reader, severity))
    case "not": return .not(inner(value, [name], reader, severity))
    case "if": return condition(value, reader, severity)
    case "then", "else":
      _ = inner(value, [name], reader, severity)
      return nil
    case "dependentSchemas": return .dependentSchemas(try dependentSchemas(value, pointer, reader))
    case "dependencies": return try dependencies(value, pointer, reader)
    case "contentSchema":
      _ = inner(value, [name], reader)
      return nil
    case "$defs", "definitions":
      for member in try reader.members(value, pointer, of: "schemas") { _ = inner(member.value, [name, member.key], reader) }
      return nil
    case "$ref": return .reference(try reference(value, pointer, reader))
    case "$dynamicRef", "$recursiveRef": return try dynamicReference(value, pointer, reader)
    case "$id", "id", "$anchor", "$dynamicAnchor":
      try checkName(name, value, pointer)
      return nil
    default:
      let keyword = Self.vocabulary.first { $0.name == name }
      return try keyword?.read(&self, Given(name: name, value: value, pointer: pointer, reader: reader))
    }
  }

  /// Returns the index of the subschema that the tokens lead to.
  ///
  /// - Parameter severity: the severity of the surrounding schema, if both apply to the same value.
  mutating func inner(
    _ value: JSONValue.Located, _ tokens: [String], _ reader: KeywordReader, _ severity: Severity = .error
  ) -> Int {
    let place = tokens.reduce(reader.place) { $0.appending($1) }
    let index = schema(SchemaDocuments.Target(place: place, value: value), severity: severity)
    if value.boolean == false { refuse(with: tokens[0], graded: reader.grading, index) }
    return index
  }

  private mutating func schemas(
    _ value: JSONValue.Located, _ name: String, _ reader: KeywordReader, _ severity: Severity
  ) throws(CofferError) -> [Int] {
    guard let items = value.array, !items.isEmpty else {
      throw CofferError(
        rules: "\(name) must be a non-empty list of schemas", at: reader.pointer(to: name), value.position)
    }
    return items.enumerated().map { inner($1, [name, String($0)], reader, severity) }
  }

  private mutating func members(_ reader: KeywordReader) throws(CofferError) -> Schema.Members {
    var rule = Schema.Members()
    if let value = reader.schema["properties"] {
      var places: [ExactText: Int] = [:]
      for member in try reader.members(value, reader.pointer(to: "properties"), of: "schemas") {
        let schema = inner(member.value, ["properties", member.key], reader)
        if let place = places[ExactText(member.key)] {
          rule.named[place].schema = schema
        } else {
          places[ExactText(member.key)] = rule.named.count
          rule.named.append((member.key, schema))
        }
      }
    }
    if let value = reader.schema["patternProperties"] {
      let pointer = reader.pointer(to: "patternProperties")
      for member in try reader.members(value, pointer, of: "schemas") {
        let pattern = try reader.pattern(member.key, pointer + "/" + member.key.pointerToken, member.keyPosition)
        rule.patterns.append((pattern, inner(member.value, ["patternProperties", member.key], reader)))
      }
    }
    if let value = reader.schema["additionalProperties"] { rule.additional = inner(value, ["additionalProperties"], reader) }
    return rule
  }

  /// Reads `prefixItems` and `items`; before 2020-12, `items` as a list and `additionalItems`.
  private mutating func items(_ reader: KeywordReader) throws(CofferError) -> Schema.Assertion {
    let prefixName = reader.knowsPrefixItems ? "prefixItems" : "items"
    let restName = reader.knowsPrefixItems ? "items" : "additionalItems"
    guard let value = reader.schema[prefixName], value.array != nil || reader.knowsPrefixItems else {
      guard let value = reader.schema["items"] else { preconditionFailure("items needs a keyword") }
      guard value.array == nil else {
        throw CofferError(
          rules: "items must be one schema for all items; since 2020-12, use prefixItems for a list of schemas",
          at: reader.pointer(to: "items"), value.position)
      }
      return .items(prefix: [], rest: inner(value, ["items"], reader))
    }
    let prefix = try schemas(value, prefixName, reader, .error)
    return .items(prefix: prefix, rest: reader.schema[restName].map { inner($0, [restName], reader) })
  }

  private mutating func contains(
    _ value: JSONValue.Located, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion {
    var rule = Schema.Contains(schema: inner(value, ["contains"], reader), minimum: 1, maximum: nil)
    guard reader.dialect.hasValidation, reader.dialect.edition >= .draft2019 else { return .contains(rule) }
    if let value = reader.schema["minContains"] { rule.minimum = try reader.count(value, reader.pointer(to: "minContains")) }
    if let value = reader.schema["maxContains"] { rule.maximum = try reader.count(value, reader.pointer(to: "maxContains")) }
    rule.evaluates = reader.dialect.edition >= .draft2020
    return .contains(rule)
  }

  private mutating func condition(
    _ value: JSONValue.Located, _ reader: KeywordReader, _ severity: Severity
  ) -> Schema.Assertion {
    .condition(
      if: inner(value, ["if"], reader, severity), then: reader.schema["then"].map { inner($0, ["then"], reader, severity) },
      else: reader.schema["else"].map { inner($0, ["else"], reader, severity) })
  }

  private mutating func dependentSchemas(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(CofferError) -> [(name: String, schema: Int)] {
    var dependencies: [(name: String, schema: Int)] = []
    for member in try reader.members(value, pointer, of: "schemas") {
      dependencies.append((member.key, inner(member.value, ["dependentSchemas", member.key], reader, reader.grading.severity)))
    }
    return dependencies
  }

  /// Reads `dependencies`: required names or schemas. 2019-09 split it into two keywords.
  private mutating func dependencies(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion {
    var parts: [Int] = []
    for member in try reader.members(value, pointer, of: "names or schemas") {
      let place = pointer + "/" + member.key.pointerToken
      let assertion: Schema.Assertion
      if member.value.array != nil {
        assertion = .dependentRequired([(member.key, try reader.names(member.value, place))])
      } else {
        let schema = inner(member.value, ["dependencies", member.key], reader, reader.grading.severity)
        assertion = .dependentSchemas([(member.key, schema)])
      }
      parts.append(add(part("dependencies", at: place, member.value.position, assertion, reader)))
    }
    return .allOf(parts)
  }

  /// Makes a schema of one of a keyword's rules. The keyword becomes an `allOf` of such schemas.
  func part(
    _ name: String, at pointer: String, _ position: TextPosition, _ assertion: Schema.Assertion, _ reader: KeywordReader
  ) -> Schema {
    let origin = Schema.Origin(document: documents.name(of: reader.place), pointer: pointer, position: position)
    var schema = Schema(origin: origin)
    schema.resource = reader.resource
    schema.grading = reader.grading
    schema.keywords = [Schema.Keyword(name: name, origin: origin, assertion: assertion, grading: reader.grading)]
    return schema
  }

  // MARK: Keywords that are not evaluated

  private func checkIsHarmless(_ member: JSONValue.Member, _ reader: KeywordReader) throws(CofferError) {
    // In the standard, unknown keywords are annotations. In Coffer's own dialect a misspelt rule is an error.
    guard reader.dialect.hasVocabulary, !KeywordNames.annotations.contains(member.key) else { return }
    if KeywordNames.gradings.contains(member.key) || member.key == "backup" && reader.place.pointer.text.isEmpty { return }
    let pointer = reader.pointer(to: member.key)
    // Foreign keywords usually mean that a schema for other validators lacks `$schema`.
    let isNamed = documents.resources[0].root.value["$schema"] != nil
    if let successor = KeywordNames.successors[member.key] {
      let hint = isNamed ? "" : ", or name the draft, such as \"$schema\": \"\(KeywordNames.draft(of: member.key))\""
      throw CofferError(
        rules: "'\(member.key)' belongs to an older draft; \(successor)\(hint)", at: pointer, member.keyPosition)
    }
    let known = KeywordNames.annotations + KeywordNames.gradings + KeywordNames.all
    let suggestion = Suggestion.text(for: member.key, among: known)
    let hint =
      isNamed || !suggestion.isEmpty
      ? "" : "; if this schema is for other validators, name its draft, such as \"$schema\": \"\(Dialect.standardURI)\""
    throw CofferError(rules: "unknown keyword '\(member.key)'\(suggestion)\(hint)", at: pointer, member.keyPosition)
  }
}
