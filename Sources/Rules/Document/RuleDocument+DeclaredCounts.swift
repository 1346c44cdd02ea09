import JSONEvents

extension RuleDocument {
  /// A number outside all arrays that the rules declare to be an array's item count.
  package struct DeclaredCount: Sendable, Hashable {
    /// The path to the number.
    package let path: [String]
    /// The path to the array.
    package let collection: [String]
  }

  /// The numbers that must change with the item count of an array.
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

  /// A value outside all arrays that the rules declare to be a copy of another.
  package struct DeclaredCopy: Sendable, Hashable {
    /// The path to the copy.
    package let path: [String]
    /// The path to the original.
    package let original: [String]
  }

  /// The values that must change with another: because of `const`, or of equal lower and upper bounds.
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

  /// Visits the values outside all arrays, with the keywords that apply to each.
  private func visitPlaces(_ body: ([String], [Schema.Keyword]) -> Void) {
    // Schemas may be recursive: this limits the visits, and the guard below the depth.
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
  /// The path from the root to the other value.
  fileprivate var rootPath: [String]? {
    if case .root(let path) = origin { path } else { nil }
  }
}
