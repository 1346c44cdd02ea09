import BackupFormats
import JSONEvents
import Rules

/// Runs steps on held values, on one thread.
///
/// A step whose path leads through a collection is not run on the items here. It is stored as pending, with the rest of its path,
/// for the code that reads them.
struct StepRunner {
  /// A step to run on a collection's items, with its position in the path.
  struct PendingStep: Sendable, Hashable {
    let step: Int
    /// The number of the path's names that lead to the items.
    let offset: Int
  }

  let steps: [MigrationStep]
  let now: Instant
  var tally: MigrationTally
  /// The pending steps, by collection.
  private(set) var pendingSteps: [Int: [PendingStep]] = [:]
  let matcher = Pattern.Matcher()
  var captures: [Int: PatternCaptures] = [:]

  init(_ steps: [MigrationStep], now: Instant) {
    self.steps = steps
    self.now = now
    tally = MigrationTally(stepCount: steps.count)
  }

  /// Runs all steps on the envelope, in order.
  mutating func run(onEnvelope tree: inout ValueTree) {
    for index in steps.indices { run(PendingStep(step: index, offset: 0), on: &tree) }
  }

  /// Runs a collection's steps on one of its items.
  mutating func run(_ pendingSteps: [PendingStep], on tree: inout ValueTree) {
    for errand in pendingSteps { run(errand, on: &tree) }
  }

  private mutating func run(_ errand: PendingStep, on tree: inout ValueTree) {
    guard tree.root >= 0 else { return }
    let outcome: StepOutcome
    if case .wrap(let name) = steps[errand.step].operation {
      outcome = wrap(name, &tree)
    } else {
      outcome = visit(tree.root, errand.offset, of: errand.step, in: ValueTree.none, &tree)
    }
    tally.note(outcome, of: errand.step)
  }

  /// Follows the step's path, and runs the step at its end.
  ///
  /// - Parameter holder: the innermost object around the value.
  private mutating func visit(
    _ node: ValueTree.Index, _ offset: Int, of step: Int, in holder: ValueTree.Index, _ tree: inout ValueTree
  ) -> StepOutcome {
    if offset == steps[step].reach { return perform(step, at: node, in: holder, &tree) }
    let kind = tree[node].kind
    switch steps[step].path[offset] {
    case .items where kind == .array:
      var outcome: StepOutcome = []
      var child = tree[node].first
      while child >= 0 {
        outcome.formUnion(visit(child, offset + 1, of: step, in: holder, &tree))
        child = tree[child].next
      }
      return outcome
    case .items where kind == .collection:
      pendingSteps[Int(tree[node].collection), default: []].append(PendingStep(step: step, offset: offset + 1))
      return []
    case .member(let name) where kind == .object:
      switch tree.member(name, of: node) {
      case .none: return []
      case .one(let child): return visit(child, offset + 1, of: step, in: node, &tree)
      case .several: return .skipped
      }
    default: return kind == .null ? [] : .skipped
    }
  }

  private mutating func perform(
    _ step: Int, at node: ValueTree.Index, in holder: ValueTree.Index, _ tree: inout ValueTree
  ) -> StepOutcome {
    let operation = steps[step].operation
    let record = steps[step].reach < steps[step].path.count || operation.isMove ? node : holder
    if let condition = steps[step].condition {
      guard record >= 0, condition.holds(for: record, in: tree, matcher) else { return [] }
    }
    switch operation {
    case .map(let table, let otherwise): return map(node, table, otherwise, &tree)
    case .convert(let from, let to): return convert(node, from, to, &tree)
    case .scale(let factor): return scale(node, factor, &tree)
    case .wrap: return []
    case .fill, .set, .rename, .drop, .split, .move:
      guard tree[node].kind == .object else { return tree[node].kind == .null ? [] : .skipped }
    }
    if case .move(let from, let to) = operation { return move(from, to, in: node, &tree) }
    guard case .member(let name)? = steps[step].path.last else { return [] }
    switch operation {
    case .fill(let value, let replacesNull): return fill(name, of: node, value, replacesNull, &tree)
    case .set(let value): return set(name, of: node, value, &tree)
    case .rename(let new): return rename(name, of: node, to: new, &tree)
    case .drop: return drop(name, of: node, &tree)
    case .split(let pattern, let names): return split(name, of: node, step, pattern, names, &tree)
    default: return []
    }
  }

  /// Returns a member's new value in the descriptor's form.
  func literal(_ value: MigrationStep.Value) -> JSONValue {
    switch value {
    case .literal(let value): return value
    case .now(let format):
      let text = format.text(of: now)?.text ?? ""
      return format.appliesToNumbers ? .number(text) : .string(text)
    }
  }
}

extension MigrationStep.Operation {
  fileprivate var isMove: Bool { if case .move = self { true } else { false } }
}
