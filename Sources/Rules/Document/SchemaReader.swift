import Findings
import JSONEvents

/// Turns the JSON of a rule document into schemas: every keyword is understood, known to change no verdict, or refused with its place.
struct SchemaReader {
  let document: JSONValue.Located
  let hasVocabulary: Bool
  let assertsFormats: Bool
  private(set) var schemas: [Schema] = []
  /// The schemas that have been begun, by where they stand.
  private var indices: [String: Int] = [:]

  static let standard = "https://json-schema.org/draft/2020-12/schema"
  static let vocabulary = "urn:coffer:rules:1"

  init(document: JSONValue.Located, options: RuleDocument.Options) throws(RuleCompileError) {
    self.document = document
    switch document["$schema"] {
    case nil: hasVocabulary = true
    case let value?:
      guard let name = value.string else { throw RuleCompileError("$schema must be a string", at: "/$schema", value.position) }
      switch name {
      case Self.standard, Self.standard + "#": hasVocabulary = false
      case Self.vocabulary: hasVocabulary = true
      default:
        throw RuleCompileError(
          "$schema names '\(name)'; Coffer reads '\(Self.standard)' and '\(Self.vocabulary)'", at: "/$schema", value.position)
      }
    }
    assertsFormats = hasVocabulary || options.assertsFormats
  }

  mutating func readRoot() throws(RuleCompileError) -> Int {
    try schema(document, at: "", severity: .error)
  }

  /// Reads the schema at `pointer`, once.
  ///
  /// - Parameter severity: what it inherits: subschemas that judge the same value are graded as the schema around them.
  mutating func schema(_ value: JSONValue.Located, at pointer: String, severity: Severity) throws(RuleCompileError) -> Int {
    if let index = indices[pointer] { return index }
    let index = schemas.count
    indices[pointer] = index
    schemas.append(Schema(pointer: pointer, position: value.position))
    if let boolean = value.boolean {
      if !boolean { schemas[index].keywords = [neverKeyword(at: pointer)] }
      return index
    }
    guard let members = value.object else {
      throw RuleCompileError("a schema is an object or a boolean, not \(value.typeName)", at: pointer, value.position)
    }
    // It would give every reference below another meaning: nothing else can be said before that.
    if !pointer.isEmpty, let id = members.first(where: { $0.key == "$id" }) {
      throw RuleCompileError("the keyword '$id' is not supported yet", at: pointer + "/$id", id.keyPosition)
    }
    var keywords = KeywordReader(schema: value, pointer: pointer, grading: Schema.Grading(severity: severity))
    try keywords.readGrading(hasVocabulary: hasVocabulary)
    schemas[index].grading = keywords.grading
    for member in members {
      if let keyword = try read(member, &keywords) { schemas[index].keywords.append(keyword) }
    }
    return index
  }

  private func neverKeyword(at pointer: String) -> Schema.Keyword {
    let tokens = pointer.split(separator: "/")
    let last = tokens.last.map(String.init) ?? "falseSchema"
    let name = tokens.count > 1 && tokens[tokens.count - 2] == "properties" ? "properties" : last
    return Schema.Keyword(name: name, pointer: pointer, assertion: .never, grading: Schema.Grading())
  }

  // MARK: Keywords

  private mutating func read(_ member: JSONValue.Member, _ reader: inout KeywordReader) throws(RuleCompileError) -> Schema
    .Keyword?
  {
    let pointer = reader.pointer + "/" + member.key.pointerToken
    let severity = reader.grading.severity
    guard let assertion = try assertion(member, pointer, reader, severity) else { return nil }
    return Schema.Keyword(name: member.key, pointer: pointer, assertion: assertion, grading: reader.grading)
  }

  private mutating func assertion(
    _ member: JSONValue.Member, _ pointer: String, _ reader: KeywordReader, _ severity: Severity
  ) throws(RuleCompileError) -> Schema.Assertion? {
    let name = member.key
    let value = member.value
    switch name {
    case "type": return .types(try reader.types(value, pointer))
    case "enum": return .values(try reader.enumeration(value, pointer))
    case "const":
      if hasVocabulary, let data = try reader.dataReference(value, pointer) { return .equalsData(data) }
      return .values([value])
    case "minimum": return try numericBound(.atLeast, value, pointer, reader)
    case "exclusiveMinimum": return try numericBound(.moreThan, value, pointer, reader)
    case "maximum": return try numericBound(.atMost, value, pointer, reader)
    case "exclusiveMaximum": return try numericBound(.lessThan, value, pointer, reader)
    case "multipleOf": return .multipleOf(try reader.divisor(value, pointer))
    case "minLength": return .length(.atLeast, try reader.count(value, pointer))
    case "maxLength": return .length(.atMost, try reader.count(value, pointer))
    case "minItems": return .itemCount(.atLeast, try reader.count(value, pointer))
    case "maxItems": return .itemCount(.atMost, try reader.count(value, pointer))
    case "pattern": return .pattern(try reader.pattern(value, pointer))
    case "format": return try reader.format(value, pointer, isAsserted: assertsFormats).map(Schema.Assertion.format)
    case "required": return .required(try reader.names(value, pointer))
    case "properties": return try properties(value, pointer, reader)
    case "additionalProperties":
      // Together with `properties`, whose names it does not concern; alone it concerns all.
      if reader.schema["properties"] != nil { return nil }
      return .properties([], additional: try schema(value, at: pointer, severity: .error))
    case "items": return .items(try schema(value, at: pointer, severity: .error))
    case "contains": return try contains(value, pointer, reader)
    case "minContains", "maxContains":
      _ = try reader.count(value, pointer)
      return nil
    case "allOf": return .allOf(try schemas(value, pointer, severity))
    case "anyOf": return .anyOf(try schemas(value, pointer, severity))
    case "oneOf": return .oneOf(try schemas(value, pointer, severity))
    case "not": return .not(try schema(value, at: pointer, severity: severity))
    case "if": return try condition(value, pointer, reader, severity)
    case "then", "else":
      _ = try schema(value, at: pointer, severity: severity)
      return nil
    case "$ref": return .reference(try reference(value, pointer))
    case "$defs":
      guard let members = value.object else { throw RuleCompileError("$defs must be an object", at: pointer, value.position) }
      for member in members { _ = try schema(member.value, at: pointer + "/" + member.key.pointerToken, severity: .error) }
      return nil
    default:
      if hasVocabulary, let assertion = try vocabularyAssertion(name, value, pointer, reader) { return assertion }
      try checkIsHarmless(name, member.keyPosition, pointer, reader)
      return nil
    }
  }

  private func numericBound(
    _ comparison: Comparison, _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(RuleCompileError) -> Schema.Assertion {
    if hasVocabulary, let data = try reader.dataReference(value, pointer) { return .bound(comparison, .data(data)) }
    return .bound(comparison, .number(try reader.decimal(value, pointer)))
  }

  private mutating func schemas(
    _ value: JSONValue.Located, _ pointer: String, _ severity: Severity
  ) throws(RuleCompileError) -> [Int] {
    guard let items = value.array, !items.isEmpty else {
      throw RuleCompileError("expected a list of schemas with at least one in it", at: pointer, value.position)
    }
    var result: [Int] = []
    for (index, item) in items.enumerated() { result.append(try schema(item, at: "\(pointer)/\(index)", severity: severity)) }
    return result
  }

  private mutating func properties(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(RuleCompileError) -> Schema.Assertion {
    guard let members = value.object else {
      throw RuleCompileError("properties must be an object of schemas", at: pointer, value.position)
    }
    var properties: [(name: String, schema: Int)] = []
    for member in members {
      let index = try schema(member.value, at: pointer + "/" + member.key.pointerToken, severity: .error)
      properties.removeAll { $0.name == member.key }
      properties.append((member.key, index))
    }
    var additional: Int?
    if let value = reader.schema["additionalProperties"] {
      additional = try schema(value, at: reader.pointer + "/additionalProperties", severity: .error)
    }
    return .properties(properties, additional: additional)
  }

  private mutating func contains(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(RuleCompileError) -> Schema.Assertion {
    let minimum = try reader.schema["minContains"].map { value throws(RuleCompileError) in try reader.count(value, pointer) } ?? 1
    let maximum = try reader.schema["maxContains"].map { value throws(RuleCompileError) in try reader.count(value, pointer) }
    return .contains(try schema(value, at: pointer, severity: .error), minimum: minimum, maximum: maximum)
  }

  private mutating func condition(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader, _ severity: Severity
  ) throws(RuleCompileError) -> Schema.Assertion? {
    let condition = try schema(value, at: pointer, severity: severity)
    var branches: [Int?] = []
    for name in ["then", "else"] {
      guard let branch = reader.schema[name] else {
        branches.append(nil)
        continue
      }
      branches.append(try schema(branch, at: reader.pointer + "/" + name, severity: severity))
    }
    return .condition(if: condition, then: branches[0], else: branches[1])
  }

  private mutating func reference(_ value: JSONValue.Located, _ pointer: String) throws(RuleCompileError) -> Int {
    guard let text = value.string else { throw RuleCompileError("$ref must be a string", at: pointer, value.position) }
    guard text.hasPrefix("#"), text == "#" || text.hasPrefix("#/"), let tokens = String(text.dropFirst()).pointerTokens else {
      throw RuleCompileError(
        "$ref names '\(text)'; only places in this document ('#/…') can be referred to", at: pointer, value.position)
    }
    var target = document
    for token in tokens {
      if let next = target[token] {
        target = next
      } else if let items = target.array, let index = Int(token), items.indices.contains(index) {
        target = items[index]
      } else {
        throw RuleCompileError("$ref names '\(text)', which this document doesn't hold", at: pointer, value.position)
      }
    }
    return try schema(target, at: tokens.map { "/" + $0.pointerToken }.joined(), severity: .error)
  }

  // MARK: The vocabulary

  private mutating func vocabularyAssertion(
    _ name: String, _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(RuleCompileError) -> Schema.Assertion? {
    switch name {
    case "formatMinimum": return try reader.formatBound(.atLeast, value, pointer)
    case "formatExclusiveMinimum": return try reader.formatBound(.moreThan, value, pointer)
    case "formatMaximum": return try reader.formatBound(.atMost, value, pointer)
    case "formatExclusiveMaximum": return try reader.formatBound(.lessThan, value, pointer)
    case "primaryKey": return .uniqueKey(fields: try reader.fields(value, pointer), ignoresCase: false, isPrimary: true)
    case "uniqueKeys", "foreignKeys": return try entries(value, pointer, name, reader)
    case "countOf": return .countOf(try reader.resource(value, pointer, allowsWildcard: false))
    case "since": return .since(min(try reader.count(value, pointer), Int(Int32.max)))
    default: return nil
    }
  }

  /// Each entry is a rule of its own, with its own place and words: they become the parts of an `allOf` that stands here.
  private mutating func entries(
    _ value: JSONValue.Located, _ pointer: String, _ name: String, _ reader: KeywordReader
  ) throws(RuleCompileError) -> Schema.Assertion {
    guard let items = value.array else { throw RuleCompileError("\(name) must be a list", at: pointer, value.position) }
    var parts: [Int] = []
    for (index, item) in items.enumerated() {
      let place = "\(pointer)/\(index)"
      var entryReader = KeywordReader(schema: item, pointer: place, grading: reader.grading)
      try entryReader.readGrading(hasVocabulary: true)
      let assertion = try name == "uniqueKeys" ? uniqueKey(item, place, entryReader) : foreignKey(item, place, entryReader)
      parts.append(schemas.count)
      schemas.append(
        Schema(
          pointer: place, position: item.position, grading: entryReader.grading,
          keywords: [Schema.Keyword(name: name, pointer: place, assertion: assertion, grading: entryReader.grading)]))
    }
    return .allOf(parts)
  }

  private func uniqueKey(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(RuleCompileError) -> Schema.Assertion {
    guard value.object != nil else {
      return .uniqueKey(fields: try reader.fields(value, pointer), ignoresCase: false, isPrimary: false)
    }
    try reader.checkMembers(value, pointer, known: ["fields", "ignoreCase"])
    guard let fields = value["fields"] else { throw RuleCompileError("fields is missing", at: pointer, value.position) }
    if let option = value["ignoreCase"], option.boolean == nil {
      throw RuleCompileError("ignoreCase is true or false", at: pointer + "/ignoreCase", option.position)
    }
    let ignoresCase = value["ignoreCase"]?.boolean ?? false
    return .uniqueKey(fields: try reader.fields(fields, pointer + "/fields"), ignoresCase: ignoresCase, isPrimary: false)
  }

  private mutating func foreignKey(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(RuleCompileError) -> Schema.Assertion {
    try reader.checkMembers(value, pointer, known: ["fields", "reference", "when", "at"])
    guard let fieldsValue = value["fields"], let reference = value["reference"] else {
      throw RuleCompileError("a foreign key needs fields and a reference", at: pointer, value.position)
    }
    try reader.checkMembers(reference, pointer + "/reference", known: ["resource", "fields", "where"], grades: false)
    guard let resource = reference["resource"], let referencedFields = reference["fields"] else {
      throw RuleCompileError("a reference needs a resource and fields", at: pointer + "/reference", reference.position)
    }
    let fields = try reader.fields(fieldsValue, pointer + "/fields")
    var key = Schema.ForeignKey(
      fields: fields,
      resource: try reader.resource(resource, pointer + "/reference/resource", allowsWildcard: true),
      referencedFields: try reader.fields(referencedFields, pointer + "/reference/fields"),
      findingField: fields[0])
    guard key.fields.count == key.referencedFields.count else {
      throw RuleCompileError("a foreign key has as many fields as its reference", at: pointer, value.position)
    }
    if let schema = reference["where"] {
      key.whereSchema = try self.schema(schema, at: pointer + "/reference/where", severity: .error)
    }
    if let schema = value["when"] { key.whenSchema = try self.schema(schema, at: pointer + "/when", severity: .error) }
    if let field = value["at"] {
      guard let name = field.string else { throw RuleCompileError("at names a field", at: pointer + "/at", field.position) }
      key.findingField = name
    }
    return .foreignKey(key)
  }

  // MARK: Keywords that are not evaluated

  private func checkIsHarmless(
    _ name: String, _ position: TextPosition, _ pointer: String, _ reader: KeywordReader
  ) throws(RuleCompileError) {
    if KeywordNames.annotations.contains(name) { return }
    if hasVocabulary, KeywordNames.gradings.contains(name) || name == "backup" && reader.pointer.isEmpty { return }
    if name == "$id", reader.pointer.isEmpty { return }
    if KeywordNames.unsupported.contains(name) || hasVocabulary && KeywordNames.unsupportedVocabulary.contains(name) {
      throw RuleCompileError("the keyword '\(name)' is not supported yet", at: pointer, position)
    }
    // The standard makes unknown keywords annotations; in Coffer's own dialect a misspelt rule must not pass for one.
    guard hasVocabulary else { return }
    let known = KeywordNames.annotations + KeywordNames.gradings + KeywordNames.assertions
    throw RuleCompileError(
      "there is no keyword '\(name)'\(Suggestion.text(for: name, among: known))", at: pointer, position)
  }
}
