import JSONEvents
import Rules

/// Looks up values elsewhere, and the targets of references.
extension RecordWriter {
  @inline(__always)
  func find(_ name: Int32, in branch: Int32) -> MemberPlan? {
    for member in plan.branches[Int(branch)].members where plan.members[Int(member)].name == name {
      return plan.members[Int(member)]
    }
    return nil
  }

  /// Follows a path except for its last name, and returns the member of that name.
  mutating func member(_ path: Plan.Slice, from frame: Int) -> MemberPlan? {
    for index in path.dropLast() {
      guard let member = find(plan.paths[Int(index)], in: frames[top].branch),
        case .object(let object) = plan.generators[Int(member.generator)]
      else { return nil }
      enter(object, state: frames[top].state &+ member.salt, index: frames[top].index)
    }
    return path.last.flatMap { find(plan.paths[Int($0)], in: frames[top].branch) }
  }

  /// Enters the frame from which a place's path begins, and returns the path.
  mutating func enterPlace(_ place: DataPlace) -> Plan.Slice {
    if place.up < 0 {
      push(frames[0])
    } else {
      push(frames[max(0, top - Int(place.up))])
    }
    return place.path
  }

  mutating func writeFound(_ path: Plan.Slice, from frame: Int) {
    guard let member = member(path, from: frame) else { return writeNull() }
    var random = RandomSource(state: frames[top].state &+ member.salt)
    guard presence(of: member, &random, in: top) == .value else { return writeNull() }
    write(member.generator, state: frames[top].state &+ member.salt, &random)
  }

  /// Chooses the target record of a reference and enters it.
  mutating func enterTarget(of reference: ReferencePlan) {
    let collection = Int(reference.collection)
    let record = frames[max(0, top - Int(reference.up))]
    let index = target(of: reference, state: record.state, index: record.index)
    enter(collection, at: index, above: top)
  }

  func target(of reference: ReferencePlan, state: UInt64, index: Int) -> Int {
    let collection = Int(reference.collection)
    let count = population.counts[collection]
    guard count > 0 else { return 0 }
    if reference.isOneToOne { return min(index, count - 1) }
    var random = RandomSource(state: state &+ reference.salt)
    if reference.isItem {
      // Every other record, or the one before it if it carries a defect.
      let start = random.below(max(1, count - 2 * max(1, itemCount) + 1))
      return validIndex(min(start + 2 * item, count - 1), in: collection)
    }
    guard reference.branches != .max else { return validIndex(random.below(count), in: collection) }
    var index = random.below(count)
    for _ in 0..<8 {
      if isFit(index, reference) { return index }
      index = random.below(count)
    }
    while index > 0, !isFit(index, reference) { index -= 1 }
    while index < count - 1, !isFit(index, reference) { index += 1 }
    return index
  }

  func isFit(_ index: Int, _ reference: ReferencePlan) -> Bool {
    !population.slots[Int(reference.collection)].contains(index)
      && reference.branches >> UInt64(branch(of: index, in: Int(reference.collection))) & 1 == 1
  }

  /// Returns `index`, or the one before it if it carries a defect: neighbours never both do, and the first record never does.
  func validIndex(_ index: Int, in collection: Int) -> Int {
    population.slots[collection].contains(index) ? index - 1 : index
  }
}
