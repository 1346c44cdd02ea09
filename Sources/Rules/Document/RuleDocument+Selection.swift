import JSONEvents

/// Rules for a part of a document.
extension RuleDocument {
  /// The same rules, which ask nothing of some of the root's members any more: of those arrays and what is in them.
  ///
  /// References into them are judged as before, for what defines a key is asked of the records by whoever refers to them. What the rules ask of the
  /// root as a whole stays: that a member be there, or how many items it has.
  package func asking(nothingOf names: Set<String>) -> RuleDocument {
    var copy = self
    var copies: [Int: Int] = [:]
    copy.root = copy.relax(root, names, &copies)
    return copy
  }

  /// The place of the schema's copy that asks nothing of those members; the schema's own if it asks nothing anyway.
  private mutating func relax(_ index: Int, _ names: Set<String>, _ copies: inout [Int: Int]) -> Int {
    if let known = copies[index] { return known }
    // Schemas that refer to themselves in place are refused when they are compiled.
    copies[index] = index
    var schema = schemas[index]
    var isChanged = false
    for position in schema.keywords.indices {
      guard let assertion = relaxed(schema.keywords[position].assertion, names, &copies) else { continue }
      schema.keywords[position].assertion = assertion
      isChanged = true
    }
    guard isChanged else { return index }
    schemas.append(schema)
    copies[index] = schemas.count - 1
    return schemas.count - 1
  }

  /// What is left of a keyword; `nil`: all of it.
  private mutating func relaxed(
    _ assertion: Schema.Assertion, _ names: Set<String>, _ copies: inout [Int: Int]
  ) -> Schema.Assertion? {
    switch assertion {
    case .members(var members):
      guard members.named.contains(where: { names.contains($0.name) }) else { return nil }
      for position in members.named.indices where names.contains(members.named[position].name) {
        var nothing = schemas[members.named[position].schema]
        nothing.keywords = []
        schemas.append(nothing)
        members.named[position].schema = schemas.count - 1
      }
      return .members(members)
    case .reference(let target):
      let copy = relax(target, names, &copies)
      return copy == target ? nil : .reference(copy)
    case .allOf(let parts):
      let relaxed = parts.map { relax($0, names, &copies) }
      return relaxed == parts ? nil : .allOf(relaxed)
    case .condition(let test, let then, let `else`):
      let relaxedThen = then.map { relax($0, names, &copies) }
      let relaxedElse = `else`.map { relax($0, names, &copies) }
      return relaxedThen == then && relaxedElse == `else` ? nil : .condition(if: test, then: relaxedThen, else: relaxedElse)
    default: return nil
    }
  }

  // MARK: Entries of the container

  /// Whether the records of one of the root's arrays name entries of the container, those of arrays inside the records included.
  package func namesEntries(ofCollection name: String) -> Bool {
    var seen: Set<Int> = []
    return members(of: root).contains { $0.name == name && namesEntries(of: $0.schema, depth: 0, &seen) }
  }

  private func namesEntries(of schema: Int, depth: Int, _ seen: inout Set<Int>) -> Bool {
    guard depth < 8, seen.insert(schema).inserted else { return false }
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .containerEntry: return true
      case .items(_, let item?): if namesEntries(of: item, depth: depth + 1, &seen) { return true }
      case .members(let members):
        for member in members.named where namesEntries(of: member.schema, depth: depth + 1, &seen) { return true }
      default: break
      }
    }
    return false
  }

  // MARK: References

  /// A reference that the records of a collection make.
  package struct Reference: Sendable {
    /// The fields that make it, each as rule documents write it, from the record on.
    package var fields: String
    package var key: Schema.ForeignKey
  }

  /// The references that the records of one of the root's arrays make, those of arrays inside the records included.
  package func references(ofCollection name: String) -> [Reference] {
    var result: [Reference] = []
    var seen: Set<Int> = []
    for member in members(of: root) where member.name == name {
      addReferences(of: member.schema, [], isRecords: true, &seen, &result)
    }
    return result
  }

  /// - Parameter isRecords: the value is the collection itself, so that fields count from its items.
  private func addReferences(
    of schema: Int, _ path: [String], isRecords: Bool, _ seen: inout Set<Int>, _ result: inout [Reference]
  ) {
    guard path.count < 8, seen.insert(schema).inserted else { return }
    let itemPath = isRecords ? [] : path + ["*"]
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .foreignKey(let key):
        let fields = key.fields.map { (itemPath + $0).fieldText }.joined(separator: ", ")
        result.append(Reference(fields: fields, key: key))
      case .items(_, let item?): addReferences(of: item, itemPath, isRecords: false, &seen, &result)
      case .members(let members):
        for member in members.named { addReferences(of: member.schema, path + [member.name], isRecords: false, &seen, &result) }
      default: break
      }
    }
  }
}
