package import JSONEvents

/// A tree of places, and what was observed of the values at each: made from the events of documents, or parts of them.
///
///     { "cars": [ { "id": 1, "name": "Van" }, … ] }
///     root ─ cars ─ items ─┬ id      numbers 1 … 57, all distinct
///                          └ name    texts, 12 distinct
///
/// Parts are observed on all threads, and merged in document order.
///
/// Memory: up to 10 000 places of 1 KiB, and of the scalars up to 64 distinct values (4 KiB) and a sketch (32 KiB). What exceeds the limits, such as the
/// millionth member of an object, is observed as one place, or counted.
package struct DocumentObservation: Sendable {
  var places: ContiguousArray<Place> = [Place()]
  private var open: ContiguousArray<Open> = []
  /// The place of the next value, or -1 if it isn't observed.
  private var next = 0
  /// The number of open containers that are not observed.
  private var ignoredDepth = 0
  /// The number of containers that were too deep to be observed.
  private(set) var deepCount = 0
  private var sketchCount = 0
  /// The number of documents that have ended.
  private(set) package var documentCount = 0
  /// The number of bytes of these documents.
  private(set) package var byteCount = 0
  var relations = Relations()

  static let depthLimit = 48
  static let memberLimit = 256
  private let placeLimit: Int
  private static let sketchLimit = 1500

  private struct Open {
    var place: Int
    var isObject: Bool
    /// The last member of the object.
    var member = -1
    /// The number of items of the array.
    var items = 0
  }

  package init() { placeLimit = 10_000 }

  // MARK: Events

  package mutating func take(_ batch: EventBatch) {
    var index = 0
    while index < batch.count {
      let event = batch[index]
      switch event.kind {
      case .key: if ignoredDepth == 0 { takeName(batch.text(of: event)) }
      case .objectStart: begin(isObject: true)
      case .arrayStart: begin(isObject: false)
      case .objectEnd, .arrayEnd: end()
      case .null, .false, .true, .number, .string: if ignoredDepth == 0 { takeScalar(event, batch) }
      }
      index += 1
    }
  }

  @inline(__always)
  private mutating func takeName(_ name: ByteView) {
    let top = open.count - 1
    let place = open[top].place
    let member = places[place].find(name, after: open[top].member)
    if member >= 0 {
      open[top].member = member
      next = places[place].members[member].place
    } else {
      addMember(name)
    }
  }

  @inline(never)
  private mutating func addMember(_ name: ByteView) {
    let top = open.count - 1
    let place = open[top].place
    next = -1
    if places[place].members.count < Self.memberLimit, name.count <= 256, let new = newPlace() {
      let member = places[place].add(name, at: new, after: open[top].member)
      places[place].countPresence(of: member)
      open[top].member = member
      next = new
    } else {
      places[place].otherCount += 1
      next = others(of: place)
    }
  }

  /// The place of an object's members beyond the limit.
  private mutating func others(of place: Int) -> Int {
    if places[place].others < 0, let new = newPlace() { places[place].others = new }
    return places[place].others
  }

  private mutating func newPlace() -> Int? {
    guard places.count < placeLimit else { return nil }
    places.append(Place())
    return places.count - 1
  }

  /// Returns the place of a value that begins now, or -1, and counts an item.
  @inline(__always)
  private mutating func placeOfValue() -> Int {
    let top = open.count - 1
    guard top >= 0, !open[top].isObject else { return next }
    open[top].items += 1
    return items(of: open[top].place)
  }

  @inline(__always)
  private mutating func items(of place: Int) -> Int {
    if places[place].items < 0, let new = newPlace() { places[place].items = new }
    return places[place].items
  }

  private mutating func begin(isObject: Bool) {
    let place = ignoredDepth > 0 ? -1 : placeOfValue()
    if place < 0 || open.count >= Self.depthLimit {
      if ignoredDepth == 0 { deepCount += 1 }
      if place >= 0 { if isObject { places[place].objects += 1 } else { places[place].arrays += 1 } }
      return ignoredDepth += 1
    }
    if isObject { places[place].objects += 1 } else { places[place].arrays += 1 }
    open.append(Open(place: place, isObject: isObject))
  }

  private mutating func end() {
    if ignoredDepth > 0 { return ignoredDepth -= 1 }
    let closed = open.removeLast()
    if closed.isObject { return }
    places[closed.place].minimumItems = min(places[closed.place].minimumItems, closed.items)
    places[closed.place].maximumItems = max(places[closed.place].maximumItems, closed.items)
    places[closed.place].lastItemCount = closed.items
  }

  @inline(__always)
  private mutating func takeScalar(_ event: Event, _ batch: EventBatch) {
    let place = placeOfValue()
    guard place >= 0 else { return }
    switch event.kind {
    case .null: places[place].nulls += 1
    case .false: places[place].falses += 1
    case .true: places[place].trues += 1
    case .number: takeNumber(batch.text(of: event), at: place)
    default: takeText(batch.text(of: event), at: place)
    }
  }

  @inline(__always)
  private mutating func takeNumber(_ text: ByteView, at place: Int) {
    let isShort = text.count <= 40
    let hash = isShort ? ValueHash.hash(text, isNumber: true) : nil
    places[place].numbers.take(text, hash)
    if let hash, places[place].numbers.areIntegers { addKey(hash, at: place) } else { places[place].column.hasOthers = true }
  }

  @inline(__always)
  private mutating func takeText(_ text: ByteView, at place: Int) {
    let hash = text.count <= ValueHash.lengthLimit ? ValueHash.hash(text, isNumber: false) : nil
    places[place].texts.take(text, hash)
    if let hash { addKey(hash, at: place) } else { places[place].column.hasOthers = true }
  }

  @inline(__always)
  private mutating func addKey(_ hash: UInt64, at place: Int) {
    if places[place].column.hasOthers { return }
    if places[place].column.count == 0, !takesSketch() { return places[place].column.hasOthers = true }
    places[place].column.count += 1
    places[place].column.sketch.insert(hash)
  }

  private mutating func takesSketch() -> Bool {
    sketchCount += 1
    return sketchCount <= Self.sketchLimit
  }

  // MARK: Parts and documents

  /// An observation of items of the innermost open array, which begins now.
  package static func ofItems() -> DocumentObservation {
    var part = DocumentObservation()
    // An array around the items, so that they are counted.
    part.places.append(Place())
    part.places[0].items = 1
    part.open = [Open(place: 0, isObject: false)]
    return part
  }

  /// Adds the next items of the innermost open array.
  package mutating func merge(items part: DocumentObservation) {
    guard ignoredDepth == 0, let array = open.last, !array.isObject else { return }
    open[open.count - 1].items += part.open.first?.items ?? 0
    deepCount += part.deepCount
    let place = items(of: array.place)
    if place >= 0 { merge(part, 1, into: place) }
  }

  /// - Parameters:
  ///   - index: the place of the part.
  ///   - place: the same place here.
  private mutating func merge(_ part: DocumentObservation, _ index: Int, into place: Int) {
    let other = part.places[index]
    let objectsBefore = places[place].objects
    places[place].nulls += other.nulls
    places[place].falses += other.falses
    places[place].trues += other.trues
    places[place].arrays += other.arrays
    places[place].objects += other.objects
    places[place].numbers.merge(other.numbers)
    places[place].texts.merge(other.texts)
    mergeColumn(other.column, into: place)
    places[place].minimumItems = min(places[place].minimumItems, other.minimumItems)
    places[place].maximumItems = max(places[place].maximumItems, other.maximumItems)
    if other.items >= 0 {
      let items = items(of: place)
      if items >= 0 { merge(part, other.items, into: items) }
    }
    mergeMembers(of: other, part, into: place, objectsBefore)
  }

  private mutating func mergeColumn(_ column: KeyColumn, into place: Int) {
    if places[place].numbers.count > 0, !places[place].numbers.areIntegers { places[place].column.hasOthers = true }
    if column.count > 0, places[place].column.count == 0, !takesSketch() { places[place].column.hasOthers = true }
    if places[place].column.hasOthers || column.hasOthers {
      places[place].column.hasOthers = true
      places[place].column.sketch = ValueSketch()
      return
    }
    places[place].column.merge(column)
  }

  private mutating func mergeMembers(
    of other: Place, _ part: DocumentObservation, into place: Int, _ objectsBefore: Int
  ) {
    // The members here, by index there.
    var known: [Int] = []
    var previous = -1
    for member in other.members {
      let index = places[place].index(of: member, expected: known.count)
      if index >= 0 {
        places[place].members[index].presence += member.presence
        merge(part, member.place, into: places[place].members[index].place)
        known.append(index)
      } else if places[place].members.count < Self.memberLimit, let new = newPlace() {
        previous = member.predecessor < 0 ? -1 : known[member.predecessor]
        var member = member
        merge(part, member.place, into: new)
        member.place = new
        member.predecessor = previous
        places[place].append(member)
        known.append(places[place].members.count - 1)
      } else {
        places[place].otherCount += member.presence
        let others = others(of: place)
        if others >= 0 { merge(part, member.place, into: others) }
        known.append(-1)
      }
    }
    places[place].otherCount += other.otherCount
    if other.others >= 0 {
      let others = others(of: place)
      if others >= 0 { merge(part, other.others, into: others) }
    }
  }

  /// Called at a document's end: what holds in each document is decided now.
  package mutating func endDocument(bytes: Int) {
    documentCount += 1
    byteCount += bytes
    relations.endDocument(&places)
    for index in places.indices {
      places[index].column.endDocument()
      places[index].lastItemCount = nil
      places[index].numbers.lastInteger = nil
    }
    sketchCount = 0
    open = []
    next = 0
    ignoredDepth = 0
  }

  /// Merges a place into another one, of the same documents.
  mutating func fold(_ index: Int, into place: Int) {
    let copy = self
    merge(copy, index, into: place)
  }
}

extension Place {
  /// Returns the index of a member with this name, or -1. Parts of a document have their members mostly in the same order.
  fileprivate func index(of member: Member, expected: Int) -> Int {
    if expected < members.count, members[expected].name == member.name { return expected }
    return members.firstIndex { $0.head == member.head && $0.tail == member.tail && $0.name == member.name } ?? -1
  }
}
