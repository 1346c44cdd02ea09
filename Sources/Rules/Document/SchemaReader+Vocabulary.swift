import Findings
import JSONEvents

/// Coffer's own keywords.
extension SchemaReader {
  mutating func vocabularyAssertion(
    _ name: String, _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(RuleCompileError) -> Schema.Assertion? {
    switch name {
    case "formatMinimum": return try reader.formatBound(.atLeast, value, pointer)
    case "formatExclusiveMinimum": return try reader.formatBound(.moreThan, value, pointer)
    case "formatMaximum": return try reader.formatBound(.atMost, value, pointer)
    case "formatExclusiveMaximum": return try reader.formatBound(.lessThan, value, pointer)
    case "primaryKey": return .uniqueKey(fields: try reader.fields(value, pointer), ignoresCase: false, isPrimary: true)
    case "uniqueKeys": return try entries(value, pointer, name, reader)
    case "foreignKeys": return try entries(value, pointer, name, reader)
    case "countOf": return .countOf(try reader.resource(value, pointer, allowsWildcard: false))
    case "sumOf": return .sumOf(try reader.sum(value, pointer))
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
      var entry = reader
      entry.schema = item
      entry.place = reader.place.appending(name, String(index))
      try entry.readGrading()
      let assertion = try name == "uniqueKeys" ? uniqueKey(item, place, entry) : foreignKey(item, place, entry)
      parts.append(add(part(name, at: place, item.position, assertion, entry)))
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
    let fields = try reader.fields(fieldsValue, pointer + "/fields", allowsItems: true)
    var key = Schema.ForeignKey(fields: fields, targets: [], findingField: fields[0])
    if let alternatives = reference.array {
      guard !alternatives.isEmpty else {
        throw RuleCompileError("a reference needs a resource and fields", at: pointer + "/reference", reference.position)
      }
      for (index, alternative) in alternatives.enumerated() {
        key.targets.append(try target(alternative, ["reference", String(index)], &key, reader))
      }
    } else {
      key.targets.append(try target(reference, ["reference"], &key, reader))
    }
    if let schema = value["when"] { key.whenSchema = inner(schema, ["when"], reader) }
    if let field = value["at"] {
      guard field.string != nil else { throw RuleCompileError("at names a field", at: pointer + "/at", field.position) }
      key.findingField = try reader.fields(field, pointer + "/at")[0]
    }
    return .foreignKey(key)
  }

  /// One collection that a foreign key may point into.
  private mutating func target(
    _ value: JSONValue.Located, _ tokens: [String], _ key: inout Schema.ForeignKey, _ reader: KeywordReader
  ) throws(RuleCompileError) -> Schema.ForeignKey.Target {
    let pointer = tokens.reduce(reader.place) { $0.appending($1) }.pointer.text
    try reader.checkMembers(value, pointer, known: ["resource", "fields", "where", "ifEmpty"], grades: false)
    guard let resource = value["resource"], let fields = value["fields"] else {
      throw RuleCompileError("a reference needs a resource and fields", at: pointer, value.position)
    }
    var target = Schema.ForeignKey.Target(
      resource: try reader.keyResource(resource, pointer + "/resource"), fields: try reader.fields(fields, pointer + "/fields"))
    if case .relative(levels: 2, let tokens) = target.resource, tokens[0] != "*" {
      throw RuleCompileError(
        "'\(target.resource.text)' begins at the array of the records, whose items are called '*'; the object around it is 3",
        at: pointer + "/resource", resource.position)
    }
    guard key.fields.count == target.fields.count else {
      throw RuleCompileError("a foreign key has as many fields as its reference", at: pointer, value.position)
    }
    if let schema = value["where"] { target.whereSchema = inner(schema, tokens + ["where"], reader) }
    if let grade = value["ifEmpty"] {
      guard let severity = grade.string.flatMap(Severity.init(rawValue:)) else {
        throw RuleCompileError("ifEmpty is error, warning or note", at: pointer + "/ifEmpty", grade.position)
      }
      guard key.severityIfEmpty == nil || key.severityIfEmpty == severity else {
        throw RuleCompileError(
          "an earlier alternative says otherwise, and it is one reference that is graded", at: pointer + "/ifEmpty",
          grade.position)
      }
      key.severityIfEmpty = severity
    }
    return target
  }
}
