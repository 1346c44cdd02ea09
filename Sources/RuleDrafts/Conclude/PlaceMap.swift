import Findings
import JSONEvents
import Rules

/// Where places are: their pointers, and the collections that hold them.
struct PlaceMap: Sendable {
  struct Collection: Sendable {
    /// The place of the array, or of the object that stores records by id, and of the records in it.
    let place: Int
    let record: Int
    /// True if it is an object: the records' names identify them.
    let isMap: Bool
    /// The collection's pointer, with `*` for any item or member.
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

  init(_ places: ContiguousArray<ValueStatistics>) { walk(places, 0, "", "", isSingle: true, isNamed: true) }

  /// Names that don't say what they hold: `users/byId`.
  private static let holders: Set = ["byid", "entities", "items"]

  /// - Parameters:
  ///   - shown: the last name that leads to the place and says what is there.
  ///   - isSingle: true if a document has the place at most once.
  ///   - isNamed: true if rules can refer to the place: no name that leads there is data, or `*`.
  private mutating func walk(
    _ places: ContiguousArray<ValueStatistics>, _ place: Int, _ pointer: String, _ shown: String, isSingle: Bool, isNamed: Bool
  ) {
    pointers[place] = pointer
    if isSingle { single.insert(place) }
    for member in places[place].orderedMembers {
      let name = member.string
      // In the pointers of rules, `*` means any item, never a member of that name.
      let isHolder = Self.holders.contains(name.lowercased()) && !shown.isEmpty
      walk(
        places, member.place, pointer + "/" + name.pointerToken, isHolder ? shown : name, isSingle: isSingle,
        isNamed: isNamed && name != "*")
    }
    func addCollection(of records: Int, isMap: Bool) {
      collections.append(
        Collection(
          place: place, record: records, isMap: isMap, pointer: pointer, words: NameWords(shown).words, isOutermost: isSingle))
    }
    let (others, items) = (places[place].others, places[place].items)
    if others >= 0 {
      let isMap = isMap(place, places)
      if isMap, places[others].objects > 0, isNamed { addCollection(of: others, isMap: true) }
      walk(places, others, pointer + "/*", shown, isSingle: false, isNamed: isNamed && isMap)
    }
    if items >= 0 {
      // Where objects may be, too, `*` would mean their members as well.
      if places[items].objects > 0, places[place].objects == 0, isNamed { addCollection(of: items, isMap: false) }
      walk(places, items, pointer + "/*", shown, isSingle: false, isNamed: isNamed && others < 0)
    }
  }

  /// The words of the last name with letters that leads to a place.
  func nameWords(of place: Int) -> NameWords {
    let tokens = pointer(of: place).pointerTokens ?? []
    return NameWords(tokens.last { $0.contains(where: \.isLetter) } ?? "")
  }

  /// True for an object that stores values by id.
  func isMap(_ place: Int, _ places: ContiguousArray<ValueStatistics>) -> Bool {
    places[place].isMap && places[place].objects == places[place].count
  }

  func pointer(of place: Int) -> String { pointers[place] ?? "" }

  func collection(ofRecord record: Int) -> Collection? { collections.first { $0.record == record } }
}

/// Recognises objects whose members' names are data, such as ids or dates, and makes one place of their values.
///
///     { "2026-01-01": 3, "2026-01-02": 5, … }   ─▶   one place for all values
extension DocumentObservation {
  /// Recognises them at a document's end. An object that was a map in one document is one in all later ones.
  mutating func foldMaps() {
    var index = 0
    // Folding adds places.
    while index < places.count {
      if !places[index].isMap, isMap(places[index]) { foldMembers(of: index) }
      index += 1
    }
  }

  mutating func foldMembers(of index: Int) {
    if places[index].others < 0 {
      places.append(ValueStatistics())
      places[index].others = places.count - 1
    }
    for member in places[index].takeMembers() { add(member, of: nil, toMap: index) }
  }

  func isMap(_ place: ValueStatistics) -> Bool {
    let members = place.members
    if members.isEmpty { return false }
    if members.count >= DocumentObservation.memberLimit, place.otherCount > 0 { return true }
    if members.allSatisfy({ Self.isData($0.name.bytes) }) { return true }
    // `u17` and `u18`, but `line1` and `line2` only if there are three.
    let digits = members.map { $0.name.bytes.count(where: Self.isDigit) }.min() ?? 0
    if members.count >= (digits > 2 ? 2 : 3), digits > 0, areAlike(members, share: 0.4) { return true }
    guard members.count >= 12 else { return false }
    if areAlike(members, share: 0.8) { return true }
    guard members.count >= 16, place.objects > 1 else { return false }
    let presence = members.reduce(0) { $0 + $1.presence }
    return Double(presence) < 0.3 * Double(members.count) * Double(place.objects)
  }

  /// True if the values are objects with the same members: records that are stored by id.
  ///
  /// - Parameter share: how many of all these members an object has, at least on average.
  private func areAlike(_ members: some Collection<ValueStatistics.Member>, share: Double) -> Bool {
    var presence: [[UInt8]: Int] = [:]
    var objects = 0
    for member in members {
      let place = places[member.place]
      guard place.objects > 0, place.objects == place.count, place.otherCount == 0 else { return false }
      objects += place.objects
      for inner in place.members { presence[inner.name.bytes, default: 0] += inner.presence }
    }
    return presence.count >= 2 && Double(presence.values.reduce(0, +)) >= share * Double(presence.count) * Double(objects)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// Numbers, dates and UUIDs.
  private static func isData(_ name: [UInt8]) -> Bool {
    if !name.isEmpty, name.allSatisfy(isDigit) { return true }
    return ByteView.with(String(decoding: name, as: UTF8.self)) { text in
      [StringFormat.uuid, .date, .dateTime].contains { $0.accepts(text) }
    }
  }
}
