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
        case .items(let item):
          hasItems = true
          for inner in inPlaceKeywords(of: item) {
            if case .properties(let properties, _) = inner.assertion { collection.fields += properties.map(\.name) }
          }
        case .uniqueKey(let fields, _, _): collection.keys.append(fields.joined(separator: ", "))
        case .foreignKey(let key):
          let resource = key.resource.map { "/" + $0.pointerToken }.joined()
          let condition = key.whereSchema == nil ? "" : ", under a condition"
          collection.references.append(
            "\(key.fields.joined(separator: ", ")) → \(resource) \(key.referencedFields.joined(separator: ", "))\(condition)")
        default: break
        }
      }
      if hasItems { result.append(collection) }
    }
    add(root, "")
    for keyword in inPlaceKeywords(of: root) {
      guard case .properties(let properties, _) = keyword.assertion else { continue }
      for property in properties { add(property.schema, "/" + property.name.pointerToken) }
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
