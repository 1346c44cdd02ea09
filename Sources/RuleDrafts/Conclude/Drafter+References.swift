import Findings
import JSONEvents
import Rules

/// References: a column whose values are all among the keys of a collection, or its records' names, and hardly by chance.
extension Drafter {
  /// A key that a column may refer to.
  private struct Target {
    let collection: PlaceMap.Collection
    /// `nil` for the records' names.
    let key: ValueStatistics.Member?
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
        // The same value again and again is no more evidence than one.
        add(
          .reference(
            record: column.record, fields: fields, targets: [(target.collection.pointer, target.key?.string.pointerToken)]),
          at: column.place, Self.name(ofReferenceTo: target.collection, by: target.key?.string.pointerToken),
          "\(evidence), \(target.reason)",
          count: distinct == 1 ? 1 : count, rank: rank)
      }
      if let first = targets.first, let key = first.key { proposeReferredKey(key, of: first.collection) }
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
        .map { (resource: other.pointer, field: Optional($0.string.pointerToken)) }
    }
    guard (2...8).contains(targets.count) else { return }
    add(
      .reference(record: column.record, fields: fields, targets: targets), at: column.place,
      "reference to one of \(targets.map(\.resource).joined(separator: ", "))", "\(evidence), UUIDs of the collections",
      count: valueCount(place))
  }

  private static func name(ofReferenceTo collection: PlaceMap.Collection, by field: String?) -> String {
    field.map { "reference to \(title(of: collection)) by \($0)" } ?? "reference to the names in \(title(of: collection))"
  }

  private static func title(of collection: PlaceMap.Collection) -> String {
    collection.pointer.isEmpty ? "the root's records" : collection.pointer
  }

  private func canRefer(_ column: Relations.Column) -> Bool {
    let place = places[column.place]
    guard canBeKey(place), !hasTime(place), !column.path.contains("") else { return false }
    // The record's own id refers to nothing.
    if column.path.count == 1, NameWords(column.path[0]).isPlainIdentifier { return false }
    let words = NameWords(column.path.last ?? "")
    return column.path.last == "*" || !words.isTime || words.isRole
  }

  private mutating func targets(of column: Relations.Column, in collection: PlaceMap.Collection) -> [Target] {
    let documents = places[column.place].column.documents
    let name = column.path.last { $0 != "*" } ?? ""
    let words = NameWords(name)
    // In `invoices`, `invoiceId` is the record's own id, also if each of `invoiceLines` has it.
    let isOwnID = column.path.count == 1 && words.isIdentifier && words.stem == collection.words
    var targets: [Target] = []
    var weak: [String] = []
    var hasMissed = false
    for other in map.collections {
      let isRelated = words.shares(other.words)
      let isNamed = words.refers(to: other.words) && !isQuantity(column, named: name, words)
      if other.isMap, let (score, reason) = likelihood(of: column, words, namesOf: other, isNamed: isNamed) {
        targets.append(Target(collection: other, key: nil, score: score + (other.isOutermost ? 2 : 0), reason: reason))
      }
      for key in places[other.record].members where key.place != column.place && isKey(key) {
        let held = observation.relations.inclusions[Relations.Pair(column: column.place, key: key.place)] ?? 0
        let isPossible = places[column.place].mayHaveOnlyValues(of: places[key.place])
        if held == documents, isPossible {
          if isOwnID, other.record != column.record { continue }
          guard let (score, reason) = likelihood(of: column, named: name, other, key, isNamed: isNamed) else {
            if isRelated { weak.append(Self.name(ofReferenceTo: other, by: key.string)) }
            continue
          }
          let bonus = (primary[other.record] == key.string ? 5 : 0) + (other.isOutermost ? 2 : 0)
          targets.append(
            Target(collection: other, key: key, score: score + bonus, reason: reason))
        } else if isRelated, words.isIdentifier, NameWords(key.string).isPlainIdentifier {
          hasMissed = true
          let cases = held == documents ? "" : "in \((documents - held).grouped) of \(documents.counted("document")), "
          note(
            column.place,
            "no reference to \(Self.title(of: other)) by \(key.string): \(cases)the key lacks some of the values")
        }
      }
    }
    if targets.isEmpty, let reference = weak.first {
      let distinct = places[column.place].column.distinctSum.counted("distinct value")
      note(column.place, "no \(reference), which has all of the values: the name and \(distinct) are weak evidence")
    } else if targets.isEmpty, !hasMissed, let last = column.path.last, NameWords(last).isIdentifier,
      last != primary[collection.record]
    {
      note(column.place, "no reference: no key has all of the values, or the evidence is weak")
    }
    return targets.enumerated().sorted { ($1.element.score, $0.offset) < ($0.element.score, $1.offset) }.map(\.element)
  }

  /// True for a number that is named like many records: `rooms: 3`.
  private func isQuantity(_ column: Relations.Column, named name: String, _ words: NameWords) -> Bool {
    let isPlural = words.words.last.map { !name.lowercased().hasSuffix($0) } ?? false
    return places[column.place].numbers.count > 0 && column.path.count == 1 && !words.isIdentifier && (isPlural || words.isAmount)
  }

  private static let contactWords: Set = [
    "address", "city", "country", "fax", "phone", "postal", "postcode", "region", "state", "street", "zip",
  ]

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
    if isNamed, isPrimary, words.isIdentifier || distinct >= 2 || strictness != .loose {
      return (100, "its name matches the collection")
    }
    if isOwn, words.words.contains("parent"), isPrimary { return (90, "named parent") }
    // A primary key has the values of another one by chance if both count from 1.
    if column.path.count == 1, primary[column.record] == name { return nil }
    // Small integers may match by chance, but no other collection has people.
    let isRole = words.isRole && !isQuantity(column, named: name, words)
    if isPrimary, isRole, isPeople(other), strictness != .loose || distinct >= 5 {
      return (65, "named like a role of people")
    }
    let areUUIDs = values.texts.formats.contains(.uuid) && keys.texts.formats.contains(.uuid)
    if areUUIDs, distinct >= (strictness == .tight || words.isIdentifier && strictness == .normal ? 1 : 2) {
      return (80, "UUIDs of the collection")
    }
    if isPrimary, words.isIdentifier, chance < 0.01 { return (70, "named like an id, and unlikely by chance") }
    if isPrimary, distinct >= 5, chance < 1e-9 { return (60, "unlikely by chance") }
    if strictness == .loose || isOwn || values.texts.count == 0 { return nil }
    // A number of an account, the name of a category: texts of some length are hardly the same by chance.
    let isLong = values.texts.minimumLength >= 6 && keys.texts.minimumLength >= 6
    if isNamed, distinct >= (isLong ? 1 : 3) { return (55, "its name matches the collection") }
    // An invoice repeats its customer's address, and two customers may live at one.
    if words.has(Self.contactWords) { return nil }
    if words.isKind || distinct < (isLong && NameWords(key.string).isUniqueName ? 1 : 3) { return nil }
    // Two keys with one name, such as `code`, are those of different records.
    if name == key.string, words.isUniqueName, !words.isIdentifier, isUnique(values) { return nil }
    let isAlike = name == key.string || words.shares(NameWords(key.string).words) && values.texts.minimumLength >= 4
    return isAlike && (unique.contains(key.place) || keys.column.largestDistinctCount >= 3)
      ? (50, "its name matches the key") : nil
  }

  /// True for the only collection of people.
  private func isPeople(_ collection: PlaceMap.Collection) -> Bool {
    NameWords.arePeople(collection.words) && map.collections.count { NameWords.arePeople($0.words) } == 1
  }

  /// Returns how likely it is that a column refers to the names in a map that has all of its values, or `nil` for chance.
  private func likelihood(
    of column: Relations.Column, _ words: NameWords, namesOf collection: PlaceMap.Collection, isNamed: Bool
  ) -> (score: Int, reason: String)? {
    let values = places[column.place]
    guard
      observation.relations.inclusions[Relations.Pair(column: column.place, key: collection.place)] == values.column.documents,
      values.texts.count > 0
    else { return nil }
    let distinct = values.column.distinctSum
    if isNamed, words.isIdentifier || distinct >= 2 || strictness != .loose { return (103, "its name matches the object") }
    if words.words.contains("parent"), collection.record == column.record { return (93, "named parent") }
    if words.isRole, isPeople(collection), strictness != .loose || distinct >= 5 { return (65, "named like a role of people") }
    // Numbers as text are the same by chance.
    if values.texts.minimumLength < 3 || values.texts.formats.contains(.decimal) { return nil }
    if words.isIdentifier, distinct >= 5 { return (70, "named like an id, and unlikely by chance") }
    return distinct >= 10 ? (60, "unlikely by chance") : nil
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
