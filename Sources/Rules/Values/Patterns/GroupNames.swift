/// The names of a pattern's groups. Two groups may share a name only if they are in different alternatives, so that never both
/// take part in a match (ECMA-262, section 22.2.1.2, MightBothParticipate).
struct GroupNames {
  /// The names in a group that is still open.
  struct Scope {
    /// The names in its completed alternatives.
    fileprivate var past: [String] = []
    /// The names in the current alternative.
    fileprivate var present: [String] = []
  }

  private(set) var groups: [String: [Int]] = [:]
  /// The names that take part whenever the next part of the pattern does.
  private var taken: Set<String> = []

  /// Returns `false` if the name is taken.
  mutating func insert(_ name: String, group: Int, in scope: inout Scope) -> Bool {
    guard taken.insert(name).inserted else { return false }
    groups[name, default: []].append(group)
    scope.present.append(name)
    return true
  }

  mutating func endAlternative(of scope: inout Scope) {
    taken.subtract(scope.present)
    scope.past += scope.present
    scope.present = []
  }

  /// Closes a group after the end of its last alternative.
  mutating func close(_ scope: Scope, into outer: inout Scope) {
    taken.formUnion(scope.past)
    outer.present += scope.past
  }
}
