import ByteStreams
import Findings

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
