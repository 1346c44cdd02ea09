package import Findings
import JSONEvents

extension RuleDocument {
  /// An array of records at the root or one level below it, as the rules describe it.
  package struct Collection: Sendable {
    package var pointer: String
    package var fields: [String] = []
    package var keys: [Key] = []
    package var references: [Reference] = []
    /// The schema of the records.
    var record: Int?
    /// The members with a date or time format, in order.
    package var dates: [(field: String, format: StringFormat)] = []

    /// The last name of its pointer.
    package var name: String { pointer.pointerTokens?.last ?? "records" }

    /// Fields that refer to a record elsewhere.
    package struct Reference: Sendable {
      package var key: Schema.ForeignKey
      package var severity: Severity
      package var message: String?
    }

    /// Fields that are unique in combination.
    package struct Key: Sendable {
      package var fields: [Schema.FieldPath]
      package var severity: Severity
      /// True if values are equal only if they are identical.
      package var isExact: Bool
      package var ignoresCase: Bool
      /// True for `primaryKey`, and for a key with its code.
      package var isPrimary: Bool
      /// True if equal records may have the same key.
      package var allowsEqual: Bool
    }
  }

  /// The collections that the rules describe, in the order of the rule document.
  package var collections: [Collection] {
    var result: [Collection] = []
    addCollection(root, "", to: &result)
    for property in members(of: root) { addCollection(property.schema, "/" + property.name.pointerToken, to: &result) }
    return result
  }

  /// Arrays of records with a primary key, nested in objects deeper than `collections` are.
  package var innerCollections: [Collection] {
    var result: [Collection] = []
    // Schemas may lead to each other in many ways: this limits the visits.
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
    // Several parts of an `allOf` may each describe it.
    let known = result.firstIndex { $0.pointer == pointer }
    var collection = known.map { result[$0] } ?? Collection(pointer: pointer)
    var hasItems = known != nil
    var hasMembers = false
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .items(_, let item?):
        hasItems = true
        collection.record = item
        let members = members(of: item)
        collection.fields += members.map(\.name)
        collection.dates += members.compactMap { member in dateFormat(of: member.schema).map { (member.name, $0) } }
      case .members: hasMembers = true
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
    if let known {
      result[known] = collection
    } else if hasItems || !collection.keys.isEmpty && !hasMembers {
      result.append(collection)
    }
  }

  /// Returns the format of the value at a place below the root, if it is a date or a time.
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

  /// Returns a schema's keywords, including those of schemas that it refers to or combines by `allOf`.
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
  /// The path as written in rule documents and messages.
  package var fieldText: String { map(\.pointerToken).joined(separator: "/") }
}
