import JSONEvents
import Rules

/// Proposes the rules between values: keys, references, counts, sums and orders.
struct Proposer {
  private let places: ContiguousArray<Place>
  private let relations: Relations
  private let documentCount: Int
  private let map: PlaceMap
  private let strictness: DraftOptions.Strictness
  private(set) var proposals: [Proposal] = []
  private(set) var notes: [DraftNote] = []
  /// The fields that are proposed as keys, by record.
  private var primary: [Int: String] = [:]
  private var unique: Set<Int> = []
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
    proposeReferences()
    proposeCounts()
    for place in places.indices where map.pointers[place] != nil && places[place].objects > 0 {
      proposeSums(of: place)
      proposeOrders(of: place)
    }
  }

  private mutating func add(_ kind: Proposal.Kind, at place: Int, _ claim: String, _ evidence: String, rank: Int = 0) {
    guard proposals.count < Self.limit else {
      return note(place, "not tried whether it is \(claim): there are \(Self.limit) other rules to prove")
    }
    proposals.append(Proposal(kind: kind, pointer: map.pointer(of: place), claim: claim, evidence: evidence, rank: rank))
  }

  private mutating func note(_ place: Int, _ message: String) {
    notes.append(DraftNote(pointer: map.pointer(of: place), message: message))
  }

  // MARK: Keys

  private mutating func proposeKeys(of collection: PlaceMap.Collection) {
    // A field with a slash would be a path.
    let members = places[collection.record].orderedMembers.filter {
      !$0.name.isEmpty && !$0.string.contains("/") && $0.string != "*"
    }
    var best: (member: Place.Member, score: Int)?
    for member in members {
      let score = primaryScore(member, of: collection)
      if score > best?.score ?? 0 { best = (member, score) }
    }
    if let best { proposePrimary(best.member, of: collection) }
    for member in members where member.string != best?.member.string { proposeUnique(member, of: collection) }
    if best == nil, collection.isOutermost {
      notes.append(
        DraftNote(pointer: collection.pointer, message: "no primary key: no field that is named like an id may be unique"))
    }
  }

  /// True if the values can be keys: strings or integers, not of a kind that has other uses.
  private func canBeKey(_ place: Place) -> Bool {
    guard place.column.documents > 0, !place.column.hasOthers, place.falses + place.trues + place.arrays + place.objects == 0
    else { return false }
    return place.texts.count == 0 || place.numbers.count == 0
  }

  /// - Returns: 0 for a field that is no primary key.
  private func primaryScore(_ member: Place.Member, of collection: PlaceMap.Collection) -> Int {
    let place = places[member.place]
    let words = NameWords(member.string)
    guard canBeKey(place), words.isIdentifier || words.words.last == "code" else { return 0 }
    let isUnique = place.column.uniqueDocuments == place.column.documents
    // In an array inside records, keys may be unique per array.
    guard isUnique || !collection.isOutermost && words.isPlainIdentifier else { return 0 }
    if words.isPlainIdentifier { return 100 }
    let name = NameWords(collection.name).words
    if let last = name.last, words.stem == [last] || words.stem == name { return 80 }
    // A reference may be unique by chance.
    let refersElsewhere = map.collections.contains { $0.record != collection.record && words.shares(NameWords($0.name).words) }
    if refersElsewhere { return words.shares(name) ? 60 : referenceScore(collection) }
    return words.shares(name) ? 70 : place.column.largestDistinctCount >= 3 ? 40 : 0
  }

  /// A reference is the key of a collection of details, with one record for each of another.
  private func referenceScore(_ collection: PlaceMap.Collection) -> Int {
    strictness == .loose
      ? 0 : places[collection.record].objects >= 10 * documentCount || places[collection.record].objects >= 50 ? 30 : 0
  }

  private mutating func proposePrimary(_ member: Place.Member, of collection: PlaceMap.Collection) {
    let place = places[member.place]
    primary[collection.record] = member.string
    unique.insert(member.place)
    let isComplete = member.presence == places[collection.record].objects && place.nulls == 0
    let isUnique = place.column.uniqueDocuments == place.column.documents
    let evidence = "\((place.count - place.nulls).counted("value")), no duplicates"
    add(
      .unique(
        record: collection.record, field: member.string, isPrimary: isComplete, acrossArrays: !collection.isOutermost && isUnique),
      at: member.place, "unique", evidence)
    if !isComplete {
      let missing = places[collection.record].objects - member.presence + place.nulls
      note(member.place, "no primary key, but unique: \(missing.counted("record")) without a value")
    }
    if !collection.isOutermost, isUnique {
      // Unique per array, if not across all.
      add(
        .unique(record: collection.record, field: member.string, isPrimary: isComplete, acrossArrays: false), at: member.place,
        "unique in each array", evidence, rank: 1)
    }
  }

  private mutating func proposeUnique(_ member: Place.Member, of collection: PlaceMap.Collection) {
    let place = places[member.place]
    guard canBeKey(place), collection.isOutermost else { return }
    let words = NameWords(member.string)
    let isUnique = place.column.uniqueDocuments == place.column.documents
    guard isUnique else {
      if words.isPlainIdentifier || words.words.last == "code" {
        note(member.place, "not unique: at most \(place.column.largestDistinctCount.counted("distinct value")) in a document")
      }
      return
    }
    let distinct = place.column.largestDistinctCount
    guard place.texts.count > 0 || words.isIdentifier, !hasTime(place), !words.isTime else { return }
    // A reference to a unique key may be unique as long as there are few records.
    let refersElsewhere = words.isIdentifier && map.collections.contains { words.shares(NameWords($0.name).words) }
    let needed: Int =
      switch strictness {
      case .loose: .max
      case .normal: words.isUniqueName ? (refersElsewhere ? 100 : 20) : .max
      case .tight: words.isUniqueName ? 3 : 20
      }
    guard distinct >= needed else {
      return note(
        member.place, "not unique, though no duplicate was found: the name and \(distinct.counted("value")) prove too little")
    }
    unique.insert(member.place)
    add(
      .unique(record: collection.record, field: member.string, isPrimary: false, acrossArrays: false), at: member.place, "unique",
      "\((place.count - place.nulls).counted("value")), no duplicates")
  }

  private func hasTime(_ place: Place) -> Bool { place.texts.formats.contains { $0.isTemporal } }

  // MARK: References

  /// A key that a column may refer to.
  private struct Target {
    let collection: PlaceMap.Collection
    let field: String
    let place: Int
    let score: Int
    let reason: String
  }

  private mutating func proposeReferences() {
    for column in Relations.columns(of: places) {
      guard let collection = map.collection(ofRecord: column.record), canRefer(column) else { continue }
      let targets = targets(of: column, in: collection)
      let fields = column.path.joined(separator: "/")
      let distinct = places[column.place].column.distinctSum
      let evidence = "\((places[column.place].count - places[column.place].nulls).counted("value")), \(distinct.grouped) distinct"
      for (rank, target) in targets.prefix(3).enumerated() {
        add(
          .reference(record: column.record, fields: fields, targets: [(target.collection.pointer, target.field)]),
          at: column.place,
          "a reference to \(target.collection.pointer) by \(target.field)", "\(evidence), \(target.reason)", rank: rank)
      }
      if targets.isEmpty { proposeUnion(of: column, fields, evidence) }
    }
  }

  private func canRefer(_ column: Relations.Column) -> Bool {
    let place = places[column.place]
    guard canBeKey(place), !hasTime(place), !column.path.contains(where: { $0.contains("/") || $0.isEmpty }) else { return false }
    // The record's own id refers to nothing.
    if column.path.count == 1, NameWords(column.path[0]).isPlainIdentifier { return false }
    return column.path.last == "*" || !NameWords(column.path.last ?? "").isTime
  }

  private mutating func targets(of column: Relations.Column, in collection: PlaceMap.Collection) -> [Target] {
    let documents = places[column.place].column.documents
    var targets: [Target] = []
    var isNamed = false
    for other in map.collections {
      for member in places[other.record].members where member.place != column.place && isKey(member, of: other) {
        let held = relations.inclusions[Relations.Pair(column: column.place, key: member.place)] ?? 0
        let name = column.path.last { $0 != "*" } ?? ""
        let isStrong = NameWords(name).shares(NameWords(other.name).words)
        if held < documents {
          if isStrong, NameWords(name).isIdentifier, NameWords(member.string).isPlainIdentifier {
            isNamed = true
            note(
              column.place,
              "no reference to \(other.pointer) by \(member.string): \(documents - held) of \(documents.counted("document")) have other values"
            )
          }
          continue
        }
        if let target = target(column, name, other, member, isStrong: isStrong, isOwn: other.record == column.record) {
          targets.append(target)
        }
      }
    }
    if targets.isEmpty, !isNamed, let name = column.path.last, NameWords(name).isIdentifier, name != primary[collection.record] {
      note(column.place, "no reference: no key has all of its values, or the evidence is weak")
    }
    return targets.enumerated().sorted { ($1.element.score, $0.offset) < ($0.element.score, $1.offset) }.map(\.element)
  }

  private func isKey(_ member: Place.Member, of collection: PlaceMap.Collection) -> Bool {
    guard canBeKey(places[member.place]), !hasTime(places[member.place]) else { return false }
    return unique.contains(member.place)
      || places[member.place].texts.count > 0
        && places[member.place].column.uniqueDocuments == places[member.place].column.documents
  }

  private func target(
    _ column: Relations.Column, _ name: String, _ other: PlaceMap.Collection, _ key: Place.Member, isStrong: Bool, isOwn: Bool
  ) -> Target? {
    let values = places[column.place]
    let keys = places[key.place]
    let distinct = values.column.distinctSum
    let words = NameWords(name)
    let isPrimary = primary[other.record] == key.string
    let chance = chanceOfInclusion(values, keys)
    let isOwnKey = column.path.count == 1 && primary[column.record] == name
    var score = 0
    var reason = ""
    if isStrong, isPrimary, words.isIdentifier || distinct >= 2 {
      (score, reason) = (100, "named like the collection")
    } else if isOwn, words.words.contains("parent"), isPrimary {
      (score, reason) = (90, "named parent")
    } else if isOwnKey {
      return nil
    } else if values.texts.formats.contains(.uuid), keys.texts.formats.contains(.uuid), distinct >= (strictness == .tight ? 1 : 2)
    {
      (score, reason) = (80, "all found among the UUIDs of the collection")
    } else if words.isIdentifier, isPrimary, chance < 0.01 {
      (score, reason) = (70, "named like an id, all found in the collection")
    } else if isPrimary, chance < 1e-9, distinct >= 5 {
      (score, reason) = (60, "all found in the collection, hardly by chance")
    } else if values.texts.count > 0, strictness != .loose, distinct >= 3, !isOwn, !words.isKind,
      name == key.string || words.shares(NameWords(key.string).words) && values.texts.minimumLength >= 4,
      unique.contains(key.place) || keys.column.largestDistinctCount >= 3
    {
      (score, reason) = (50, "all found in the collection, with a like name")
    }
    if score == 0 { return nil }
    return Target(
      collection: other, field: key.string, place: key.place,
      score: score + (isPrimary ? 5 : 0) + (other.isOutermost ? 2 : 0), reason: reason)
  }

  /// The probability that unrelated values are all among the keys.
  private func chanceOfInclusion(_ values: Place, _ keys: Place) -> Double {
    let distinct = Double(values.column.distinctSum)
    var density = 1.0
    if keys.numbers.count > 0, keys.numbers.areIntegers {
      let range = Double(keys.numbers.maximumInteger) - Double(keys.numbers.minimumInteger) + 1
      density = min(1, Double(keys.column.largestDistinctCount) / range)
    } else if keys.texts.minimumLength >= 6, values.texts.minimumLength >= 6 {
      density = 0.1
    }
    var result = 1.0
    for _ in 0..<Int(min(distinct, 40)) { result *= density }
    return result
  }

  /// A UUID may refer to one of several collections.
  private mutating func proposeUnion(of column: Relations.Column, _ fields: String, _ evidence: String) {
    let place = places[column.place]
    guard place.texts.formats.contains(.uuid), let union = relations.unions[column.place],
      union.documents == place.column.documents,
      strictness != .loose || place.column.distinctSum >= 10
    else { return }
    let targets = map.collections.compactMap { other in
      places[other.record].members.first { union.keys.contains($0.place) && primary[other.record] == $0.string }
        .map { (resource: other.pointer, field: $0.string) }
    }
    guard (2...8).contains(targets.count) else { return }
    add(
      .reference(record: column.record, fields: fields, targets: targets), at: column.place,
      "a reference to one of \(targets.map(\.resource).joined(separator: ", "))", "\(evidence), all found in the collections")
  }

  // MARK: Counts, sums and orders

  private mutating func proposeCounts() {
    for (pair, known) in relations.counts.sorted(by: { ($0.key.number, $0.key.array) < ($1.key.number, $1.key.array) }) {
      guard let pointer = map.pointers[pair.array], let number = map.pointers[pair.number], map.single.contains(pair.number),
        known.documents == places[pair.number].numbers.count, !pointer.isEmpty
      else { continue }
      let name = NameWords(number.pointerTokens?.last ?? "")
      let array = NameWords(pointer.pointerTokens?.last ?? "")
      let isNamed = name.words.contains { ["count", "total", "number", "num", "size", "length"].contains($0) }
      let isShared = name.shares(array.words)
      guard isNamed && isShared || isShared && known.numbers.count >= 3 || isNamed && known.numbers.count >= 5 else { continue }
      add(
        .count(place: pair.number, array: pointer), at: pair.number, "the number of items of \(pointer)",
        "the number of items of \(pointer) in \(known.documents.counted("document"))", rank: isShared ? 0 : 1)
    }
  }

  private mutating func proposeSums(of object: Int) {
    guard strictness != .loose else { return }
    let members = places[object].orderedMembers
    for total in members where NameWords(total.string).isTotal && isNumber(total.place) {
      for list in members {
        let items = places[list.place].items
        guard items >= 0, places[items].objects > 0 else { continue }
        let addends = places[items].orderedMembers.filter { NameWords($0.string).isAmount && isNumber($0.place) }
        for addend in addends.prefix(2) {
          let path = [list.string, "*", addend.string].map { $0 == "*" ? $0 : $0.pointerToken }.joined(separator: "/")
          add(
            .sum(place: total.place, values: "1/" + path), at: total.place, "the sum of \(path)",
            "the sum of \(path) in \(places[object].objects.counted("object"))")
        }
      }
    }
  }

  private func isNumber(_ index: Int) -> Bool {
    let place = places[index]
    return place.numbers.count > 0 && place.numbers.count + place.nulls == place.count
  }

  private mutating func proposeOrders(of object: Int) {
    guard strictness != .loose else { return }
    let members = places[object].orderedMembers.filter { !$0.string.contains("/") && !$0.string.isEmpty }
    for later in members where NameWords(later.string).isLater {
      let format = Self.timeFormat(places[later.place])
      guard format != nil || isNumber(later.place) else { continue }
      let laterWords = NameWords(later.string).words
      let earlier = members.filter { earlier in
        guard earlier.place != later.place, NameWords(earlier.string).isEarlier, !NameWords(earlier.string).isLater else {
          return false
        }
        if format != nil {
          guard Self.timeFormat(places[earlier.place]) == format else { return false }
          let words = NameWords(earlier.string).words
          return words.contains("created") || words.contains { $0.count > 4 && laterWords.contains($0) && $0 != "date" }
            || laterWords.count <= 2
        }
        let shared = NameWords(earlier.string).words.filter { laterWords.contains($0) }
        return isNumber(earlier.place) && !shared.isEmpty
      }
      // The one with the most words in common.
      let best = earlier.max { a, b in
        Self.commonCount(NameWords(a.string).words, laterWords) < Self.commonCount(NameWords(b.string).words, laterWords)
      }
      guard let best else { continue }
      add(
        .order(place: later.place, field: best.string, format: format), at: later.place,
        format == nil ? "at least \(best.string)" : "no earlier than \(best.string)",
        "\(format == nil ? "at least" : "no earlier than") \(best.string) in \(later.presence.counted("object"))")
    }
  }

  private static func commonCount(_ a: [String], _ b: [String]) -> Int { a.count { b.contains($0) } }

  private static func timeFormat(_ place: Place) -> StringFormat? {
    guard place.texts.count > 0, place.texts.count + place.nulls == place.count else { return nil }
    return place.texts.formats.first { $0.isPointInTime }
  }
}
