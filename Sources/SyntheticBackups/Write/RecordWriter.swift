import JSONEvents
import Rules

/// Writes the records of a plan. Each is computed from the seed and its index only.
///
/// A value's draws depend only on the state of the enclosing object and the value's salt, so that any value of any record can be
/// computed without those before it. References get another record's key this way, and dates their lower bound.
///
///     frames    root │ record │ object in it …      the path to the current value; the path to another record is pushed on top
struct RecordWriter: ~Copyable {
  struct Frame: BitwiseCopyable {
    var object: Int32
    var branch: Int32
    var state: UInt64
    /// The record's or the item's index in its array.
    var index: Int
    /// True if every allowed member is present.
    var isFull: Bool
  }

  let plan: Plan
  let population: Population
  let layout: TreeLayout
  var buffer = ByteBuffer()
  var frames: UnsafeMutablePointer<Frame>
  var top = 0
  /// The current item's index, and the length of its array.
  var item = 0
  var itemCount = 0
  /// The bytes of the plan's pieces, outside of arrays to avoid uniqueness checks.
  let text: UnsafeMutablePointer<UInt8>
  let pieces: UnsafeMutablePointer<Plan.Piece>
  let keys: UnsafeMutablePointer<UInt8>
  /// The range of each member's key in `keys`, including the comma, line break, indentation and colon.
  let keyPlaces: UnsafeMutablePointer<Plan.Piece>
  let blanks: UnsafeMutablePointer<UInt8>
  /// The defects of each site, for sums of the values in the document.
  let allocation: DefectAllocation
  /// True if a record with a defect is being generated.
  var isPlanting = false
  /// True if a value depended on itself through other records: the output is then invalid.
  private(set) var isCircular = false
  /// A limit above what any value needs: the deepest nesting allowed in rules, plus some records that are referred to.
  private static let frameLimit = 512

  init(plan: Plan, population: Population, layout: TreeLayout, allocation: DefectAllocation = .none) {
    self.allocation = allocation
    self.plan = plan
    self.population = population
    self.layout = layout
    frames = .allocate(capacity: Self.frameLimit)
    text = Self.copy(plan.text)
    pieces = Self.copy(plan.pieces)
    let (keyText, places) = Self.keys(of: plan, layout)
    keys = Self.copy(keyText)
    keyPlaces = Self.copy(places)
    blanks = Self.copy([UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: 16 * 64))
    frames[0] = Frame(object: -1, branch: 0, state: RandomSource.mixed(population.seed), index: 0, isFull: true)
    if case .object(let root) = plan.generators[Int(plan.root)] {
      frames[0].object = root
      frames[0].branch = plan.objects[Int(root)].branches.lowerBound
    }
  }

  deinit {
    frames.deallocate()
    text.deallocate()
    pieces.deallocate()
    keys.deallocate()
    keyPlaces.deallocate()
    blanks.deallocate()
  }

  static func copy<Element: BitwiseCopyable>(_ array: [Element]) -> UnsafeMutablePointer<Element> {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, array.count))
    array.withUnsafeBufferPointer { array in
      if let start = array.baseAddress { memory.initialize(from: start, count: array.count) }
    }
    return memory
  }

  static func keys(of plan: Plan, _ layout: TreeLayout) -> ([UInt8], [Plan.Piece]) {
    var text: [UInt8] = []
    var places = Array(repeating: Plan.Piece(start: 0, count: 0), count: plan.members.count)
    for object in plan.objects {
      for branch in object.branches {
        for member in plan.branches[Int(branch)].members {
          let start = text.count
          text.append(UInt8(ascii: ","))
          layout.breakLine(&text, Int(object.depth))
          layout.append(plan.names[Int(plan.members[Int(member)].name)], to: &text)
          text += (layout.indent == nil ? ":" : ": ").utf8
          places[Int(member)] = Plan.Piece(start: Int32(start), count: Int32(text.count - start))
        }
      }
    }
    return (text, places)
  }

  // MARK: Frames

  /// Enters a record of a collection, from the root.
  ///
  /// - Parameter branch: The record's branch (default: determined by its index and chance).
  mutating func enter(_ collection: Int, at index: Int, branch: Int? = nil, isFull: Bool = false, above base: Int = 0) {
    top = base
    if base > 0 { push(frames[0]) }
    if plan.collections[collection].tokens.count > 1 {
      for token in plan.collections[collection].tokens.dropLast() { enterMember(named: token) }
    }
    let state = Self.state(of: index, in: population.seed, collection)
    let branch = branch ?? self.branch(of: index, in: collection)
    let object = plan.collections[collection].object
    push(
      Frame(
        object: object, branch: plan.objects[Int(object)].branches.lowerBound + Int32(branch), state: state, index: index,
        isFull: isFull))
  }

  mutating func leave() { top = 0 }

  @inline(__always)
  mutating func push(_ frame: Frame) {
    // Callers check `isCircular` before they continue; until then only the innermost frame is overwritten.
    if top + 1 < Self.frameLimit { top += 1 } else { isCircular = true }
    frames[top] = frame
  }

  /// Enters an object that is a member of the innermost frame.
  mutating func enterMember(named name: String) {
    for member in plan.branches[Int(frames[top].branch)].members where plan.names[Int(plan.members[Int(member)].name)] == name {
      if case .object(let object) = plan.generators[Int(plan.members[Int(member)].generator)] {
        enter(object, state: frames[top].state &+ plan.members[Int(member)].salt, index: frames[top].index)
        return
      }
    }
  }

  mutating func leaveMember() { top -= 1 }

  var innermost: Frame { frames[top] }

  @inline(__always)
  mutating func enter(_ object: Int32, state: UInt64, index: Int) {
    let state = RandomSource.mixed(state)
    let branches = plan.objects[Int(object)].branches
    var branch = branches.lowerBound
    if branches.count > 1 { branch += chosen(object, RandomSource.mixed(state &+ 0xB4A2C)) }
    push(Frame(object: object, branch: branch, state: state, index: index, isFull: frames[top].isFull))
  }

  static func state(of index: Int, in seed: UInt64, _ collection: Int) -> UInt64 {
    let stream = RandomSource.mixed(seed &+ UInt64(collection + 1) &* 0x9E37_79B9_7F4A_7C15)
    return RandomSource.mixed(stream &+ UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
  }

  /// Returns the branch that a draw selects, by weight.
  @inline(__always)
  func chosen(_ object: Int32, _ draw: UInt64, among allowed: UInt64 = .max) -> Int32 {
    let branches = plan.objects[Int(object)].branches
    var total = plan.objects[Int(object)].totalWeight
    if allowed != .max {
      total = 0
      for (number, branch) in branches.enumerated() where allowed >> UInt64(number) & 1 == 1 {
        total += plan.branches[Int(branch)].weight
      }
    }
    guard total > 0 else { return allowed == .max ? 0 : Int32(min(allowed.trailingZeroBitCount, branches.count - 1)) }
    var place = Int32(draw.multipliedFullWidth(by: UInt64(total)).high)
    for (number, branch) in branches.enumerated() where allowed >> UInt64(number) & 1 == 1 {
      place -= plan.branches[Int(branch)].weight
      if place < 0 { return Int32(number) }
    }
    return 0
  }

  /// Returns the branch of a record.
  func branch(of index: Int, in collection: Int) -> Int {
    let object = plan.collections[collection].object
    if plan.objects[Int(object)].branches.count == 1 { return 0 }
    if index < plan.collections[collection].heads.count { return Int(plan.collections[collection].heads[index]) }
    let state = Self.state(of: index, in: population.seed, collection)
    return Int(chosen(object, RandomSource.mixed(state &+ 0xB4A2C), among: plan.collections[collection].body))
  }

  // MARK: Records

  /// Writes the entered record.
  mutating func writeRecord() {
    writeMembers(of: top)
  }

  mutating func writeLineBreak(_ depth: Int) {
    if let indent = layout.indent { buffer.append(blanks, count: 1 + min(indent * depth, 1024)) }
  }

  mutating func writeMembers(of frame: Int) {
    let branch = frames[frame].branch
    buffer.append(UInt8(ascii: "{"))
    var isFirst = true
    let members = plan.branches[Int(branch)].members
    for number in members {
      let member = plan.members[Int(number)]
      var random = RandomSource(state: frames[frame].state &+ member.salt)
      let presence = self.presence(of: member, &random, in: frame)
      if presence == .absent { continue }
      writeKey(Int(number), isFirst: isFirst)
      isFirst = false
      if presence == .null {
        writeNull()
      } else {
        write(member.generator, state: frames[frame].state &+ member.salt, &random)
      }
    }
    if !isFirst { writeLineBreak(Int(plan.objects[Int(frames[frame].object)].depth) - 1) }
    buffer.append(UInt8(ascii: "}"))
  }

  @inline(__always)
  mutating func writeKey(_ member: Int, isFirst: Bool) {
    let place = keyPlaces[member]
    buffer.append(keys + Int(place.start) + (isFirst ? 1 : 0), count: Int(place.count) - (isFirst ? 1 : 0))
  }

  mutating func writeNull() {
    for byte in [UInt8(ascii: "n"), UInt8(ascii: "u"), UInt8(ascii: "l"), UInt8(ascii: "l")] { buffer.append(byte) }
  }

  enum Presence { case absent, null, value }

  @inline(__always)
  func presence(of member: MemberPlan, _ random: inout RandomSource, in frame: Int) -> Presence {
    guard member.absent | member.null != 0, !frames[frame].isFull else { return .value }
    let draw = Int32(random.below(100))
    if draw < member.absent { return .absent }
    return draw < member.absent + member.null ? .null : .value
  }

  func presence(of member: MemberPlan) -> Presence {
    var random = RandomSource(state: frames[top].state &+ member.salt)
    return presence(of: member, &random, in: top)
  }

  /// Writes a member of the envelope that neither is nor contains a collection.
  mutating func writeValue(of member: MemberPlan) {
    var random = RandomSource(state: frames[top].state &+ member.salt)
    _ = presence(of: member, &random, in: top)
    write(member.generator, state: frames[top].state &+ member.salt, &random)
  }

  mutating func writeRootValue() {
    var random = RandomSource(state: frames[0].state)
    write(plan.root, state: frames[0].state, &random)
  }
}

/// Writes arrays of values and of objects.
extension RecordWriter {
  func length(of array: ArrayPlan, _ random: inout RandomSource) -> Int {
    var (low, high) = (Int64(array.low), Int64(array.high))
    if frames[top].isFull { low = max(low, min(2, high)) }
    // Every other record can be referred to: of two neighbours, at most one has a defect.
    if array.referred >= 0 { high = max(low, min(high, Int64(population.counts[Int(array.referred)] / 2))) }
    if array.source >= 0 {
      let count = Int64(length(at: plan.places[Int(array.source)]))
      (low, high) = (min(low, count), min(high, count))
    }
    return Int(random.within(low, high))
  }

  mutating func writeArray(_ array: ArrayPlan, state: UInt64, _ random: inout RandomSource) {
    let count = length(of: array, &random)
    guard count > 0 else {
      buffer.append(UInt8(ascii: "["))
      buffer.append(UInt8(ascii: "]"))
      return
    }
    let (outerItem, outerCount) = (item, itemCount)
    buffer.append(UInt8(ascii: "["))
    for index in 0..<count {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      writeLineBreak(Int(array.depth))
      (item, itemCount) = (index, count)
      writeItem(index, of: array, state: state)
    }
    writeLineBreak(Int(array.depth) - 1)
    buffer.append(UInt8(ascii: "]"))
    (item, itemCount) = (outerItem, outerCount)
  }

  mutating func writeItem(_ index: Int, of array: ArrayPlan, state: UInt64) {
    let generator = index < array.prefix.count ? plan.choices[Int(array.prefix.lowerBound) + index] : array.item
    let itemState = RandomSource.mixed(state &+ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15)
    if generator >= 0 {
      var random = RandomSource(state: itemState)
      if growsWithPlace(generator) {
        // Numbers that grow with the record's index grow with the item's index here.
        let before = top
        var frame = frames[top]
        frame.index = index
        push(frame)
        write(generator, state: itemState, &random)
        top = before
        return
      }
      if array.referred < 0, array.source < 0, case .pool(let pool) = plan.generators[Int(generator)], pool.count > 1 {
        // Take the pieces in order from a random start, so that none repeats before all are used.
        let start = Int(RandomSource.mixed(state) >> 33) % pool.count
        let piece = pieces[Int(pool.lowerBound) + (start + index) % pool.count]
        buffer.append(text + Int(piece.start), count: Int(piece.count))
      } else {
        write(generator, state: itemState, &random)
      }
    } else {
      writeNull()
    }
  }

  private func growsWithPlace(_ generator: Int32) -> Bool {
    switch plan.generators[Int(generator)] {
    case .number(let number): plan.numbers[Int(number)].isSequence || plan.numbers[Int(number)].ascends
    default: false
    }
  }

  /// Writes an item of another array: equal item indices give the same item.
  mutating func writeItem(of place: DataPlace, _ name: Int32, _ random: inout RandomSource) {
    let count = length(at: place)
    let start = Int(random.next() >> 33)
    let index = count > 0 ? (itemCount > 0 ? item : start) % count : 0
    let before = top
    let path = enterPlace(place)
    guard count > 0, let member = member(path, from: top), case .array(let number) = plan.generators[Int(member.generator)] else {
      top = before
      return writeNull()
    }
    let array = plan.arrays[Int(number)]
    let state = frames[top].state &+ member.salt
    if name < 0 {
      let outer = (item, itemCount)
      (item, itemCount) = (index, count)
      writeItem(index, of: array, state: state)
      (item, itemCount) = outer
    } else if case .object(let object) = plan.generators[Int(array.item)] {
      enter(object, state: RandomSource.mixed(state &+ UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15), index: index)
      if let member = find(name, in: frames[top].branch) {
        var random = RandomSource(state: frames[top].state &+ member.salt)
        _ = presence(of: member, &random, in: top)
        write(member.generator, state: frames[top].state &+ member.salt, &random)
      }
    }
    top = before
  }

  func length(at place: DataPlace) -> Int {
    // The enclosing frames may belong to another record, so only members of the frames on the stack are read.
    guard place.up >= 0, place.path.count == 1 else { return 0 }
    let frame = top - Int(place.up)
    guard frame >= 0, let member = find(plan.paths[Int(place.path.lowerBound)], in: frames[frame].branch),
      case .array(let number) = plan.generators[Int(member.generator)]
    else { return 0 }
    var random = RandomSource(state: frames[frame].state &+ member.salt)
    guard presence(of: member, &random, in: frame) == .value else { return 0 }
    return length(of: plan.arrays[Int(number)], &random)
  }
}

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
