import ByteStreams
import Findings
import JSONEvents

/// Coffer's own keywords.
extension SchemaReader {
  /// A keyword with its value, in the schema that `reader` reads.
  struct Given {
    let name: String
    let value: JSONValue.Located
    let pointer: String
    let reader: KeywordReader
  }

  /// The vocabulary: each keyword's name, and how its value is read.
  static let vocabulary: [(name: String, read: @Sendable (inout SchemaReader, Given) throws(CofferError) -> Schema.Assertion)] = [
    ("formatMinimum", { _, it throws(CofferError) in try it.reader.formatBound(.atLeast, it.value, it.pointer) }),
    ("formatMaximum", { _, it throws(CofferError) in try it.reader.formatBound(.atMost, it.value, it.pointer) }),
    ("formatExclusiveMinimum", { _, it throws(CofferError) in try it.reader.formatBound(.moreThan, it.value, it.pointer) }),
    ("formatExclusiveMaximum", { _, it throws(CofferError) in try it.reader.formatBound(.lessThan, it.value, it.pointer) }),
    (
      "primaryKey",
      { schemas, it throws(CofferError) in
        .uniqueKey(try schemas.uniqueKey(it.value, it.pointer, it.reader, grades: false, isPrimary: true))
      }
    ),
    ("uniqueKeys", { schemas, it throws(CofferError) in try schemas.entries(it.value, it.pointer, it.name, it.reader) }),
    ("foreignKeys", { schemas, it throws(CofferError) in try schemas.entries(it.value, it.pointer, it.name, it.reader) }),
    ("countOf", { _, it throws(CofferError) in .countOf(try it.reader.resource(it.value, it.pointer, allowsWildcard: false)) }),
    ("sumOf", { _, it throws(CofferError) in .sumOf(try it.reader.sum(it.value, it.pointer)) }),
    ("sortedBy", { _, it throws(CofferError) in .sortedBy(try it.reader.sortOrder(it.value, it.pointer)) }),
    ("since", { _, it throws(CofferError) in .since(min(try it.reader.count(it.value, it.pointer), Int(Int32.max))) }),
    ("containerEntry", { schemas, it throws(CofferError) in try schemas.containerEntry(it.value, it.pointer, it.reader) }),
  ]

  /// Reads a list of rules, each with its own place and grading: they become the parts of an `allOf`.
  private mutating func entries(
    _ value: JSONValue.Located, _ pointer: String, _ name: String, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion {
    guard let items = value.array else { throw CofferError(rules: "\(name) must be a list", at: pointer, value.position) }
    var parts: [Int] = []
    for (index, item) in items.enumerated() {
      let place = "\(pointer)/\(index)"
      var entry = reader
      entry.schema = item
      entry.place = reader.place.appending(name, String(index))
      try entry.readGrading()
      let assertion = try name == "uniqueKeys" ? .uniqueKey(uniqueKey(item, place, entry)) : foreignKey(item, place, entry)
      parts.append(add(part(name, at: place, item.position, assertion, entry)))
    }
    return .allOf(parts)
  }

  /// Reads a container entry. With its own grading, it becomes the part of an `allOf`.
  private mutating func containerEntry(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion {
    let assertion = Schema.Assertion.containerEntry(try reader.containerEntry(value, pointer))
    guard value.object != nil else { return assertion }
    var entry = reader
    entry.schema = value
    try entry.readGrading()
    return .allOf([add(part("containerEntry", at: pointer, value.position, assertion, entry))])
  }

  private mutating func uniqueKey(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader, grades: Bool = true, isPrimary: Bool = false
  ) throws(CofferError) -> Schema.UniqueKey {
    guard value.object != nil else {
      return Schema.UniqueKey(fields: try reader.fields(value, pointer), isPrimary: isPrimary)
    }
    try reader.checkMembers(value, pointer, known: Self.keyMembers + (isPrimary ? [] : Self.uniqueKeyMembers), grades: grades)
    guard let fields = value["fields"] else { throw CofferError(rules: "missing fields", at: pointer, value.position) }
    var key = Schema.UniqueKey(
      fields: try reader.fields(fields, pointer + "/fields"), ignoresCase: try flag("ignoreCase", of: value, pointer),
      isPrimary: isPrimary, spansArrays: try flag("acrossArrays", of: value, pointer),
      comparesInstants: try flag("asInstants", of: value, pointer))
    if let schema = value["when"] { key.whenSchema = inner(schema, ["when"], reader) }
    if let grade = value["ifEqual"] {
      guard let leniency = grade.string.flatMap(Schema.Leniency.init(name:)) else {
        throw CofferError(rules: "ifEqual must be error, warning, note or none", at: pointer + "/ifEqual", grade.position)
      }
      key.ifEqual = leniency
    }
    return key
  }

  private static let keyMembers = ["fields", "ignoreCase", "acrossArrays"]
  private static let uniqueKeyMembers = ["asInstants", "when", "ifEqual"]

  private func flag(_ name: String, of value: JSONValue.Located, _ pointer: String) throws(CofferError) -> Bool {
    guard let option = value[name] else { return false }
    guard let flag = option.boolean else {
      throw CofferError(rules: "\(name) must be true or false", at: "\(pointer)/\(name)", option.position)
    }
    return flag
  }

  private mutating func foreignKey(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.Assertion {
    try reader.checkMembers(value, pointer, known: ["fields", "reference", "when", "at", "ignoreCase"])
    guard let fieldsValue = value["fields"], let reference = value["reference"] else {
      throw CofferError(rules: "a foreign key needs fields and reference", at: pointer, value.position)
    }
    let fields = try reader.fields(fieldsValue, pointer + "/fields", allowsItems: true)
    var key = Schema.ForeignKey(
      fields: fields, ignoresCase: try flag("ignoreCase", of: value, pointer), targets: [], findingField: fields[0])
    if let alternatives = reference.array {
      guard !alternatives.isEmpty else {
        throw CofferError(rules: "a reference needs a resource", at: pointer + "/reference", reference.position)
      }
      for (index, alternative) in alternatives.enumerated() {
        key.targets.append(try target(alternative, ["reference", String(index)], &key, reader))
      }
    } else {
      key.targets.append(try target(reference, ["reference"], &key, reader))
    }
    if let schema = value["when"] { key.whenSchema = inner(schema, ["when"], reader) }
    if let field = value["at"] {
      guard field.string != nil else { throw CofferError(rules: "at must name a field", at: pointer + "/at", field.position) }
      key.findingField = try reader.fields(field, pointer + "/at")[0]
    }
    return .foreignKey(key)
  }

  /// Reads a grading, or one that applies to versions of the format before a given one.
  private func ifEmpty(
    _ value: JSONValue.Located, _ pointer: String, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.ForeignKey.IfEmpty? {
    guard value.object != nil else {
      return value.string.flatMap(Schema.Leniency.init(name:)).map { Schema.ForeignKey.IfEmpty(leniency: $0) }
    }
    try reader.checkMembers(value, pointer, known: ["severity", "before"], grades: false)
    guard let name = value["severity"]?.string, let leniency = Schema.Leniency(name: name), let before = value["before"]
    else { return nil }
    return Schema.ForeignKey.IfEmpty(leniency: leniency, before: try reader.count(before, pointer + "/before"))
  }

  /// Reads one collection that a foreign key may refer to.
  private mutating func target(
    _ value: JSONValue.Located, _ tokens: [String], _ key: inout Schema.ForeignKey, _ reader: KeywordReader
  ) throws(CofferError) -> Schema.ForeignKey.Target {
    let pointer = tokens.reduce(reader.place) { $0.appending($1) }.pointer.text
    try reader.checkMembers(value, pointer, known: ["resource", "fields", "where", "ifEmpty"], grades: false)
    guard let resource = value["resource"] else {
      throw CofferError(rules: "a reference needs a resource", at: pointer, value.position)
    }
    var target = Schema.ForeignKey.Target(resource: try reader.keyResource(resource, pointer + "/resource"), fields: [])
    if let fields = value["fields"] { target.fields = try reader.fields(fields, pointer + "/fields") }
    if case .relative(levels: 2, let tokens) = target.resource, tokens[0] != "*" {
      throw CofferError(
        rules:
          "'\(target.resource.text)' begins at the array of the records, whose items are '*'; use 3 for the object around it",
        at: pointer + "/resource", resource.position)
    }
    guard key.fields.count == max(1, target.fields.count) else {
      throw CofferError(
        rules: "a foreign key needs as many fields as its reference, or one field if the items of the resource are the keys",
        at: pointer, value.position)
    }
    if target.fields.isEmpty, value["where"] != nil {
      throw CofferError(rules: "where applies only to records: it needs fields", at: pointer + "/where", value.position)
    }
    if let schema = value["where"] { target.whereSchema = inner(schema, tokens + ["where"], reader) }
    if let grade = value["ifEmpty"] {
      guard let ifEmpty = try self.ifEmpty(grade, pointer + "/ifEmpty", reader) else {
        throw CofferError(rules: "ifEmpty must be error, warning, note or none", at: pointer + "/ifEmpty", grade.position)
      }
      guard key.ifEmpty == nil || key.ifEmpty == ifEmpty else {
        throw CofferError(
          rules: "all alternatives of a reference must have the same ifEmpty", at: pointer + "/ifEmpty",
          grade.position)
      }
      key.ifEmpty = ifEmpty
      target.gradesIfEmpty = true
    }
    return target
  }
}
