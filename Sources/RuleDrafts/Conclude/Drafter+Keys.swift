import Findings
import JSONEvents
import Rules

/// Proposes the rules between values: keys, references, counts, sums, orders and conditions.
extension Drafter {
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
      noteCounts(in: place)
      proposeOrders(of: place)
      proposeConditions(of: place)
    }
    for collection in map.collections { proposeSorting(of: collection) }
  }

  // MARK: Columns

  /// True if the values can be keys: strings or integers, and nothing else but null.
  func canBeKey(_ place: ValueStatistics) -> Bool {
    guard place.column.documents > 0, !place.column.hasOthers, place.falses + place.trues + place.arrays + place.objects == 0
    else { return false }
    return place.texts.count == 0 || place.numbers.count == 0
  }

  func isUnique(_ place: ValueStatistics) -> Bool { place.column.uniqueDocuments == place.column.documents }

  func hasTime(_ place: ValueStatistics) -> Bool { place.texts.formats.contains { $0.isTemporal } }

  func valueCount(_ place: ValueStatistics) -> Int { place.count - place.nulls }
}

/// A rule between values, which the observation suggests and only a second reading of the documents can prove.
struct Proposal: Sendable {
  enum Kind: Sendable {
    /// A field of the records at `record` is unique. Fields are reference tokens of JSON Pointers, or several with slashes.
    case unique(record: Int, field: String, isPrimary: Bool, acrossArrays: Bool)
    /// The values of a field are keys of other collections; without a field, the names of an object's members.
    case reference(record: Int, fields: String, targets: [(resource: String, field: String?)])
    /// The number at `place` is that of an array's items.
    case count(place: Int, array: String)
    /// The number at `place` is the sum of others.
    case sum(place: Int, values: String)
    /// The value at `place` is no earlier or smaller than a field of the same object.
    case order(place: Int, field: String, format: StringFormat?)
    /// Members of the objects at `object` depend on another one.
    case condition(object: Int, number: Int, MemberCondition)
    /// The records of an array ascend or descend by a field, which is a reference token.
    case sorting(array: Int, field: String, isDescending: Bool, comparesInstants: Bool)
  }

  /// What a proposal is about. Of several proposals for one subject, the draft has the first that is not refuted.
  enum Subject: Hashable {
    case key(record: Int, field: String)
    case reference(record: Int, fields: String)
    case value(place: Int)
    case condition(object: Int, number: Int)
    case sorting(array: Int)
  }

  let kind: Kind
  /// The pointer of the rule's value, with `*` for any item.
  let pointer: String
  /// The rule in notes, such as `unique key` or `reference to /cars by id`.
  let name: String
  /// The evidence, for the comment.
  let evidence: String
  /// The order among the proposals for one subject.
  var rank = 0

  var subject: Subject {
    switch kind {
    case .unique(let record, let field, _, _): .key(record: record, field: field)
    case .reference(let record, let fields, _): .reference(record: record, fields: fields)
    case .count(let place, _), .sum(let place, _), .order(let place, _, _): .value(place: place)
    case .condition(let object, let number, _): .condition(object: object, number: number)
    case .sorting(let array, _, _, _): .sorting(array: array)
    }
  }

  var isAboutKeys: Bool {
    switch subject {
    case .key, .reference: true
    case .value, .condition, .sorting: false
    }
  }

  /// The code of the findings that refute it.
  static func code(_ number: Int) -> String { codePrefix + "\(number)" }
  static let codePrefix = "draft-"
}

/// Keys: a field whose values no two records of a collection share.
extension Drafter {
  mutating func proposeKeys(of collection: PlaceMap.Collection) {
    let members = places[collection.record].orderedMembers.filter { !$0.name.bytes.isEmpty && $0.string != "*" }
    if collection.isMap { return proposeID(among: members, of: collection) }
    var best: (member: ValueStatistics.Member, score: Int)?
    for member in members {
      let score = primaryScore(member, of: collection)
      if score > best?.score ?? 0 { best = (member, score) }
    }
    if let best { proposePrimary(best.member, of: collection) }
    for member in members where member.place != best?.member.place { proposeUnique(member, of: collection) }
    if best == nil, collection.isOutermost {
      note(collection.place, "no primary key: no field that is named like an id is unique")
    }
  }

  /// Proposes that records in a map, which their names identify, also have unique ids.
  private mutating func proposeID(among members: [ValueStatistics.Member], of collection: PlaceMap.Collection) {
    let id = members.first { NameWords($0.string).isPlainIdentifier && canBeKey(places[$0.place]) && isUnique(places[$0.place]) }
    guard let id else { return }
    primary[collection.record] = id.string
    unique.insert(id.place)
    proposeKey(id, of: collection, isPrimary: false, acrossArrays: false)
  }

  /// - Returns: 0 for a field that isn't a primary key.
  private func primaryScore(_ member: ValueStatistics.Member, of collection: PlaceMap.Collection) -> Int {
    let place = places[member.place]
    let words = NameWords(member.string)
    guard canBeKey(place), words.isIdentifier || words.words.last == "code" else { return 0 }
    // In an array inside records, keys may be unique per array.
    guard isUnique(place) || !collection.isOutermost && words.isPlainIdentifier else { return 0 }
    if words.isPlainIdentifier { return 100 }
    let name = collection.words
    if let last = name.last, words.stem == [last] || words.stem == name { return 80 }
    // A reference may be unique by chance.
    let refersElsewhere = map.collections.contains { $0.record != collection.record && words.shares($0.words) }
    if refersElsewhere { return words.shares(name) ? 60 : referenceScore(collection) }
    return words.shares(name) ? 70 : place.column.largestDistinctCount >= 3 ? 40 : 0
  }

  /// A reference is the key of a collection of details, with one record for each of another.
  private func referenceScore(_ collection: PlaceMap.Collection) -> Int {
    let records = places[collection.record].objects
    return strictness != .loose && (records >= 10 * observation.documentCount || records >= 50) ? 30 : 0
  }

  private mutating func proposePrimary(_ member: ValueStatistics.Member, of collection: PlaceMap.Collection) {
    let place = places[member.place]
    primary[collection.record] = member.string
    unique.insert(member.place)
    let isComplete = member.presence == places[collection.record].objects && place.nulls == 0
    let isAcrossArrays = !collection.isOutermost && isUnique(place) && isInSeveralArrays(collection, place)
    proposeKey(member, of: collection, isPrimary: isComplete, acrossArrays: isAcrossArrays)
    // Unique per array, if not across all.
    if isAcrossArrays { proposeKey(member, of: collection, isPrimary: isComplete, acrossArrays: false, rank: 1) }
    if !isComplete {
      let missing = places[collection.record].objects - member.presence + place.nulls
      note(member.place, "no primary key, only a unique key: \(missing.counted("record")) lack\(missing == 1 ? "s" : "") a value")
    }
  }

  /// True if several arrays of a document have records. The ids of one array are unique, though each may count from 1.
  private func isInSeveralArrays(_ collection: PlaceMap.Collection, _ ids: ValueStatistics) -> Bool {
    ids.texts.formats.contains(.uuid)
      || places[collection.record].objects > places[collection.place].maximumItems * observation.documentCount
  }

  private mutating func proposeKey(
    _ member: ValueStatistics.Member, of collection: PlaceMap.Collection, isPrimary: Bool, acrossArrays: Bool, rank: Int = 0
  ) {
    let count = valueCount(places[member.place])
    add(
      .unique(record: collection.record, field: member.string.pointerToken, isPrimary: isPrimary, acrossArrays: acrossArrays),
      at: member.place, rank == 0 ? "unique key" : "unique key in each array",
      "\(count.counted("value")), no duplicates\(rank == 0 ? "" : " in an array")", count: count, rank: rank)
  }

  /// Proposes that a field is unique because others refer to it.
  mutating func proposeReferredKey(_ member: ValueStatistics.Member, of collection: PlaceMap.Collection) {
    guard collection.isOutermost, unique.insert(member.place).inserted else { return }
    proposeKey(member, of: collection, isPrimary: false, acrossArrays: false)
  }

  private mutating func proposeUnique(_ member: ValueStatistics.Member, of collection: PlaceMap.Collection) {
    let place = places[member.place]
    guard canBeKey(place), collection.isOutermost else { return }
    let words = NameWords(member.string)
    let distinct = place.column.largestDistinctCount
    guard isUnique(place) else {
      if words.isPlainIdentifier || words.words.last == "code" {
        note(member.place, "no unique key: at most \(distinct.counted("distinct value")) in a document")
      }
      return
    }
    guard place.texts.count > 0 || words.isIdentifier, !hasTime(place), !words.isTime else { return }
    // A reference to a unique key may be unique as long as there are few records.
    let refersElsewhere = words.isIdentifier && map.collections.contains { words.shares($0.words) }
    let needed: Int =
      switch strictness {
      case .loose: .max
      case .normal: words.isUniqueName ? (refersElsewhere ? 100 : 20) : .max
      case .tight: words.isUniqueName ? 3 : 20
      }
    guard distinct >= needed else {
      return note(
        member.place, "no unique key, though there are no duplicates: the name and \(distinct.counted("value")) are weak evidence"
      )
    }
    unique.insert(member.place)
    proposeKey(member, of: collection, isPrimary: false, acrossArrays: false)
  }
}
