import Findings
package import JSONEvents

/// A tree of places, and what was observed of the values at each: made from the events of documents, or parts of them.
///
///     { "cars": [ { "id": 1, "name": "Van" }, … ] }
///     root ─ cars ─ items ─┬ id      numbers 1 … 57, all distinct
///                          └ name    texts, 12 distinct
///
/// Parts are observed on all threads, and merged in document order.
///
/// Memory: up to 5000 places of 1 KiB, each with up to 64 distinct values (8 KiB), 1000 sketches of 32 KiB, and 400 KiB for each object with
/// 64 members, of which there are 77: 110 MiB. What exceeds the limits, such as the millionth member of an object, is observed as one place, or
/// counted.
package struct DocumentObservation: Sendable {
  var places: ContiguousArray<ValueStatistics> = [ValueStatistics()]
  /// The innermost open container; outside of the root, an object whose next member is the root.
  var top = Open(place: -1, isObject: true)
  /// The containers around it.
  private(set) var outer: ContiguousArray<Open> = []
  /// The place of the next value, or -1 if it isn't observed.
  private var next = 0
  /// The number of open containers that are not observed.
  private(set) var ignoredDepth = 0
  /// The number of values that are too deep to be observed, or beyond the limit of places.
  var unobservedCount = 0
  /// The number of containers around the outermost one in `outer`.
  var outerDepth = 0
  private var sketchCount = 0
  /// The number of documents that have ended.
  private(set) package var documentCount = 0
  /// The number of bytes of these documents.
  private(set) package var byteCount = 0
  var relations = Relations()

  private static let depthLimit = 48
  static let memberLimit = 256
  /// The drafted rules must not exceed `JSONValue.sizeLimit`.
  private static let placeLimit = 5000
  private static let nameLimit = 128
  /// The number of members from which an object may be recognised as a map before the document's end.
  private static let mapCheck = 32
  private static let sketchLimit = 1000

  struct Open {
    var place: Int
    var isObject: Bool
    /// The last member of the object.
    var member = -1
    /// The number of items of the array.
    var items = 0
  }

  package init() {}

  // MARK: Events

  package mutating func consume(_ batch: EventBatch) {
    var index = 0
    while index < batch.count {
      let event = batch[index]
      switch event.kind {
      case .key: if ignoredDepth == 0 { consumeName(batch.text(of: event)) }
      case .objectStart: begin(isObject: true)
      case .arrayStart: begin(isObject: false)
      case .objectEnd, .arrayEnd: end()
      case .null, .false, .true, .number, .string: if ignoredDepth == 0 { consumeScalar(event, batch) }
      }
      index += 1
    }
  }

  @inline(__always)
  private mutating func consumeName(_ name: ByteView) {
    let found = places[top.place].find(name, after: top.member)
    if found.member >= 0 {
      top.member = found.member
      next = found.place
    } else {
      addMember(name)
    }
  }

  @inline(never)
  private mutating func addMember(_ name: ByteView) {
    let place = top.place
    next = -1
    // Ids take up places only until they are recognised.
    let count = places[place].members.count
    if count >= Self.mapCheck, count & (count - 1) == 0, isMap(places[place]) {
      foldMembers(of: place)
      top.member = -1
    }
    if places[place].isMap {
      places[place].otherCount += 1
      addName(name, to: place)
      next = others(of: place)
    } else if places[place].members.count < Self.memberLimit, name.count <= Self.nameLimit, let new = newPlace() {
      top.member = places[place].add(name, at: new, after: top.member)
      next = new
    } else {
      places[place].otherCount += 1
      next = others(of: place)
    }
  }

  /// Adds the name of a member to those of a map.
  ///
  /// - Parameter name: a text that is followed by eight readable bytes.
  mutating func addName(_ name: ByteView, to map: Int) {
    let hash = name.count <= ValueHash.lengthLimit ? ValueHash.hash(name, isNumber: false) : nil
    if places[map].column.add(hash) { countColumn(map) }
  }

  /// The place of an object's members beyond the limit, or of all members of a map.
  mutating func others(of place: Int) -> Int {
    if places[place].others < 0, let new = newPlace() { places[place].others = new }
    return places[place].others
  }

  mutating func newPlace() -> Int? {
    guard places.count < Self.placeLimit else { return nil }
    places.append(ValueStatistics())
    return places.count - 1
  }

  /// Returns the place of a value that begins now, or -1, and counts an item.
  @inline(__always)
  private mutating func placeOfValue() -> Int {
    if top.isObject { return next }
    top.items += 1
    return items(of: top.place)
  }

  @inline(__always)
  mutating func items(of place: Int) -> Int {
    if places[place].items < 0, let new = newPlace() { places[place].items = new }
    return places[place].items
  }

  private mutating func begin(isObject: Bool) {
    let place = ignoredDepth > 0 ? -1 : placeOfValue()
    if place >= 0 {
      if isObject { places[place].objects += 1 } else { places[place].arrays += 1 }
      places[place].lastKind = isObject ? .objectStart : .arrayStart
    }
    guard place >= 0, outerDepth + outer.count < Self.depthLimit else {
      if ignoredDepth == 0 { unobservedCount += 1 }
      return ignoredDepth += 1
    }
    outer.append(top)
    top = Open(place: place, isObject: isObject)
  }

  private mutating func end() {
    if ignoredDepth > 0 { return ignoredDepth -= 1 }
    if !top.isObject {
      places[top.place].endArray(of: top.items)
    } else if places[top.place].whole.isWanted {
      endObject(at: top.place)
    }
    top = outer.removeLast()
  }

  /// Counts an object that ends.
  private mutating func endObject(at place: Int) {
    var present: UInt64 = 0
    // There are at most 64 members.
    for (index, member) in places[place].members.enumerated()
    where places[place].isInLastObject(index) && places[member.place].lastKind != .null {
      present |= 1 << UInt64(index)
    }
    // Taken out of the array, which the statistics read.
    var whole = ObjectStatistics()
    swap(&whole, &places[place].whole)
    whole.count(present, places[place].members, in: places)
    swap(&whole, &places[place].whole)
  }

  @inline(__always)
  private mutating func consumeScalar(_ event: Event, _ batch: EventBatch) {
    let place = placeOfValue()
    guard place >= 0 else { return unobservedCount += 1 }
    places[place].lastKind = event.kind
    switch event.kind {
    case .null: places[place].nulls += 1
    case .false: places[place].falses += 1
    case .true: places[place].trues += 1
    case .number: if places[place].addNumber(batch.text(of: event)) { countColumn(place) }
    default: if places[place].addText(batch.text(of: event)) { countColumn(place) }
    }
  }

  /// Counts a column that has its first value in the document.
  private mutating func countColumn(_ place: Int) {
    if !takesSketch() { places[place].column.giveUp() }
  }

  /// Returns false if the limit of sketches is reached.
  mutating func takesSketch() -> Bool {
    sketchCount += 1
    return sketchCount <= Self.sketchLimit
  }

  // MARK: Documents

  /// Called at a document's end: what holds in each document is decided now.
  package mutating func endDocument(bytes: Int) {
    documentCount += 1
    byteCount += bytes
    foldMaps()
    for index in places.indices { places[index].column.sketch.settle() }
    relations.endDocument(places)
    for index in places.indices {
      places[index].column.endDocument()
      places[index].lastItemCount = nil
      places[index].numbers.lastInteger = nil
      places[index].order.endDocument()
    }
    sketchCount = 0
    top = Open(place: -1, isObject: true)
    outer = []
    next = 0
    ignoredDepth = 0
  }

  /// Notes about what was not observed.
  var limitNotes: [DraftNote] {
    guard unobservedCount > 0 else { return [] }
    let values = unobservedCount.counted("value is", "values are")
    return [
      DraftNote(
        pointer: "",
        message:
          "\(values) not described: nested more than \(Self.depthLimit) deep, or beyond the limit of \(Self.placeLimit.grouped) places"
      )
    ]
  }
}

/// Parts of a document, which are observed on other threads, and places of one document that turn out to be one.
extension DocumentObservation {
  /// An observation of further items of the innermost open array, which has none yet.
  package var partForItems: DocumentObservation {
    var part = DocumentObservation()
    part.outerDepth = outerDepth + outer.count
    if ignoredDepth == 0, !top.isObject {
      part.places = ContiguousArray(places.map(\.blank))
      part.top = Open(place: top.place, isObject: false)
    } else {
      // An array around the items, so that they are counted.
      part.top = Open(place: 0, isObject: false)
    }
    return part
  }

  /// Adds the next items of the innermost open array.
  package mutating func merge(items part: DocumentObservation) {
    guard ignoredDepth == 0, !top.isObject else { return }
    top.items += part.top.items
    unobservedCount += part.unobservedCount
    let (place, items) = (items(of: top.place), part.places[part.top.place].items)
    if place >= 0, items >= 0 { merge(part.places, items, into: place) }
  }

  /// Adds a member to a map.
  ///
  /// - Parameter part: the places of another part of the document, or `nil` for these places.
  mutating func add(_ member: ValueStatistics.Member, of part: ContiguousArray<ValueStatistics>?, toMap map: Int) {
    places[map].otherCount += member.presence
    // A hash reads eight bytes at a time.
    let name = member.name.bytes + Array(repeating: 0, count: 8)
    name.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      // Names that occur again are no keys.
      for _ in 0..<min(2, member.presence) { addName(ByteView(start, count: bytes.count - 8), to: map) }
    }
    let others = others(of: map)
    if others >= 0 { merge(part, member.place, into: others) }
  }

  /// - Parameters:
  ///   - part: the places of another part of the document, or `nil` for these places.
  ///   - index: a place of the part.
  ///   - place: the same place here.
  private mutating func merge(_ part: ContiguousArray<ValueStatistics>?, _ index: Int, into place: Int) {
    let other = part?[index] ?? places[index]
    if part == nil {
      if other.column.count > 0, !other.column.hasOthers { sketchCount -= 1 }
      places[index] = ValueStatistics()
    }
    places[place].merge(other)
    if other.isMap, !places[place].isMap { foldMembers(of: place) }
    mergeColumn(other.column, into: place)
    if other.items >= 0 {
      let items = items(of: place)
      if items >= 0 { merge(part, other.items, into: items) }
    }
    mergeMembers(of: other, part, into: place)
  }

  private mutating func mergeColumn(_ column: KeyColumn, into place: Int) {
    let hasNonIntegers = !places[place].numbers.areIntegers
    if hasNonIntegers || column.hasOthers { return places[place].column.giveUp() }
    if column.count > 0, places[place].column.count == 0, !takesSketch() { return places[place].column.giveUp() }
    places[place].column.merge(column)
  }

  private mutating func mergeMembers(of other: ValueStatistics, _ part: ContiguousArray<ValueStatistics>?, into place: Int) {
    // The members here, by index there.
    var known: [Int] = []
    for member in other.members {
      if places[place].isMap {
        add(member, of: part, toMap: place)
        known.append(-1)
        continue
      }
      let index = places[place].index(of: member, expected: known.count)
      if index >= 0 {
        places[place].members[index].presence += member.presence
        merge(part, member.place, into: places[place].members[index].place)
        known.append(index)
      } else if places[place].members.count < Self.memberLimit, let new = newPlace() {
        merge(part, member.place, into: new)
        places[place].append(member, at: new, after: member.predecessor < 0 ? -1 : known[member.predecessor])
        known.append(places[place].members.count - 1)
      } else {
        places[place].otherCount += member.presence
        let others = others(of: place)
        if others >= 0 { merge(part, member.place, into: others) }
        known.append(-1)
      }
    }
    if other.others >= 0 {
      let others = others(of: place)
      if others >= 0 { merge(part, other.others, into: others) }
    }
    places[place].whole.merge(other.whole, members: known)
  }
}

extension ValueStatistics {
  /// Returns the index of a member with this name, or -1. Parts of a document have their members mostly in the same order.
  fileprivate func index(of member: Member, expected: Int) -> Int {
    if expected < members.count, members[expected].name == member.name { return expected }
    return members.firstIndex { $0.name == member.name } ?? -1
  }
}

/// Why a rule was not concluded.
package struct DraftNote: Sendable, Hashable {
  /// The place of the values, as a JSON Pointer with `*` for any item.
  package let pointer: String
  package let message: String
}
