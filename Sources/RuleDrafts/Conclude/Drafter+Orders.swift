import Findings
import JSONEvents
import Rules

/// Orders: a value that is no less than another one of the same record, and records that ascend or descend by a value.
extension Drafter {
  /// A number or a time, with its name.
  private struct Named {
    let name: String
    let words: NameWords
    let place: Int

    func commonCount(with other: Named) -> Int { words.words.count { other.words.words.contains($0) } }
  }

  /// How values are compared.
  private enum Scale: Equatable {
    case numbers
    /// Times as numbers.
    case numericTime(StringFormat)
    case texts(StringFormat)
    /// Rules can't compare them.
    case spelling(DateSpelling)
  }

  // MARK: Values

  mutating func proposeOrders(of object: Int) {
    guard strictness != .loose else { return }
    let members = places[object].orderedMembers.filter { !$0.string.isEmpty }
      .map { Named(name: $0.string, words: NameWords($0.string), place: $0.place) }
    let earlier = members.filter { $0.words.isEarlier && !$0.words.isLater }
    for later in members where later.words.isLater {
      guard let scale = scale(of: later.place) else { continue }
      let candidates = earlier.filter { precedes($0, later, scale) }
      guard let best = candidates.max(by: { $0.commonCount(with: later) < $1.commonCount(with: later) }) else { continue }
      proposeOrder(of: best, later, scale)
    }
  }

  private mutating func proposeOrder(of earlier: Named, _ later: Named, _ scale: Scale) {
    if case .spelling(let spelling) = scale {
      return note(later.place, "no minimum \(earlier.name): rules can't compare dates that are written as \(spelling.example)")
    }
    let count = min(valueCount(places[earlier.place]), valueCount(places[later.place]))
    let needed = isNamedAsRange(earlier, later, scale) ? 1 : strictness == .tight ? 3 : 20
    guard count >= needed else {
      return note(
        later.place, "no minimum \(earlier.name): the names and \(count.counted("record")) with both are weak evidence")
    }
    var format: StringFormat?
    if case .texts(let own) = scale {
      // A fraction of a second in one of them makes both such texts.
      format = textFormat(of: earlier.place) == own ? own : .dateTime
    }
    add(
      .order(place: later.place, field: earlier.name, format: format), at: later.place, "minimum \(earlier.name)",
      "\(scale == .numbers || format == .decimal ? "at least" : "no earlier than") \(earlier.name)")
  }

  /// True if names alone suggest an order: `startKm` and `endKm`, `createdAt` and `updatedAt`; but not `startBalance` and `endBalance`.
  private func isNamedAsRange(_ earlier: Named, _ later: Named, _ scale: Scale) -> Bool {
    switch scale {
    case .numbers, .texts(.decimal): return !later.words.isVarying && !earlier.words.isVarying
    default:
      return Self.ranges.contains { first, last in earlier.words.has(first) && later.words.has(last) }
        || earlier.words.words.contains { $0.count > 4 && $0 != "date" && later.words.words.contains($0) }
    }
  }

  private static let ranges: [(Set<String>, Set<String>)] = [
    (["created", "opened"], ["changed", "closed", "modified", "updated"]),
    (["began", "begin", "from", "start", "started", "von"], ["bis", "end", "ended", "finish", "finished", "to", "until"]),
    (["departed", "departure"], ["arrival", "arrived"]),
  ]

  /// True if names and formats say that one value comes before another one: `startDate` and `endDate`.
  private func precedes(_ earlier: Named, _ later: Named, _ scale: Scale) -> Bool {
    guard earlier.place != later.place, let other = self.scale(of: earlier.place) else { return false }
    switch (scale, other) {
    case (.spelling, .spelling), (.spelling, .texts), (.texts(.dateTime), .texts(.dateTimeSeconds)),
      (.texts(.dateTimeSeconds), .texts(.dateTime)):
      break
    default: guard scale == other else { return false }
    }
    if scale == .numbers || scale == .texts(.decimal) {
      // `minPrice` and `maxPrice`, or just `min` and `max`
      let areBare = earlier.words.words.count == 1 && later.words.words.count == 1
      return areBare || earlier.commonCount(with: later) > 0
    }
    let common = earlier.words.words.filter { $0.count > 4 && $0 != "date" && later.words.words.contains($0) }
    return !common.isEmpty || earlier.words.words.contains("created") || later.words.words.count <= 2
  }

  private func scale(of index: Int) -> Scale? {
    let place = places[index]
    if let format = textFormat(of: index) { return .texts(format) }
    if place.texts.count == 0, isNumber(index) { return formats[index].map { .numericTime($0) } ?? .numbers }
    guard place.texts.formats.isEmpty, place.texts.count > 0, place.texts.count + place.nulls == place.count else { return nil }
    return place.texts.dateSpelling.map { .spelling($0) }
  }

  /// The format by which texts are compared.
  private func textFormat(of index: Int) -> StringFormat? {
    let place = places[index]
    guard place.texts.count > 0, place.texts.count + place.nulls == place.count else { return nil }
    return place.texts.formats.first { $0.isPointInTime } ?? (formats[index] == .decimal ? .decimal : nil)
  }

  // MARK: Records

  private static let sortedRecords = 20
  private static let sortedValues = 10

  /// Proposes that records ascend or descend by a time or an id.
  ///
  /// Twenty records are rarely in order by chance, but a later record may break the order, so the rule is a warning unless the draft is
  /// tight. If the records are sorted by two members, one order may follow from the other: only a tight draft has such a rule.
  mutating func proposeSorting(of collection: PlaceMap.Collection) {
    let record = places[collection.record]
    guard collection.isOutermost, !collection.isMap, record.objects >= Self.sortedRecords else { return }
    let sorted = record.orderedMembers.filter { isSorted($0, records: record.objects) }
    guard let first = sorted.first(where: { formats[$0.place] != nil }) ?? sorted.first else { return }
    let isDescending = places[first.place].order.mayDescend
    let direction = "\(isDescending ? "descending" : "ascending") by \(first.string)"
    if strictness == .loose {
      return note(collection.place, "no order of records: that they are \(direction) may be chance")
    }
    guard sorted.count == 1 || strictness == .tight else {
      let fields = sorted.map(\.string).joined(separator: " and ")
      return note(collection.place, "no order of records: they are sorted by \(fields), and one order may follow from another")
    }
    let format = formats[first.place]
    add(
      .sorting(
        array: collection.place, field: first.string.pointerToken, isDescending: isDescending,
        comparesInstants: format.map { !$0.appliesToNumbers } ?? false),
      at: first.place, "order of records", "\(record.objects.counted("record")), \(direction)", count: record.objects)
  }

  /// True if all records have a time or an integer that is named like an id, and seem to be sorted by it.
  private func isSorted(_ member: ValueStatistics.Member, records: Int) -> Bool {
    let place = places[member.place]
    guard place.order.mayAscend != place.order.mayDescend, member.presence == records, place.nulls == 0,
      place.column.largestDistinctCount >= Self.sortedValues, !member.string.isEmpty, member.string != "*"
    else { return false }
    if formats[member.place]?.isPointInTime == true {
      return place.texts.count == place.count || place.numbers.count == place.count && place.numbers.areIntegers
    }
    return place.numbers.count == place.count && place.numbers.areIntegers && NameWords(member.string).isPlainIdentifier
  }
}
