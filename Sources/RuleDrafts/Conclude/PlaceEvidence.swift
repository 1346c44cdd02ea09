import Findings
import JSONEvents
import Rules

/// The evidence for the rules of a place, as a comment.
///
///     1,204,331 values, 12 distinct, 3 to 90. Confidence: high.
struct PlaceEvidence {
  private let place: Place
  private let documentCount: Int

  init(_ place: Place, documentCount: Int) {
    self.place = place
    self.documentCount = documentCount
  }

  /// - Parameter relation: the evidence for the relation of the values to others.
  func comment(with relation: String?) -> String? {
    guard place.count > 0 else { return nil }
    // Objects show their evidence in their members.
    if place.objects == place.count { return place.count.counted("object") }
    let parts = [counts, distinctCount, range, itemCounts, relation].compactMap(\.self)
    return parts.joined(separator: ", ") + ". " + Confidence(values: place.count).sentence
  }

  private var counts: String {
    let count = place.count.counted(place.arrays == place.count ? "array" : "value")
    return place.nulls > 0 ? "\(count), \(place.nulls.grouped) null" : count
  }

  private var distinctCount: String? {
    if place.texts.count > 0, place.numbers.count > 0 { return nil }
    if place.texts.count > 0, !place.texts.tally.isOver { return "\(place.texts.tally.values.count.grouped) distinct" }
    if place.numbers.count > 0, !place.numbers.tally.isOver { return "\(place.numbers.tally.values.count.grouped) distinct" }
    let column = place.column
    if column.documents == 0 || column.hasOthers { return nil }
    let count = column.largestDistinctCount
    let distinct = "\(column.isCountExact ? "" : "about ")\(count.grouped) distinct"
    return documentCount > 1 ? "up to \(distinct) in a document" : distinct
  }

  private var range: String? {
    if place.numbers.count > 0 {
      guard place.numbers.minimum < place.numbers.maximum, let range = place.numbers.range else { return nil }
      return "\(range.minimum) to \(range.maximum)"
    }
    guard let format = place.texts.formats.first, let range = place.texts.range(as: format),
      range.earliest != range.latest
    else { return nil }
    return "\(range.earliest) to \(range.latest)"
  }

  private var itemCounts: String? {
    guard place.arrays > 0, place.maximumItems > 0 else { return nil }
    let most = place.maximumItems.counted("item")
    return place.minimumItems == place.maximumItems ? most : "\(place.minimumItems.grouped) to \(most)"
  }
}

extension TextStatistics {
  /// The first and the last of the points in time, written in a format that all texts have.
  func range(as format: StringFormat) -> (earliest: String, latest: String)? {
    guard format.isPointInTime, let earliest, let latest else { return nil }
    // `2026-06-01T00:00:00Z`
    func text(_ instant: Instant) -> String { format == .date ? String("\(instant)".prefix { $0 != "T" }) : "\(instant)" }
    return (text(earliest), text(latest))
  }
}

/// Where places are: their pointers, and the collections that hold them.
struct PlaceMap: Sendable {
  struct Collection: Sendable {
    /// The place of the array, and of the records in it.
    let array: Int
    let record: Int
    /// The array's pointer, with `*` for any item.
    let pointer: String
    /// The words of the last name in it.
    let words: [String]
    /// True if it isn't part of another collection.
    let isOutermost: Bool
  }

  private(set) var collections: [Collection] = []
  private(set) var pointers: [Int: String] = [:]
  /// The places that a document has at most once.
  private(set) var single: Set<Int> = []

  init(_ places: ContiguousArray<Place>) { walk(places, 0, "", "", isSingle: true, isNamed: true) }

  /// - Parameters:
  ///   - name: the last name that leads to the place.
  ///   - isSingle: true if a document has the place at most once.
  ///   - isNamed: true if rules can refer to the place: no name that leads there is data, or `*`.
  private mutating func walk(
    _ places: ContiguousArray<Place>, _ place: Int, _ pointer: String, _ name: String, isSingle: Bool, isNamed: Bool
  ) {
    pointers[place] = pointer
    if isSingle { single.insert(place) }
    for member in places[place].orderedMembers {
      let name = member.string
      // In the pointers of rules, `*` means any item, never a member of that name.
      walk(
        places, member.place, pointer + "/" + name.pointerToken, name, isSingle: isSingle, isNamed: isNamed && name != "*")
    }
    if places[place].others >= 0 {
      walk(places, places[place].others, pointer + "/{name}", name, isSingle: false, isNamed: false)
    }
    let items = places[place].items
    if items >= 0 {
      // Keys and references apply to arrays of records. At an object, they would check nothing.
      if places[items].objects > 0, places[place].objects == 0, isNamed {
        collections.append(
          Collection(array: place, record: items, pointer: pointer, words: NameWords(name).words, isOutermost: isSingle))
      }
      walk(places, items, pointer + "/*", name, isSingle: false, isNamed: isNamed)
    }
  }

  /// The words of the last name with letters that leads to a place.
  func nameWords(of place: Int) -> NameWords {
    let tokens = pointer(of: place).pointerTokens ?? []
    return NameWords(tokens.last { $0 != "{name}" && $0.contains(where: \.isLetter) } ?? "")
  }

  func pointer(of place: Int) -> String { pointers[place] ?? "" }

  func collection(ofRecord record: Int) -> Collection? { collections.first { $0.record == record } }
}

/// Recognises objects whose members' names are data, such as ids or dates, and makes one place of their values.
///
///     { "2026-01-01": 3, "2026-01-02": 5, … }   ─▶   one place for all values
enum MapFolding {
  static func fold(_ observation: inout DocumentObservation) {
    var index = 0
    // Folding adds places.
    while index < observation.places.count {
      if isMap(observation.places[index]) { fold(index, &observation) }
      index += 1
    }
  }

  private static func fold(_ index: Int, _ observation: inout DocumentObservation) {
    let members = observation.places[index].members
    if observation.places[index].others < 0 {
      observation.places.append(Place())
      observation.places[index].others = observation.places.count - 1
    }
    observation.places[index].members = []
    observation.places[index].otherCount += members.reduce(0) { $0 + $1.presence }
    for member in members { observation.fold(member.place, into: observation.places[index].others) }
  }

  private static func isMap(_ place: Place) -> Bool {
    let members = place.members
    if members.isEmpty { return false }
    if members.count >= DocumentObservation.memberLimit, place.otherCount > 0 { return true }
    if members.count >= 4, members.allSatisfy({ isData($0.name.bytes) }) { return true }
    guard members.count >= 16, place.objects > 1 else { return false }
    let presence = members.reduce(0) { $0 + $1.presence }
    return Double(presence) < 0.3 * Double(members.count) * Double(place.objects)
  }

  /// Numbers, dates and UUIDs.
  private static func isData(_ name: [UInt8]) -> Bool {
    if !name.isEmpty, name.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) { return true }
    return ByteView.with(String(decoding: name, as: UTF8.self)) { text in
      [StringFormat.uuid, .date, .dateTime].contains { $0.accepts(text) }
    }
  }
}
