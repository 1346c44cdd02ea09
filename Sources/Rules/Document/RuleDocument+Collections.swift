package import Findings
import JSONEvents

extension RuleDocument {
  /// An array of records at the root or one level below, as the rules describe it.
  package struct Collection: Sendable {
    package var pointer: String
    package var fields: [String] = []
    package var keys: [Key] = []
    package var references: [Reference] = []
    /// The schema of the records.
    var record: Int?
    /// The members that the rules give a date or a time, in their order.
    package var dates: [(field: String, format: StringFormat)] = []

    /// The last name of its pointer.
    package var name: String { pointer.pointerTokens?.last ?? "records" }

    /// Fields that name a record elsewhere.
    package struct Reference: Sendable {
      package var key: Schema.ForeignKey
      package var severity: Severity
      package var message: String?
    }

    /// Fields that are unique together.
    package struct Key: Sendable {
      package var fields: [Schema.FieldPath]
      package var severity: Severity
      /// Whether values are equal only if they are the same.
      package var isExact: Bool
      package var ignoresCase: Bool
      /// It is `primaryKey`, or goes by its code.
      package var isPrimary: Bool
      /// Whether records that are equal may have the same key.
      package var allowsEqual: Bool
    }
  }

  /// The collections that the rules describe, in the rule document's order.
  package var collections: [Collection] {
    var result: [Collection] = []
    addCollection(root, "", to: &result)
    for property in members(of: root) { addCollection(property.schema, "/" + property.name.pointerToken, to: &result) }
    return result
  }

  /// Arrays whose records have a primary key, but which stand within objects, further below than `collections` are.
  package var innerCollections: [Collection] {
    var result: [Collection] = []
    // Schemas may lead to each other by many ways: so many are looked at.
    var budget = 10_000
    func look(_ schema: Int, _ pointer: String, chain: [Int]) {
      for member in members(of: schema) where !chain.contains(member.schema) && budget > 0 {
        budget -= 1
        let pointer = pointer + "/" + member.name.pointerToken
        if !chain.isEmpty { addCollection(member.schema, pointer, to: &result) }
        if chain.count < 16 { look(member.schema, pointer, chain: chain + [member.schema]) }
      }
    }
    look(root, "", chain: [])
    return result.filter { $0.keys.contains(where: \.isPrimary) }
  }

  private func addCollection(_ schema: Int, _ pointer: String, to result: inout [Collection]) {
    // Several parts of an `allOf` may each say something of it.
    let known = result.firstIndex { $0.pointer == pointer }
    var collection = known.map { result[$0] } ?? Collection(pointer: pointer)
    var hasItems = known != nil
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .items(_, let item?):
        hasItems = true
        collection.record = item
        let members = members(of: item)
        collection.fields += members.map(\.name)
        collection.dates += members.compactMap { member in dateFormat(of: member.schema).map { (member.name, $0) } }
      case .uniqueKey(let key) where key.whenSchema == nil:
        collection.keys.append(
          Collection.Key(
            fields: key.fields, severity: keyword.grading.severity, isExact: !key.ignoresCase && !key.comparesInstants,
            ignoresCase: key.ignoresCase,
            isPrimary: key.isPrimary || keyword.grading.code == "primary-key",
            allowsEqual: key.ifEqual.map { $0 != .graded(.error) } ?? false))
      case .foreignKey(let key):
        collection.references.append(
          Collection.Reference(key: key, severity: keyword.grading.severity, message: keyword.grading.message))
      default: break
      }
    }
    if let known { result[known] = collection } else if hasItems { result.append(collection) }
  }

  /// The format that the rules give the value at a place below the root, if it is a date or a time.
  package func dateFormat(at tokens: [String]) -> StringFormat? {
    var schema = root
    for token in tokens {
      guard let member = members(of: schema).first(where: { $0.name == token }) else { return nil }
      schema = member.schema
    }
    return dateFormat(of: schema)
  }

  private func dateFormat(of schema: Int) -> StringFormat? {
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .format(let format) where format.isPointInTime: return format
      case .formatBound(let format, _, _) where format.isPointInTime: return format
      default: break
      }
    }
    return nil
  }

  func members(of schema: Int) -> [(name: String, schema: Int)] {
    inPlaceKeywords(of: schema).flatMap { keyword -> [(name: String, schema: Int)] in
      if case .members(let members) = keyword.assertion { members.named } else { [] }
    }
  }

  /// A schema's keywords with those of the schemas that it refers to or combines by `allOf`.
  func inPlaceKeywords(of schema: Int, depth: Int = 0) -> [Schema.Keyword] {
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
