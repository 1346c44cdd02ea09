import JSONEvents

extension RuleDocument {
  /// A number outside of all arrays that, by the rules, is an array's count of items.
  package struct DeclaredCount: Sendable, Hashable {
    /// The names that lead to it.
    package let path: [String]
    /// The names that lead to the array.
    package let collection: [String]
  }

  /// The numbers that must be changed with the number of an array's items.
  package var declaredCounts: [DeclaredCount] {
    var counts: [DeclaredCount] = []
    // Schemas may lead back to themselves: so many are looked at, and so deep.
    var visits = 10_000
    func visit(_ schema: Int, _ path: [String]) {
      visits -= 1
      guard visits >= 0 else { return }
      for keyword in inPlaceKeywords(of: schema) {
        if case .countOf(let collection) = keyword.assertion {
          let count = DeclaredCount(path: path, collection: collection)
          if !counts.contains(count) { counts.append(count) }
        }
      }
      guard path.count < 4 else { return }
      for member in members(of: schema) { visit(member.schema, path + [member.name]) }
    }
    visit(root, [])
    return counts
  }
}
