import JSONEvents

extension RuleDocument {
  /// An array of records at the root or one level below, as the rules describe it.
  package struct Collection: Sendable {
    package var pointer: String
    package var fields: [String]
    package var keys: [String]
    package var references: [String]
  }

  /// The collections that the rules describe, in the rule document's order.
  package var collections: [Collection] {
    var result: [Collection] = []
    func add(_ schema: Int, _ pointer: String) {
      let keywords = inPlaceKeywords(of: schema)
      var collection = Collection(pointer: pointer, fields: [], keys: [], references: [])
      var hasItems = false
      for keyword in keywords {
        switch keyword.assertion {
        case .items(_, let item?):
          hasItems = true
          for inner in inPlaceKeywords(of: item) {
            if case .members(let members) = inner.assertion { collection.fields += members.named.map(\.name) }
          }
        case .uniqueKey(let fields, _, _): collection.keys.append(fields.map(\.fieldText).joined(separator: ", "))
        case .foreignKey(let key):
          let fields = key.fields.map(\.fieldText).joined(separator: ", ")
          let targets = key.targets.map { target in
            let condition = target.whereSchema == nil ? "" : ", under a condition"
            return "\(target.resource.text) \(target.fields.map(\.fieldText).joined(separator: ", "))\(condition)"
          }
          collection.references.append("\(fields) → \(targets.joined(separator: " or "))")
        default: break
        }
      }
      if hasItems { result.append(collection) }
    }
    add(root, "")
    for keyword in inPlaceKeywords(of: root) {
      guard case .members(let members) = keyword.assertion else { continue }
      for property in members.named { add(property.schema, "/" + property.name.pointerToken) }
    }
    return result
  }

  /// A schema's keywords with those of the schemas that it refers to or combines by `allOf`.
  private func inPlaceKeywords(of schema: Int, depth: Int = 0) -> [Schema.Keyword] {
    guard depth < 16 else { return [] }
    return schemas[schema].keywords.flatMap { keyword -> [Schema.Keyword] in
      switch keyword.assertion {
      case .reference(let target): inPlaceKeywords(of: target, depth: depth + 1)
      case .allOf(let parts): parts.flatMap { inPlaceKeywords(of: $0, depth: depth + 1) }
      default: [keyword]
      }
    }
  }
}

extension Schema.FieldPath {
  /// As rule documents and messages write it.
  package var fieldText: String { map(\.pointerToken).joined(separator: "/") }
}
