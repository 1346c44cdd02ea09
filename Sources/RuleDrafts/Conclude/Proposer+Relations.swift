import Findings
import JSONEvents
import Rules

/// Counts, sums and orders: relations between numbers or dates of which names and values give a hint.
extension Proposer {
  private static let countWords: Set = ["count", "total", "number", "num", "size", "length"]

  mutating func proposeCounts() {
    for (pair, known) in relations.counts.sorted(by: { ($0.key.number, $0.key.array) < ($1.key.number, $1.key.array) }) {
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
    guard let format else { return isNumber(earlier.place) && earlier.commonCount(with: later) > 0 }
    guard timeFormat(places[earlier.place]) == format else { return false }
    let common = earlier.words.words.filter { $0.count > 4 && $0 != "date" && later.words.words.contains($0) }
    return !common.isEmpty || earlier.words.words.contains("created") || later.words.words.count <= 2
  }

  private func timeFormat(_ place: Place) -> StringFormat? {
    guard place.texts.count > 0, place.texts.count + place.nulls == place.count else { return nil }
    return place.texts.formats.first { $0.isPointInTime }
  }
}
