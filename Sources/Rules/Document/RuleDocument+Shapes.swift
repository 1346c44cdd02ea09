import JSONEvents

extension RuleDocument {
  /// What the rules say of the members of an object.
  package struct ObjectShape: Sendable {
    /// Those that they name, in their order.
    package var members: [Member] = []
    /// Those that must be there.
    package var required: [String] = []
    /// Names that the rules know by a pattern.
    package var patterns: [Pattern] = []
    /// Whether members of other names are refused, or graded as unknown: the rules let no value be right there.
    package var isClosed = false

    package init() {}

    package struct Member: Sendable {
      package var name: String
      /// The rules describe an array of objects there.
      package var holdsRecords: Bool
      /// What stands before the text in the name of an entry of the container that it names; `nil`: it names none.
      package var entryPrefix: String?
    }
  }

  package var rootShape: ObjectShape { shape(of: root) }

  /// What the rules say of an object that is the root's member.
  package func shape(ofMember name: String) -> ObjectShape {
    combined(members(of: root).filter { $0.name == name }.map { shape(of: $0.schema) })
  }

  /// What the rules say of the records of an array: the root, or one that is the root's member.
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

  /// Whether no value satisfies it, for sure: `false`, or `"not": {}`.
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
