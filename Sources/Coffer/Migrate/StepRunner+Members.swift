import BackupFormats
import Rules

/// Steps on the members of an object.
extension StepRunner {
  func fill(
    _ name: MemberName, of object: ValueTree.Index, _ value: MigrationStep.Value, _ replacesNull: Bool, _ tree: inout ValueTree
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
    _ name: MemberName, of object: ValueTree.Index, _ value: MigrationStep.Value, _ tree: inout ValueTree
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

  func rename(_ name: MemberName, of object: ValueTree.Index, to new: MemberName, _ tree: inout ValueTree) -> StepOutcome {
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
  func drop(_ name: MemberName, of object: ValueTree.Index, _ tree: inout ValueTree) -> StepOutcome {
    tree.unlinkMembers(name, of: object) ? .changed : []
  }

  /// Moves the member at the path `from` to the path `to`, and creates missing objects.
  func move(_ from: [MemberName], _ to: [MemberName], in object: ValueTree.Index, _ tree: inout ValueTree) -> StepOutcome {
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
    _ name: MemberName, of object: ValueTree.Index, _ step: Int, _ pattern: Pattern, _ names: [MemberName],
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
  func wrap(_ name: MemberName, _ tree: inout ValueTree) -> StepOutcome {
    guard tree[tree.root].kind == .collection else { return [] }
    let object = tree.make(ValueTree.Node(kind: .object))
    tree.append(tree.root, as: name, to: object)
    tree.root = object
    return .changed
  }
}
