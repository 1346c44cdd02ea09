import BackupFormats
import Rules

extension MigrationCondition {
  /// Returns true if a held value meets the condition. As in rules, a condition that doesn't apply to the value's type is met.
  func holds(for node: ValueTree.Index, in tree: ValueTree, _ matcher: Pattern.Matcher) -> Bool {
    let value = tree[node]
    switch self {
    case .all(let parts): return parts.allSatisfy { $0.holds(for: node, in: tree, matcher) }
    case .any(let parts): return parts.contains { $0.holds(for: node, in: tree, matcher) }
    case .not(let part): return !part.holds(for: node, in: tree, matcher)
    case .type(let names):
      if names.contains(value.kind.valueKind.rawValue) { return true }
      return value.kind == .number && names.contains("integer") && (number(of: value, in: tree)?.isInteger ?? false)
    case .equals(let scalars):
      return scalars.contains { scalar in
        switch (scalar, value.kind) {
        case (.null, .null), (.boolean(true), .true), (.boolean(false), .false): true
        case (.string(let text), .string): tree.says(value.token, text)
        case (.number(let number), .number): self.number(of: value, in: tree) == number
        default: false
        }
      }
    case .bound(let bound, let limit):
      guard value.kind == .number, let number = number(of: value, in: tree) else { return true }
      switch bound {
      case .minimum: return number >= limit
      case .exclusiveMinimum: return number > limit
      case .maximum: return number <= limit
      case .exclusiveMaximum: return number < limit
      }
    case .pattern(let pattern):
      guard value.kind == .string else { return true }
      return tree.withContent(of: value.token) { matcher.match(pattern, in: $0) == .match }
    case .required(let name):
      guard value.kind == .object else { return true }
      if case .none = tree.member(name, of: node) { return false }
      return true
    case .property(let name, let condition):
      guard value.kind == .object else { return true }
      switch tree.member(name, of: node) {
      case .none: return true
      case .one(let member): return condition.holds(for: member, in: tree, matcher)
      // A duplicate member is ambiguous.
      case .several: return false
      }
    }
  }

  private func number(of node: ValueTree.Node, in tree: ValueTree) -> ExactDecimal? {
    tree.withContent(of: node.token) { ExactDecimal($0) }
  }
}
