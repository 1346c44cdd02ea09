import JSONEvents

extension RuleDocument {
  /// The rules for the members of an object.
  package struct ObjectShape: Sendable {
    /// The members that the rules name, in order.
    package var members: [Member] = []
    /// The required members.
    package var required: [String] = []
    /// The patterns for member names.
    package var patterns: [Pattern] = []
    /// True if members of other names are rejected or graded as unknown: no value is valid there.
    package var isClosed = false

    package init() {}

    package struct Member: Sendable {
      package var name: String
      /// True if the rules describe an array of objects there.
      package var holdsRecords: Bool
      /// The prefix of the container entry that the text names, or `nil` if it names no entry.
      package var entryPrefix: String?
    }
  }

  package var rootShape: ObjectShape { shape(of: root) }

  /// Returns the rules for an object that is a member of the root.
  package func shape(ofMember name: String) -> ObjectShape {
    combined(members(of: root).filter { $0.name == name }.map { shape(of: $0.schema) })
  }

  /// Returns the rules for the records of an array: the root itself, or a member of the root.
  package func recordShape(at pointer: String) -> ObjectShape {
    let arrays = pointer.isEmpty ? [root] : members(of: root).filter { pointer == "/" + $0.name.pointerToken }.map(\.schema)
    return combined(arrays.flatMap { itemSchemas(of: $0) }.map { shape(of: $0) })
  }

  private func itemSchemas(of schema: Int) -> [Int] {
    inPlaceKeywords(of: schema).compactMap { if case .items(_, let item) = $0.assertion { item } else { nil } }
  }

  private func combined(_ shapes: [ObjectShape]) -> ObjectShape {
    var result = ObjectShape()
    for shape in shapes {
      result.members += shape.members.filter { member in !result.members.contains { $0.name == member.name } }
      result.required += shape.required
      result.patterns += shape.patterns
      result.isClosed = result.isClosed || shape.isClosed
    }
    return result
  }

  private func shape(of schema: Int) -> ObjectShape {
    var shape = ObjectShape()
    for keyword in inPlaceKeywords(of: schema) {
      switch keyword.assertion {
      case .members(let members):
        for member in members.named where !shape.members.contains(where: { $0.name == member.name }) {
          shape.members.append(
            ObjectShape.Member(
              name: member.name, holdsRecords: holdsRecords(member.schema), entryPrefix: entryPrefix(member.schema)))
        }
        shape.patterns += members.patterns.map(\.pattern)
        shape.isClosed = shape.isClosed || members.additional.map(refusesAll) ?? false
      case .unevaluatedMembers(let others): shape.isClosed = shape.isClosed || refusesAll(others)
      case .required(let names): shape.required += names
      default: break
      }
    }
    return shape
  }

  private func entryPrefix(_ schema: Int) -> String? {
    for case .containerEntry(let entry) in inPlaceKeywords(of: schema).map(\.assertion) { return entry.prefix }
    return nil
  }

  private func holdsRecords(_ schema: Int) -> Bool {
    itemSchemas(of: schema).contains { item in
      inPlaceKeywords(of: item).contains { if case .members = $0.assertion { true } else { false } }
    }
  }

  /// Returns true if certainly no value satisfies the schema: `false`, or `"not": {}`.
  private func refusesAll(_ schema: Int) -> Bool {
    inPlaceKeywords(of: schema).contains { keyword in
      switch keyword.assertion {
      case .never: true
      case .not(let other): schemas[other].keywords.isEmpty
      default: false
      }
    }
  }
}
