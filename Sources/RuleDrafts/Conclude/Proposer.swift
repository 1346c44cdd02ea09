import Findings
import JSONEvents
import Rules

/// Proposes the rules between values: keys, references, counts, sums and orders.
struct Proposer {
  let places: ContiguousArray<Place>
  let relations: Relations
  let documentCount: Int
  let map: PlaceMap
  let strictness: DraftStrictness
  private(set) var proposals: [Proposal] = []
  private(set) var notes: [DraftNote] = []
  /// The fields that are proposed as primary keys, by record, and the places of all proposed keys.
  var primary: [Int: String] = [:]
  var unique: Set<Int> = []
  private static let limit = 200

  init(_ observation: DocumentObservation, _ map: PlaceMap, _ options: DraftOptions) {
    places = observation.places
    relations = observation.relations
    documentCount = observation.documentCount
    self.map = map
    strictness = options.strictness
  }

  mutating func propose() {
    for collection in map.collections { proposeKeys(of: collection) }
    for place in places.indices where map.pointers[place] != nil && places[place].objects > 0 {
      guard places[place].items >= 0, places[places[place].items].objects > 0 else { continue }
      note(
        place,
        "no keys and references: \(places[place].objects.grouped) of \(places[place].count.counted("value")) are objects, not arrays"
      )
    }
    proposeReferences()
    proposeCounts()
    for place in places.indices where map.pointers[place] != nil && places[place].objects > 0 {
      proposeSums(of: place)
      proposeOrders(of: place)
    }
  }

  /// - Parameters:
  ///   - place: the place of the rule's values.
  ///   - name: the rule in notes.
  ///   - evidence: what suggests the rule.
  ///   - count: the number of values that could have contradicted it.
  ///   - rank: the order among the proposals for one subject.
  mutating func add(
    _ kind: Proposal.Kind, at place: Int, _ name: String, _ evidence: String, count: Int? = nil, rank: Int = 0
  ) {
    guard proposals.count < Self.limit else {
      return note(place, "no \(name): not tried, because the limit of \(Self.limit) rules between values is reached")
    }
    let evidence = count.map { "\(evidence). \(Confidence(values: $0).sentence)" } ?? evidence
    proposals.append(Proposal(kind: kind, pointer: map.pointer(of: place), name: name, evidence: evidence, rank: rank))
  }

  mutating func note(_ place: Int, _ message: String) {
    notes.append(DraftNote(pointer: map.pointer(of: place), message: message))
  }

  // MARK: Columns

  /// True if the values can be keys: strings or integers, and nothing else but null.
  func canBeKey(_ place: Place) -> Bool {
    guard place.column.documents > 0, !place.column.hasOthers, place.falses + place.trues + place.arrays + place.objects == 0
    else { return false }
    return place.texts.count == 0 || place.numbers.count == 0
  }

  func isUnique(_ place: Place) -> Bool { place.column.uniqueDocuments == place.column.documents }

  func hasTime(_ place: Place) -> Bool { place.texts.formats.contains { $0.isTemporal } }

  func valueCount(_ place: Place) -> Int { place.count - place.nulls }
}
