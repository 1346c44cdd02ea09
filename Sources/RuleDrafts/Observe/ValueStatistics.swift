import JSONEvents

/// What was observed of the values at one place of all documents: a member of an object, or the items of an array.
struct ValueStatistics: Sendable {
  var nulls = 0
  var falses = 0
  var trues = 0
  var arrays = 0
  var objects = 0
  var numbers = NumberStatistics()
  var texts = TextStatistics()
  /// The distinct numbers and texts.
  var tally = ValueTally()
  var order = ValueOrder()
  /// What the last value was: `objectStart` for an object.
  var lastKind = Event.Kind.null

  /// The members of the objects, up to a limit, in the order of their first occurrence.
  var members: ContiguousArray<Member> = []
  /// The place of all further members, or -1.
  var others = -1
  /// The number of further members.
  var otherCount = 0
  private var firstMember = -1
  /// True if the names of the objects' members are data: all members are at one place, `others`, and the column has the names.
  private(set) var isMap = false
  var whole = ObjectStatistics()

  /// The place of the arrays' items, or -1.
  var items = -1
  var minimumItems = Int.max
  var maximumItems = 0
  /// The number of items of the last array.
  var lastItemCount: Int?

  /// The distinct numbers and texts as keys; of a map, the names of the members.
  var column = KeyColumn()

  /// A member of the objects at a place.
  struct Member: Sendable {
    let name: KnownName
    var place: Int
    /// The member that preceded it first, or -1.
    var predecessor: Int
    /// The number of objects that have it.
    var presence = 0
    /// The number of the last object that has it.
    fileprivate var lastObject = 0
    /// The member that followed it last, which is tried first.
    fileprivate var successor = -1

    var string: String { name.string }
  }

  /// The number of values.
  var count: Int { nulls + falses + trues + arrays + objects + numbers.count + texts.count }

  /// The last value if it is one of few: true, false, or in the tally, by its hash there.
  var lastChoice: UInt64? {
    switch lastKind {
    case .false: 0
    case .true: 1
    case .number, .string: tally.lastHash
    default: nil
    }
  }

  /// Returns false if the types or the range of these values show that the other place doesn't have all of them. The sketch of a
  /// few values and that of a large set often can't show it.
  func mayHaveOnlyValues(of other: ValueStatistics) -> Bool {
    if texts.count > 0 && other.texts.count == 0 || numbers.count > 0 && other.numbers.count == 0 { return false }
    guard numbers.count > 0, numbers.areIntegers, other.numbers.areIntegers else { return true }
    return other.numbers.minimumInteger <= numbers.minimumInteger && numbers.maximumInteger <= other.numbers.maximumInteger
  }

  /// The place without values, and without what is known not to matter any more: a thread that observes further values begins with it.
  var blank: ValueStatistics {
    var blank = ValueStatistics()
    blank.members = members
    for index in members.indices {
      blank.members[index].presence = 0
      blank.members[index].lastObject = 0
    }
    (blank.firstMember, blank.others, blank.items, blank.isMap) = (firstMember, others, items, isMap)
    blank.tally = tally.blank
    blank.order = order.blank
    blank.whole = whole.blank
    blank.texts = texts.blank
    blank.column = column.blank
    return blank
  }

  /// Adds further values, except for those in objects and arrays, and those of the column.
  mutating func merge(_ other: ValueStatistics) {
    nulls += other.nulls
    falses += other.falses
    trues += other.trues
    arrays += other.arrays
    objects += other.objects
    numbers.merge(other.numbers)
    texts.merge(other.texts)
    tally.merge(other.tally)
    order.merge(other.order)
    minimumItems = min(minimumItems, other.minimumItems)
    maximumItems = max(maximumItems, other.maximumItems)
    otherCount += other.otherCount
  }

  // MARK: Values

  /// - Returns: true if this is the first value of the column in the document.
  @inline(__always)
  mutating func addNumber(_ text: ByteView) -> Bool {
    let hash = text.count <= 40 ? ValueHash.hash(text, isNumber: true) : nil
    tally.count(text, hash, isText: false)
    numbers.add(text)
    if let integer = numbers.lastInteger { order.add(integer) }
    return column.add(numbers.areIntegers ? hash : nil)
  }

  /// - Returns: true if this is the first value of the column in the document.
  @inline(__always)
  mutating func addText(_ text: ByteView) -> Bool {
    let isHashed = text.count <= ValueHash.lengthLimit && !(column.hasOthers && tally.isOver)
    let hash = isHashed ? ValueHash.hash(text, isNumber: false) : nil
    tally.count(text, hash, isText: true)
    texts.add(text)
    order.add(text)
    return column.add(hash)
  }

  mutating func endArray(of items: Int) {
    minimumItems = min(minimumItems, items)
    maximumItems = max(maximumItems, items)
    lastItemCount = items
  }

  // MARK: Members

  /// Finds a member, and counts its presence in the current object.
  ///
  /// - Parameters:
  ///   - name: a text of an `EventBatch`.
  ///   - previous: the member before it, or -1.
  /// - Returns: its index and its place, or -1 if it is unknown.
  @inline(__always)
  mutating func find(_ name: ByteView, after previous: Int) -> (member: Int, place: Int) {
    let words = KnownName.Words(name)
    let expected = previous < 0 ? firstMember : members[previous].successor
    var index = expected
    if expected < 0 || !members[expected].name.matches(words) {
      index = search(words)
      if index >= 0 { if previous < 0 { firstMember = index } else { members[previous].successor = index } }
    }
    if index < 0 { return (-1, -1) }
    if members[index].lastObject != objects {
      members[index].lastObject = objects
      members[index].presence += 1
    }
    return (index, members[index].place)
  }

  @inline(never)
  private func search(_ words: KnownName.Words) -> Int { members.firstIndex { $0.name.matches(words) } ?? -1 }

  /// Adds a member that the current object has.
  mutating func add(_ name: ByteView, at place: Int, after previous: Int) -> Int {
    members.append(
      Member(
        name: KnownName(name.array), place: place, predecessor: previous, presence: 1, lastObject: objects))
    whole.addMember(members[members.count - 1].name)
    return members.count - 1
  }

  /// Makes the place a map.
  ///
  /// - Returns: the members so far.
  mutating func takeMembers() -> ContiguousArray<Member> {
    defer { (members, firstMember, whole, isMap) = ([], -1, ObjectStatistics(), true) }
    return members
  }

  /// Adds a member of a part of the document, with its presence there.
  mutating func append(_ member: Member, at place: Int, after previous: Int) {
    var member = member
    member.place = place
    member.predecessor = previous
    member.lastObject = 0
    member.successor = -1
    members.append(member)
    whole.addMember(member.name)
  }

  /// True if the object that ends now, or ended last, has a member.
  func isInLastObject(_ member: Int) -> Bool { members[member].lastObject == objects }

  /// The members in the order of the documents: each after the one that preceded it first.
  var orderedMembers: [Member] {
    var order: [Int] = []
    for (index, member) in members.enumerated() {
      if let place = order.firstIndex(of: member.predecessor) { order.insert(index, at: place + 1) } else { order.append(index) }
    }
    return order.map { members[$0] }
  }
}
