import JSONEvents

/// What was observed of the values at one place of all documents: a member of an object, or the items of an array.
struct Place: Sendable {
  var nulls = 0
  var falses = 0
  var trues = 0
  var arrays = 0
  var objects = 0
  var numbers = NumberStatistics()
  var texts = TextStatistics()

  /// The members of the objects, up to a limit, in the order of their first occurrence.
  var members: ContiguousArray<Member> = []
  /// The place of all further members, or -1.
  var others = -1
  /// The number of further members.
  var otherCount = 0
  private var firstMember = -1

  /// The place of the arrays' items, or -1.
  var items = -1
  var minimumItems = Int.max
  var maximumItems = 0
  /// The number of items of the last array.
  var lastItemCount: Int?

  var column = KeyColumn()

  /// A member of the objects at a place.
  struct Member: Sendable {
    var head: UInt64
    var tail: UInt64
    var name: [UInt8]
    var place: Int
    /// The member that preceded it first, or -1.
    var predecessor: Int
    /// The number of objects that have it.
    var presence = 0
    /// The number of the last object that has it.
    fileprivate(set) var lastObject = 0
    /// The member that followed it last, which is tried first.
    fileprivate var successor = -1

    var string: String { String(decoding: name, as: UTF8.self) }
  }

  /// The number of values.
  var count: Int { nulls + falses + trues + arrays + objects + numbers.count + texts.count }

  /// Finds a member, and counts its presence in the current object.
  ///
  /// - Parameters:
  ///   - name: a text of an `EventBatch`.
  ///   - previous: the member before it, or -1.
  /// - Returns: its index, or -1 if it is unknown.
  @inline(__always)
  mutating func find(_ name: ByteView, after previous: Int) -> Int {
    let head = name.leadingWordOfPadded
    let tail = Self.tail(of: name)
    let expected = previous < 0 ? firstMember : members[previous].successor
    var index = expected
    if expected < 0 || !matches(expected, name, head, tail) {
      index = search(name, head, tail)
      if index >= 0 { if previous < 0 { firstMember = index } else { members[previous].successor = index } }
    }
    if index >= 0 { countPresence(of: index) }
    return index
  }

  @inline(__always)
  mutating func countPresence(of index: Int) {
    if members[index].lastObject != objects {
      members[index].lastObject = objects
      members[index].presence += 1
    }
  }

  @inline(__always)
  private static func tail(of name: ByteView) -> UInt64 { name.count > 8 ? name.word(at: name.count - 8) : 0 }

  @inline(__always)
  private func matches(_ index: Int, _ name: ByteView, _ head: UInt64, _ tail: UInt64) -> Bool {
    members[index].head == head && members[index].name.count == name.count && members[index].tail == tail
      && (name.count <= 16 || matchesInside(index, name))
  }

  private func matchesInside(_ index: Int, _ name: ByteView) -> Bool {
    (0..<name.count).allSatisfy { members[index].name[$0] == name[$0] }
  }

  @inline(never)
  private func search(_ name: ByteView, _ head: UInt64, _ tail: UInt64) -> Int {
    members.indices.first { matches($0, name, head, tail) } ?? -1
  }

  /// Adds a member, whose presence isn't counted yet.
  mutating func add(_ name: ByteView, at place: Int, after previous: Int) -> Int {
    members.append(
      Member(head: name.leadingWord, tail: Self.tail(of: name), name: name.array, place: place, predecessor: previous))
    return members.count - 1
  }

  /// Adds a member of a part of the document, with its presence there.
  mutating func append(_ member: Member) {
    var member = member
    member.lastObject = 0
    member.successor = -1
    members.append(member)
  }

  /// The members in the order of the documents: each after the one that preceded it first.
  var orderedMembers: [Member] {
    var order: [Int] = []
    for (index, member) in members.enumerated() {
      if let place = order.firstIndex(of: member.predecessor) { order.insert(index, at: place + 1) } else { order.append(index) }
    }
    return order.map { members[$0] }
  }
}

/// The scalars of a place as keys of records, or references to them.
struct KeyColumn: Sendable {
  // In the current document.
  var sketch = ValueSketch()
  var count = 0
  /// True if a value is no key: too long, or a fraction.
  var hasOthers = false

  // In all documents that have ended.
  var documents = 0
  /// The documents in which all values may be distinct.
  var uniqueDocuments = 0
  private(set) var largestDistinctCount = 0
  private(set) var distinctSum = 0

  /// The share of distinct values from which an estimate may mean that all are.
  private static let estimateShare = 0.85

  var mayBeUnique: Bool {
    guard count > 0, !hasOthers else { return false }
    return sketch.isWhole ? sketch.distinctCount == count : Double(sketch.distinctCount) >= Self.estimateShare * Double(count)
  }

  /// Adds the current document to the others.
  mutating func endDocument() {
    guard count > 0 else { return }
    documents += 1
    if mayBeUnique { uniqueDocuments += 1 }
    let distinct = min(count, sketch.distinctCount)
    largestDistinctCount = max(largestDistinctCount, distinct)
    distinctSum += distinct
    sketch = ValueSketch()
    count = 0
  }

  mutating func merge(_ other: KeyColumn) {
    sketch.merge(other.sketch)
    count += other.count
    hasOthers = hasOthers || other.hasOthers
  }
}
