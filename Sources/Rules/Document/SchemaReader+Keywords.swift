import ByteStreams
import Findings
import JSONEvents

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
