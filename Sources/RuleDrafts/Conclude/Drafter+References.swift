import Findings
import JSONEvents
import Rules

/// References: a column whose values are all among the keys of a collection, and hardly by chance.
extension Drafter {
  /// A key that a column may refer to.
  private struct Target {
    let collection: PlaceMap.Collection
    let field: String
    let score: Int
    /// Why the values are not among the keys by chance.
    let reason: String
  }

  mutating func proposeReferences() {
    for column in Relations.columns(of: places) {
      guard let collection = map.collection(ofRecord: column.record), canRefer(column) else { continue }
      let targets = targets(of: column, in: collection)
      let fields = column.path.map(\.pointerToken).joined(separator: "/")
      let (count, distinct) = (valueCount(places[column.place]), places[column.place].column.distinctSum)
      let evidence = "\(count.counted("value")), \(distinct.grouped) distinct"
      for (rank, target) in targets.prefix(3).enumerated() {
        add(
          .reference(record: column.record, fields: fields, targets: [(target.collection.pointer, target.field)]),
          at: column.place, "reference to \(Self.title(of: target.collection)) by \(target.field)",
          "\(evidence), \(target.reason)",
          count: count, rank: rank)
      }
      if targets.isEmpty { proposeUnion(of: column, fields, evidence) }
    }
  }

  /// A UUID may refer to one of several collections.
  private mutating func proposeUnion(of column: Relations.Column, _ fields: String, _ evidence: String) {
    let place = places[column.place]
    guard place.texts.formats.contains(.uuid), let union = observation.relations.unions[column.place],
      union.documents == place.column.documents,
      strictness != .loose || place.column.distinctSum >= 10
    else { return }
    let targets = map.collections.compactMap { other in
      places[other.record].members.first { union.keys.contains($0.place) && primary[other.record] == $0.string }
        .map { (resource: other.pointer, field: $0.string.pointerToken) }
    }
    guard (2...8).contains(targets.count) else { return }
    add(
      .reference(record: column.record, fields: fields, targets: targets), at: column.place,
      "reference to one of \(targets.map(\.resource).joined(separator: ", "))", "\(evidence), UUIDs of the collections",
      count: valueCount(place))
  }

  private static func title(of collection: PlaceMap.Collection) -> String {
    collection.pointer.isEmpty ? "the root's records" : collection.pointer
  }

  private func canRefer(_ column: Relations.Column) -> Bool {
    let place = places[column.place]
    guard canBeKey(place), !hasTime(place), !column.path.contains("") else { return false }
    // The record's own id refers to nothing.
    if column.path.count == 1, NameWords(column.path[0]).isPlainIdentifier { return false }
    return column.path.last == "*" || !NameWords(column.path.last ?? "").isTime
  }

  private mutating func targets(of column: Relations.Column, in collection: PlaceMap.Collection) -> [Target] {
    let documents = places[column.place].column.documents
    let name = column.path.last { $0 != "*" } ?? ""
    let words = NameWords(name)
    // In `invoices`, `invoiceId` is the record's own id, also if each of `invoiceLines` has it.
    let isOwnID = column.path.count == 1 && words.isIdentifier && words.stem == collection.words
    var targets: [Target] = []
    var hasMissed = false
    for other in map.collections {
      let isNamed = words.shares(other.words)
      for key in places[other.record].members where key.place != column.place && isKey(key) {
        let held = observation.relations.inclusions[Relations.Pair(column: column.place, key: key.place)] ?? 0
        let isPossible = places[column.place].mayHaveOnlyValues(of: places[key.place])
        if held == documents, isPossible {
          if isOwnID, other.record != column.record { continue }
          guard let (score, reason) = likelihood(of: column, named: name, other, key, isNamed: isNamed) else { continue }
          let bonus = (primary[other.record] == key.string ? 5 : 0) + (other.isOutermost ? 2 : 0)
          targets.append(
            Target(collection: other, field: key.string.pointerToken, score: score + bonus, reason: reason))
        } else if isNamed, words.isIdentifier, NameWords(key.string).isPlainIdentifier {
          hasMissed = true
          let cases = held == documents ? "" : "in \((documents - held).grouped) of \(documents.counted("document")), "
          note(
            column.place,
            "no reference to \(Self.title(of: other)) by \(key.string): \(cases)the key lacks some of the values")
        }
      }
    }
    if targets.isEmpty, !hasMissed, let last = column.path.last, NameWords(last).isIdentifier, last != primary[collection.record]
    {
      note(column.place, "no reference: no key has all of the values, or the evidence is weak")
    }
    return targets.enumerated().sorted { ($1.element.score, $0.offset) < ($0.element.score, $1.offset) }.map(\.element)
  }

  private func isKey(_ member: ValueStatistics.Member) -> Bool {
    let place = places[member.place]
    guard canBeKey(place), !hasTime(place) else { return false }
    return unique.contains(member.place) || place.texts.count > 0 && isUnique(place)
  }

  /// Returns how likely it is that a column refers to a key that has all of its values, or `nil` for chance.
  private func likelihood(
    of column: Relations.Column, named name: String, _ other: PlaceMap.Collection, _ key: ValueStatistics.Member, isNamed: Bool
  ) -> (score: Int, reason: String)? {
    let values = places[column.place]
    let keys = places[key.place]
    let distinct = values.column.distinctSum
    let words = NameWords(name)
    let isOwn = other.record == column.record
    let isPrimary = primary[other.record] == key.string
    let chance = chanceOfInclusion(values, keys)
    if isNamed, isPrimary, words.isIdentifier || distinct >= 2 { return (100, "its name matches the collection") }
    if isOwn, words.words.contains("parent"), isPrimary { return (90, "named parent") }
    // A primary key has the values of another one by chance if both count from 1.
    if column.path.count == 1, primary[column.record] == name { return nil }
    let areUUIDs = values.texts.formats.contains(.uuid) && keys.texts.formats.contains(.uuid)
    if areUUIDs, distinct >= (strictness == .tight ? 1 : 2) { return (80, "UUIDs of the collection") }
    if isPrimary, words.isIdentifier, chance < 0.01 { return (70, "named like an id, and unlikely by chance") }
    if isPrimary, distinct >= 5, chance < 1e-9 { return (60, "unlikely by chance") }
    if strictness == .loose || isOwn || words.isKind || values.texts.count == 0 || distinct < 3 { return nil }
    let isAlike = name == key.string || words.shares(NameWords(key.string).words) && values.texts.minimumLength >= 4
    return isAlike && (unique.contains(key.place) || keys.column.largestDistinctCount >= 3)
      ? (50, "its name matches the key") : nil
  }

  /// The probability that unrelated values are all among the keys.
  private func chanceOfInclusion(_ values: ValueStatistics, _ keys: ValueStatistics) -> Double {
    var density = 1.0
    if keys.numbers.count > 0, keys.numbers.areIntegers {
      let range = Double(keys.numbers.maximumInteger) - Double(keys.numbers.minimumInteger) + 1
      density = min(1, Double(keys.column.largestDistinctCount) / range)
    } else if keys.texts.minimumLength >= 6, values.texts.minimumLength >= 6 {
      density = 0.1
    }
    return (0..<min(values.column.distinctSum, 40)).reduce(1) { chance, _ in chance * density }
  }
}

/// Counts, sums and orders: relations between numbers or dates of which names and values give a hint.
extension Drafter {
  private static let countWords: Set = ["count", "total", "number", "num", "size", "length"]

  mutating func proposeCounts() {
    for (pair, known) in observation.relations.counts.sorted(by: { ($0.key.number, $0.key.array) < ($1.key.number, $1.key.array) }
    ) {
      guard let pointer = map.pointers[pair.array], let number = map.pointers[pair.number], map.single.contains(pair.number),
        known.documents == places[pair.number].numbers.count, !pointer.isEmpty
      else { continue }
      let name = NameWords(number.pointerTokens?.last ?? "")
      let array = NameWords(pointer.pointerTokens?.last ?? "")
      let isNamed = name.words.contains(where: Self.countWords.contains)
      let isShared = name.shares(array.words)
      guard isNamed && isShared || isShared && known.numbers.count >= 3 || isNamed && known.numbers.count >= 5 else { continue }
      add(
        .count(place: pair.number, array: pointer), at: pair.number, "count of \(pointer)",
        "the number of items of \(pointer)", rank: isShared ? 0 : 1)
    }
  }

  mutating func proposeSums(of object: Int) {
    guard strictness != .loose else { return }
    let members = places[object].orderedMembers
    for total in members where NameWords(total.string).isTotal && isNumber(total.place) {
      for list in members where places[list.place].items >= 0 {
        let addends = places[places[list.place].items].orderedMembers.filter {
          NameWords($0.string).isAmount && isNumber($0.place)
        }
        for addend in addends.prefix(2) {
          let path = "\(list.string.pointerToken)/*/\(addend.string.pointerToken)"
          add(
            .sum(place: total.place, values: "1/" + path), at: total.place, "sum of \(path)",
            "the sum of \(path)")
        }
      }
    }
  }

  private func isNumber(_ index: Int) -> Bool {
    let place = places[index]
    return place.numbers.count > 0 && place.numbers.count + place.nulls == place.count
  }

  mutating func proposeOrders(of object: Int) {
    guard strictness != .loose else { return }
    let members = places[object].orderedMembers.filter { !$0.string.isEmpty }
      .map { Named(name: $0.string, words: NameWords($0.string), place: $0.place) }
    let earlier = members.filter { $0.words.isEarlier && !$0.words.isLater }
    for later in members where later.words.isLater {
      let format = timeFormat(places[later.place])
      guard format != nil || isNumber(later.place) else { continue }
      let candidates = earlier.filter { precedes($0, later, format) }
      guard let best = candidates.max(by: { $0.commonCount(with: later) < $1.commonCount(with: later) }) else { continue }
      add(
        .order(place: later.place, field: best.name, format: format), at: later.place, "minimum \(best.name)",
        "\(format == nil ? "at least" : "no earlier than") \(best.name)")
    }
  }

  private struct Named {
    let name: String
    let words: NameWords
    let place: Int

    func commonCount(with other: Named) -> Int { words.words.count { other.words.words.contains($0) } }
  }

  /// True if names and formats say that one value comes before another one: `startDate` and `endDate`.
  private func precedes(_ earlier: Named, _ later: Named, _ format: StringFormat?) -> Bool {
    guard earlier.place != later.place else { return false }
    guard let format else {
      // `minPrice` and `maxPrice`, or just `min` and `max`
      let areBare = earlier.words.words.count == 1 && later.words.words.count == 1
      return isNumber(earlier.place) && (areBare || earlier.commonCount(with: later) > 0)
    }
    guard timeFormat(places[earlier.place]) == format else { return false }
    let common = earlier.words.words.filter { $0.count > 4 && $0 != "date" && later.words.words.contains($0) }
    return !common.isEmpty || earlier.words.words.contains("created") || later.words.words.count <= 2
  }

  private func timeFormat(_ place: ValueStatistics) -> StringFormat? {
    guard place.texts.count > 0, place.texts.count + place.nulls == place.count else { return nil }
    return place.texts.formats.first { $0.isPointInTime }
  }
}
