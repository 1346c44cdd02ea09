import BackupFormats
import JSONEvents
import Rules

/// Steps on a single value. A value that a step doesn't apply to is left unchanged; `null` counts as absent.
extension StepRunner {
  func map(
    _ node: ValueTree.Index, _ table: [MigrationStep.Mapping], _ otherwise: JSONValue?, _ tree: inout ValueTree
  ) -> StepOutcome {
    guard tree[node].kind == .string else { return tree[node].kind == .null ? [] : .skipped }
    let token = tree[node].token
    let value: JSONValue
    if let entry = table.first(where: { tree.says(token, $0.text) }) {
      value = entry.value
    } else if let otherwise, !table.contains(where: { tree.isEqual(node, $0.value) }) {
      value = otherwise
    } else {
      return []
    }
    if tree.isEqual(node, value) { return [] }
    tree.replace(node, with: value)
    return .changed
  }

  func convert(_ node: ValueTree.Index, _ from: StringFormat, _ to: StringFormat, _ tree: inout ValueTree) -> StepOutcome {
    let kind = tree[node].kind
    guard kind == .number || kind == .string else { return kind == .null ? [] : .skipped }
    guard (kind == .number) == from.appliesToNumbers else {
      // The value is already in the target format.
      return tree.withContent(of: tree[node].token) { to.appliesToNumbers == (kind == .number) && to.accepts($0) } ? [] : .skipped
    }
    let instant = tree.withContent(of: tree[node].token) { from.instant($0) }
    guard let (text, isCut) = instant.flatMap({ to.text(of: $0) }) else { return .skipped }
    if from.appliesToNumbers == to.appliesToNumbers, tree.says(tree[node].token, Array(text.utf8)) { return [] }
    let new = to.appliesToNumbers ? tree.make(.number, token: text) : tree.makeString(Array(text.utf8))
    tree.replace(node, withNode: new)
    return isCut ? [.changed, .cut] : .changed
  }

  func scale(_ node: ValueTree.Index, _ factor: ExactDecimal, _ tree: inout ValueTree) -> StepOutcome {
    guard tree[node].kind == .number else { return tree[node].kind == .null ? [] : .skipped }
    let number = tree.withContent(of: tree[node].token) { ExactDecimal($0) }
    // -0 keeps its sign.
    if number?.isZero == true { return [] }
    guard let product = number?.multiplied(by: factor) else { return .skipped }
    tree.replace(node, withNode: tree.make(.number, token: product.description))
    return .changed
  }
}
