import JSONEvents

/// What the objects at a place show as wholes: which members they have for each value of a kind, and which numbers count the items of a
/// list.
///
///     { "kind": "card", "card": "x1", "lineCount": 2, "lines": [ … ] }
///
///     kind ─┬ "card"  12 objects: 12 have card, 3 have note         lineCount ─ lines: equal in all objects
///           └ "cash"  28 objects:  0 have card, 9 have note
///
/// It is taken at each object's end, from the last value of each member; null counts as missing. A member with few values is a kind. Only members
/// that an object lacks are counted: of the others, all objects so far have them. What exceeds a limit is given up as a whole, so that the result
/// doesn't depend on the parts in which a document is observed.
///
/// Memory: for each member of an object, up to 12 values with 8 bytes for each optional member.
struct ObjectStatistics: Sendable {
  /// The most members of an object: one bit each.
  static let memberLimit = 64
  static let valueLimit = 12

  /// The objects in which a member has a value.
  struct Row: Sendable {
    /// `ValueStatistics.lastChoice`
    let value: UInt64
    fileprivate(set) var objects = 0
    /// How many of them have each optional member, by its index.
    fileprivate var presence: ContiguousArray<Int> = []

    fileprivate init(_ value: UInt64) { self.value = value }
  }

  /// A member whose values may decide which other members there are.
  private struct Kind {
    var rows: ContiguousArray<Row> = []
    /// The row of the last object.
    var last = 0
  }

  /// The arrays that a number was compared with, and those whose number of items differed, as bits.
  private struct Counter {
    let member: Int
    var compared: UInt64 = 0
    var unequal: UInt64 = 0
  }

  /// The members of the place, as kinds.
  private var kinds: ContiguousArray<Kind> = []
  /// Those with few values so far, as bits.
  private var live: UInt64 = 0
  /// The members that some object lacks, as bits.
  private var optional: UInt64 = 0
  /// The members that are named like a count.
  private var counters: ContiguousArray<Counter> = []
  private var objects = 0
  /// True if the objects have too many members.
  private(set) var isOver = false

  /// True if an object's end has to be taken.
  @inline(__always)
  var isWanted: Bool { live != 0 || !counters.isEmpty }

  /// Statistics of no objects, for further ones.
  var blank: ObjectStatistics {
    var blank = ObjectStatistics()
    blank.kinds = ContiguousArray(repeating: Kind(), count: kinds.count)
    blank.live = live
    blank.counters = ContiguousArray(counters.map { Counter(member: $0.member) })
    blank.isOver = isOver
    return blank
  }

  /// The values of a member and the objects that have them, or none if there are too many.
  func rows(of member: Int) -> ContiguousArray<Row> { live.has(member) ? kinds[member].rows : [] }

  /// True if a member has too many values.
  func isOver(_ member: Int) -> Bool { isOver || !live.has(member) }

  /// The number of a row's objects that have a member.
  func count(of member: Int, in row: Row) -> Int {
    if !optional.has(member) { return row.objects }
    return member < row.presence.count ? row.presence[member] : 0
  }

  /// Numbers, and the arrays of whose items they were the number in each object.
  var counts: [(number: Int, array: Int)] {
    var counts: [(number: Int, array: Int)] = []
    for counter in counters {
      (counter.compared & ~counter.unequal).forEachBit { counts.append((counter.member, $0)) }
    }
    return counts
  }

  /// Adds the next member, which no object before had.
  mutating func addMember(_ name: KnownName) {
    let member = kinds.count
    if isOver || member == Self.memberLimit { return giveUp() }
    kinds.append(Kind())
    live |= 1 << UInt64(member)
    if objects > 0 { optional |= 1 << UInt64(member) }
    if NameWords(name.string).isCount { counters.append(Counter(member: member)) }
  }

  private mutating func giveUp() {
    self = ObjectStatistics()
    isOver = true
  }

  /// Counts an object.
  ///
  /// - Parameters:
  ///   - present: its members that are not null, as bits.
  ///   - members: all members of the place.
  ///   - places: their values, of which the last ones are those of the object.
  mutating func count(
    _ present: UInt64, _ members: ContiguousArray<ValueStatistics.Member>, in places: ContiguousArray<ValueStatistics>
  ) {
    let missing = ~present & known & ~optional
    if missing != 0 { makeOptional(missing) }
    objects += 1
    let counted = present & optional
    (present & live).forEachBit { member in
      if let value = places[members[member].place].lastChoice, let row = row(of: value, member) {
        kinds[member].rows[row].objects += 1
        counted.forEachBit { kinds[member].rows[row].add(1, $0) }
      }
    }
    for index in counters.indices where present.has(counters[index].member) {
      let number = members[counters[index].member].place
      guard places[number].lastKind == .number, let value = places[number].numbers.lastInteger else { continue }
      present.forEachBit { member in
        let array = members[member].place
        guard places[array].lastKind == .arrayStart, let items = places[array].lastItemCount else { return }
        counters[index].compared |= 1 << UInt64(member)
        if items != value { counters[index].unequal |= 1 << UInt64(member) }
      }
    }
  }

  private var known: UInt64 { kinds.count == Self.memberLimit ? ~0 : 1 << UInt64(kinds.count) - 1 }

  /// Begins to count members that all objects so far had.
  private mutating func makeOptional(_ members: UInt64) {
    optional |= members
    live.forEachBit { kind in
      for row in kinds[kind].rows.indices {
        let objects = kinds[kind].rows[row].objects
        members.forEachBit { kinds[kind].rows[row].add(objects, $0) }
      }
    }
  }

  /// Returns the index of a value's row, or `nil` beyond the limit.
  private mutating func row(of value: UInt64, _ member: Int) -> Int? {
    let last = kinds[member].last
    if last < kinds[member].rows.count, kinds[member].rows[last].value == value { return last }
    if let index = kinds[member].rows.firstIndex(where: { $0.value == value }) {
      kinds[member].last = index
    } else if kinds[member].rows.count < Self.valueLimit {
      kinds[member].rows.append(Row(value))
      kinds[member].last = kinds[member].rows.count - 1
    } else {
      end(member)
      return nil
    }
    return kinds[member].last
  }

  /// Gives up a member as a kind.
  private mutating func end(_ member: Int) {
    kinds[member] = Kind()
    live &= ~(1 << UInt64(member))
  }

  /// Adds further objects.
  ///
  /// - Parameter members: the indices here of the members there; -1 for one that isn't observed here.
  mutating func merge(_ other: ObjectStatistics, members: [Int]) {
    if isOver || other.isOver { return giveUp() }
    var (here, optionalThere): (UInt64, UInt64) = (0, 0)
    for (index, member) in members.enumerated() where member >= 0 {
      here |= 1 << UInt64(member)
      if other.optional.has(index) { optionalThere |= 1 << UInt64(member) }
    }
    if other.objects > 0 { optionalThere |= known & ~here }
    makeOptional(optionalThere & ~optional)
    objects += other.objects
    for (index, member) in members.enumerated() where member >= 0 && live.has(member) {
      if !other.live.has(index) { end(member) }
      for otherRow in other.kinds[index].rows {
        guard let row = row(of: otherRow.value, member) else { break }
        kinds[member].rows[row].objects += otherRow.objects
        for (index, optional) in members.enumerated() where optional >= 0 && self.optional.has(optional) {
          kinds[member].rows[row].add(other.count(of: index, in: otherRow), optional)
        }
      }
    }
    mergeCounters(of: other, members)
  }

  private mutating func mergeCounters(of other: ObjectStatistics, _ members: [Int]) {
    for counter in other.counters {
      guard let index = counters.firstIndex(where: { $0.member == members[counter.member] }) else { continue }
      counter.compared.forEachBit { member in
        guard members[member] >= 0 else { return }
        let bit: UInt64 = 1 << UInt64(members[member])
        counters[index].compared |= bit
        if counter.unequal.has(member) { counters[index].unequal |= bit }
      }
    }
  }
}

extension ObjectStatistics.Row {
  @inline(__always)
  fileprivate mutating func add(_ count: Int, _ member: Int) {
    while presence.count <= member { presence.append(0) }
    presence[member] += count
  }
}

extension UInt64 {
  @inline(__always)
  fileprivate func has(_ bit: Int) -> Bool { self >> UInt64(bit) & 1 == 1 }

  @inline(__always)
  fileprivate func forEachBit(_ body: (Int) -> Void) {
    var rest = self
    while rest != 0 {
      body(rest.trailingZeroBitCount)
      rest &= rest &- 1
    }
  }
}
