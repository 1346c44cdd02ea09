import ByteStreams
import JSONEvents

/// Lookups in the containers around a value: fields that they keep, and places below them that they watch.
extension RuleCompiler {
  func placeLookups(of draft: StateDraft) throws(CofferError) {
    for lookup in draft.dataLookups {
      guard case .ancestor(let levels, let field) = lookup.reference.origin else {
        if lookup.slot != 0 || draft.key.isConditional { throw conditional(lookup.keyword, lookup.reference.text) }
        continue
      }
      for holder in try holders(of: draft, levels, lookup.slot, lookup.keyword, lookup.reference.text) {
        if holder.addName(field) { try addChildren(of: holder, named: field) }
        if !holder.cells.contains(where: { ExactText($0) == ExactText(field) }) { holder.cells.append(field) }
      }
    }
    for lookup in draft.aggregateLookups {
      guard let root = locations.aggregateRoots[lookup.number] else {
        if lookup.slot != 0 || draft.key.isConditional { throw conditional(lookup.keyword, "") }
        continue
      }
      for holder in try holders(of: draft, lookup.levels, lookup.slot, lookup.keyword, "") {
        if !holder.aggregates.contains(lookup.number) { holder.aggregates.append(lookup.number) }
        try attach(root, to: holder)
      }
    }
    for lookup in draft.keyLookups {
      // A field's first container is the record, its second is this array.
      let holders = lookup.levels == 2 ? [draft] : try holders(of: draft, lookup.levels - 2, 0, lookup.keyword, "")
      for holder in holders { try attach(lookup.root, to: holder) }
    }
  }

  /// Rejects keys that look up a container that can't exist, above all records that the rules reach.
  func checkKeyLookups(of draft: StateDraft) throws(CofferError) {
    for lookup in draft.keyLookups where !attachedRoots.contains(lookup.root) {
      throw lookup.keyword.origin.error("there is no container \(lookup.levels) levels above a field of these records")
    }
  }

  /// Returns the states of the container that many levels above a state's value.
  private func holders(
    of draft: StateDraft, _ levels: Int, _ slot: UInt16, _ keyword: Schema.Keyword, _ text: String
  ) throws(CofferError) -> [StateDraft] {
    if slot != 0 { throw conditional(keyword, text) }
    var holders: [ObjectIdentifier: StateDraft] = [:]
    for parent in outer(draft) { holders[ObjectIdentifier(parent.state)] = parent.state }
    for _ in 1..<max(1, levels) {
      var next: [ObjectIdentifier: StateDraft] = [:]
      for holder in holders.values {
        for parent in outer(holder) {
          // A branch below the holder would be decided before the requested value is known.
          if parent.slot != 0 { throw conditional(keyword, text) }
          next[ObjectIdentifier(parent.state)] = parent.state
        }
      }
      holders = next
    }
    return holders.values.sorted { $0.index < $1.index }
  }

  /// Returns the parents of a state in the same document.
  private func outer(_ draft: StateDraft) -> [StateDraft.Child] {
    draft.parents.filter { $0.state.key.schema != documentsSchema }
  }

  private func conditional(_ keyword: Schema.Keyword, _ text: String) -> CofferError {
    let name = text.isEmpty ? keyword.name : "$data '\(text)'"
    return keyword.origin.error("\(name) refers out of an anyOf, oneOf, not or if that is decided before that value is known")
  }

  // MARK: Places that are counted from a container

  /// Watches the values below a container in the places of a tree.
  private func attach(_ root: Int, to holder: StateDraft) throws(CofferError) {
    if holder.roots.contains(root) { return }
    attachedRoots.insert(root)
    holder.roots.append(root)
    for name in locations.nodes[root].names {
      if holder.addName(name) {
        try addChildren(of: holder, named: name)
      } else {
        var children = holder.children(named: name)
        try addPlace(name, from: root, of: holder, to: &children)
        holder.setChildren(children, named: name)
      }
    }
    for index in holder.itemChildren.indices { try addPlace("*", from: root, of: holder, to: &holder.itemChildren[index]) }
  }

  /// Adds the child for a place that a tree has below `holder`, if there is one of that name.
  func addPlace(
    _ name: String, from root: Int, of holder: StateDraft, to children: inout [StateDraft.Child]
  ) throws(CofferError) {
    guard let place = locations.nodes[root].children[ExactText(name)] else { return }
    if let child = try child(of: holder, slot: 0, schema: -1, location: place, token: name) { children.append(child) }
  }

  func addActions(_ actions: [RuleProgram.PlaceAction], to draft: StateDraft) {
    for action in actions {
      builder.placeActions.append(action)
      let check = RuleProgram.Check(operation: .place, slot: 0, operand: Int32(builder.placeActions.count - 1), rule: 0)
      for kind in action.kind.kinds where action.kind != .noItems || !draft.refuses(kind) {
        draft.checks[kind.rawValue].append(check)
      }
    }
  }
}
