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
    visitPlaces { path, keywords in
      for case .countOf(let collection) in keywords.map(\.assertion) {
        let count = DeclaredCount(path: path, collection: collection)
        if !counts.contains(count) { counts.append(count) }
      }
    }
    return counts
  }

  /// A value outside of all arrays that, by the rules, repeats another one.
  package struct DeclaredCopy: Sendable, Hashable {
    /// The names that lead to it.
    package let path: [String]
    /// The names that lead to the other.
    package let original: [String]
  }

  /// The values that must be changed with another: `const` says so, or a lower and an upper bound around it.
  package var declaredCopies: [DeclaredCopy] {
    var copies: [DeclaredCopy] = []
    visitPlaces { path, keywords in
      var bounds: [Comparison: Set<[String]>] = [:]
      var originals: [[String]] = []
      for keyword in keywords {
        switch keyword.assertion {
        case .equalsData(let data) where data.prefix == nil: originals += data.rootPath.map { [$0] } ?? []
        case .formatBound(_, let comparison, .data(let data)), .bound(let comparison, .data(let data)):
          if let original = data.rootPath { bounds[comparison, default: []].insert(original) }
        default: break
        }
      }
      originals += bounds[.atLeast, default: []].intersection(bounds[.atMost, default: []])
      for original in originals where original != path {
        let copy = DeclaredCopy(path: path, original: original)
        if !copies.contains(copy) { copies.append(copy) }
      }
    }
    return copies
  }

  /// Visits the values that stand outside of all arrays, with what is asked of each.
  private func visitPlaces(_ body: ([String], [Schema.Keyword]) -> Void) {
    // Schemas may lead back to themselves: so many are looked at, and so deep.
    var visits = 10_000
    func visit(_ schema: Int, _ path: [String]) {
      visits -= 1
      guard visits >= 0 else { return }
      body(path, inPlaceKeywords(of: schema))
      guard path.count < 4 else { return }
      for member in members(of: schema) { visit(member.schema, path + [member.name]) }
    }
    visit(root, [])
  }
}

extension Schema.DataReference {
  /// The names that lead to the other value from the root.
  fileprivate var rootPath: [String]? {
    if case .root(let path) = origin { path } else { nil }
  }
}
