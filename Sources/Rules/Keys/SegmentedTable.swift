/// A hash table by open addressing that never needs much more memory than it holds.
///
///     hash       | 6 bits: segment | the rest, scaled to the segment's size: slot |
///     segments   | slots … | slots … | slots … |    one while the table is small, then 64
///
/// Each segment grows on its own, by a quarter, when 17 of 20 slots are taken: between 1.18 and 1.47 slots a member,
/// and growing needs a 64th more for as long as it takes.
/// The slot is the hash scaled, not its remainder, so that a segment's members stand in the order of their hashes and growing walks
/// through the old and the new one side by side.
struct SegmentedTable<Slot: TableSlot>: ~Copyable {
  private struct Segment: ~Copyable {
    var slots: UniqueArray<Slot>
    var used = 0

    init(slotCount: Int) { slots = UniqueArray(repeating: .free, count: slotCount) }

    var hasRoom: Bool { used * 20 < slots.count * 17 }

    @inline(__always)
    func start(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(slots.count)).high) }

    /// The slot that `probe` belongs in: its own, or the free one that would become it.
    @inline(__always)
    func index(of probe: Slot, hash: UInt64) -> Int {
      var index = start(of: hash)
      while !slots[index].isFree, !slots[index].isPlace(of: probe) {
        index += 1
        if index == slots.count { index = 0 }
      }
      return index
    }
  }

  /// Where a segment's table becomes 64 segments, in bytes.
  private static var splitSize: Int { 1 << 20 }
  private static var splitBits: UInt64 { 6 }

  private var segments = UniqueArray<Segment>()
  private var segmentBits: UInt64 = 0
  private let seed: UInt64
  /// In bytes, as taken from budgets.
  private(set) var memory = 0

  init(seed: UInt64) { self.seed = seed | 1 }

  @inline(__always)
  private func segment(of hash: UInt64) -> Int { Int(truncatingIfNeeded: (hash &>> 1) &>> (63 &- segmentBits)) }

  @inline(__always)
  func includes(_ member: Slot) -> Bool {
    if segments.isEmpty { return false }
    let hash = member.hash(seed: seed)
    let number = segment(of: hash)
    let index = segments[number].index(of: member, hash: hash &<< segmentBits)
    return segments[number].slots[index].includes(member)
  }

  /// Asks for the slots where the search for `member` begins: two cache lines, past which few searches go.
  @inline(__always)
  func fetch(_ member: Slot, through fetches: inout MemoryFetches) {
    if segments.isEmpty { return }
    let hash = member.hash(seed: seed)
    let number = segment(of: hash)
    let start = segments[number].start(of: hash &<< segmentBits)
    segments[number].slots.fetch(start, through: &fetches)
    segments[number].slots.fetch(min(start + 64 / MemoryLayout<Slot>.stride, segments[number].slots.count - 1), through: &fetches)
  }

  /// Makes `member` one, if there is room for it.
  @inline(__always)
  mutating func insert(_ member: Slot, within budget: inout MemoryBudget) -> KeyInsertion {
    let hash = member.hash(seed: seed)
    while true {
      if !segments.isEmpty {
        let number = segment(of: hash)
        let index = segments[number].index(of: member, hash: hash &<< segmentBits)
        if !segments[number].slots[index].isFree {
          if segments[number].slots[index].includes(member) { return .known }
          segments[number].slots[index].formUnion(member)
          return .new
        }
        if segments[number].hasRoom {
          segments[number].slots[index] = member
          segments[number].used += 1
          return .new
        }
      }
      guard grow(segmentFor: hash, within: &budget) else { return .noRoom }
    }
  }

  // MARK: Growing

  @inline(never)
  private mutating func grow(segmentFor hash: UInt64, within budget: inout MemoryBudget) -> Bool {
    if segments.isEmpty {
      guard take(16, from: &budget) else { return false }
      segments.append(Segment(slotCount: 16))
      return true
    }
    let number = segment(of: hash)
    let count = segments[number].slots.count
    if segments.count == 1, count * MemoryLayout<Slot>.stride >= Self.splitSize { return split(within: &budget) }
    // Small ones double: a quarter more of nothing is nothing.
    let larger = count < 1024 ? count * 2 : count + count / 4
    guard take(larger, from: &budget) else { return false }
    var new = Segment(slotCount: larger)
    new.used = segments[number].used
    for row in 0..<count where !segments[number].slots[row].isFree {
      let slot = segments[number].slots[row]
      new.slots[new.index(of: slot, hash: slot.hash(seed: seed) &<< segmentBits)] = slot
    }
    segments[number] = new
    giveBack(count, to: &budget)
    return true
  }

  private mutating func split(within budget: inout MemoryBudget) -> Bool {
    let count = segments[0].slots.count
    var used = Array(repeating: 0, count: 1 << Self.splitBits)
    for row in 0..<count where !segments[0].slots[row].isFree {
      used[Int(segments[0].slots[row].hash(seed: seed) >> (64 - Self.splitBits))] += 1
    }
    let sizes = used.map { $0 + $0 / 2 + 16 }
    guard take(sizes.reduce(0, +), from: &budget) else { return false }
    var parts = UniqueArray<Segment>(capacity: sizes.count)
    for size in sizes { parts.append(Segment(slotCount: size)) }
    segmentBits = Self.splitBits
    for row in 0..<count where !segments[0].slots[row].isFree {
      let slot = segments[0].slots[row]
      let hash = slot.hash(seed: seed)
      let number = segment(of: hash)
      parts[number].slots[parts[number].index(of: slot, hash: hash &<< segmentBits)] = slot
      parts[number].used += 1
    }
    segments = parts
    giveBack(count, to: &budget)
    return true
  }

  private mutating func take(_ slotCount: Int, from budget: inout MemoryBudget) -> Bool {
    let bytes = slotCount * MemoryLayout<Slot>.stride
    guard budget.take(bytes) else { return false }
    memory += bytes
    return true
  }

  private mutating func giveBack(_ slotCount: Int, to budget: inout MemoryBudget) {
    let bytes = slotCount * MemoryLayout<Slot>.stride
    memory -= bytes
    budget.giveBack(bytes)
  }
}
