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
    for step in pendingSteps { run(step, on: &tree) }
  }

  private mutating func run(_ pending: PendingStep, on tree: inout ValueTree) {
    guard tree.root >= 0 else { return }
    let outcome: StepOutcome
    if case .wrap(let name) = steps[pending.step].operation {
      outcome = wrap(name, &tree)
    } else {
      outcome = visit(tree.root, pending.offset, of: pending.step, in: ValueTree.none, &tree)
    }
    tally.note(outcome, of: pending.step)
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

/// Steps on the members of an object.
extension StepRunner {
  func fill(
    _ name: KnownName, of object: ValueTree.Index, _ value: MigrationStep.Value, _ replacesNull: Bool, _ tree: inout ValueTree
  ) -> StepOutcome {
    switch tree.member(name, of: object) {
    case .none:
      tree.append(tree.make(literal(value)), as: name, to: object)
      return .changed
    case .one(let member) where replacesNull && tree[member].kind == .null:
      tree.replace(member, with: literal(value))
      return .changed
    case .one, .several: return []
    }
  }

  func set(
    _ name: KnownName, of object: ValueTree.Index, _ value: MigrationStep.Value, _ tree: inout ValueTree
  ) -> StepOutcome {
    let value = literal(value)
    switch tree.member(name, of: object) {
    case .none:
      tree.append(tree.make(value), as: name, to: object)
      return .changed
    case .one(let member):
      if tree.isEqual(member, value) { return [] }
      tree.replace(member, with: value)
      return .changed
    case .several: return .skipped
    }
  }

  func rename(_ name: KnownName, of object: ValueTree.Index, to new: KnownName, _ tree: inout ValueTree) -> StepOutcome {
    switch tree.member(name, of: object) {
    case .none: return []
    case .several: return .skipped
    case .one(let member):
      guard case .none = tree.member(new, of: object) else { return .skipped }
      tree.rename(member, to: new)
      return .changed
    }
  }

  /// Removes all members of that name.
  func drop(_ name: KnownName, of object: ValueTree.Index, _ tree: inout ValueTree) -> StepOutcome {
    tree.unlinkMembers(name, of: object) ? .changed : []
  }

  /// Moves the member at the path `from` to the path `to`, and creates missing objects.
  func move(_ from: [KnownName], _ to: [KnownName], in object: ValueTree.Index, _ tree: inout ValueTree) -> StepOutcome {
    var parent = object
    var member = object
    for name in from {
      if member != object { parent = member }
      guard tree[parent].kind == .object else { return tree[parent].kind == .null ? [] : .skipped }
      switch tree.member(name, of: parent) {
      case .none: return []
      case .several: return .skipped
      case .one(let child): member = child
      }
    }
    guard let last = to.last else { return [] }
    // Finds the existing objects on the target path, before anything is changed.
    var target = object
    var missing = to.dropLast()[...]
    search: while let name = missing.first {
      switch tree.member(name, of: target) {
      case .none: break search
      case .one(let child) where tree[child].kind == .object:
        target = child
        missing = missing.dropFirst()
      case .one, .several: return .skipped
      }
    }
    if missing.isEmpty, case .none = tree.member(last, of: target) {} else if missing.isEmpty { return .skipped }
    tree.unlink(member, from: parent)
    for name in missing {
      let new = tree.make(ValueTree.Node(kind: .object))
      tree.append(new, as: name, to: target)
      target = new
    }
    tree.append(member, as: last, to: target)
    return .changed
  }

  mutating func split(
    _ name: KnownName, of object: ValueTree.Index, _ step: Int, _ pattern: Pattern, _ names: [KnownName],
    _ tree: inout ValueTree
  ) -> StepOutcome {
    guard case .one(let member) = tree.member(name, of: object) else {
      if case .none = tree.member(name, of: object) { return [] }
      return .skipped
    }
    guard tree[member].kind == .string else { return tree[member].kind == .null ? [] : .skipped }
    // If true, one of the parts has the member's own name, so it may have been split before.
    let isPart = names.contains(name)
    for part in names where part != name {
      guard case .none = tree.member(part, of: object) else { return isPart ? [] : .skipped }
    }
    let captures = captures[step] ?? PatternCaptures(pattern)
    self.captures[step] = captures
    let parts = tree.withContent(of: tree[member].token) { text in
      captures.groups(in: text)?.map { range in range.map { text.dropFirst($0.lowerBound).prefix($0.count).array } }
    }
    guard let parts else { return .skipped }
    tree.unlink(member, from: object)
    for (part, content) in zip(names, parts) {
      guard let content else { continue }
      tree.append(tree.makeString(content), as: part, to: object)
    }
    return .changed
  }

  /// If the root is an array, wraps it in an object.
  func wrap(_ name: KnownName, _ tree: inout ValueTree) -> StepOutcome {
    guard tree[tree.root].kind == .collection else { return [] }
    let object = tree.make(ValueTree.Node(kind: .object))
    tree.append(tree.root, as: name, to: object)
    tree.root = object
    return .changed
  }
}

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

extension MigrationCondition {
  /// Returns true if a held value meets the condition. As in rules, a condition that doesn't apply to the value's type is met.
  func holds(for node: ValueTree.Index, in tree: ValueTree, _ matcher: Pattern.Matcher) -> Bool {
    let value = tree[node]
    switch self {
    case .all(let parts): return parts.allSatisfy { $0.holds(for: node, in: tree, matcher) }
    case .any(let parts): return parts.contains { $0.holds(for: node, in: tree, matcher) }
    case .not(let part): return !part.holds(for: node, in: tree, matcher)
    case .type(let names):
      if names.contains(value.kind.valueKind.name) { return true }
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
