import JSONEvents

/// Rules for a part of a document.
extension RuleDocument {
  /// Returns the same rules without those for some of the root's members: the arrays and their contents are no longer checked.
  ///
  /// References into these arrays are still checked, because the reference itself requires the key of the records. Rules about
  /// the root as a whole remain, such as required members and item counts.
  package func asking(nothingOf names: Set<String>) -> RuleDocument {
    var copy = self
    var copies: [Int: Int] = [:]
    copy.root = copy.relax(root, names, &copies)
    return copy
  }

  /// Returns the index of the schema's copy without the rules for those members, or of the schema itself if it has none.
  private mutating func relax(_ index: Int, _ names: Set<String>, _ copies: inout [Int: Int]) -> Int {
    if let known = copies[index] { return known }
    // The compiler rejects schemas that refer to themselves in place.
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

  /// Returns the remaining part of a keyword, or `nil` if it is unchanged.
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

  /// Returns true if the records of one of the root's arrays name container entries, including those of arrays inside the
  /// records.
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

  /// A reference made by the records of a collection.
  package struct Reference: Sendable {
    /// The fields of the key, as rule documents write them, relative to the record.
    package var fields: String
    package var key: Schema.ForeignKey
  }

  /// Returns the references made by the records of one of the root's arrays, including those of arrays inside the records.
  package func references(ofCollection name: String) -> [Reference] {
    var result: [Reference] = []
    var seen: Set<Int> = []
    for member in members(of: root) where member.name == name {
      addReferences(of: member.schema, [], isRecords: true, &seen, &result)
    }
    return result
  }

  /// - Parameter isRecords: true if the value is the collection itself, so that fields are relative to its items.
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
