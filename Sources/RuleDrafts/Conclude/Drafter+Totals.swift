import Findings
import JSONEvents
import Rules

/// Counts and sums: numbers that count the items of an array, or sum values, of which names and values give a hint.
extension Drafter {
  mutating func proposeCounts() {
    for (pair, known) in observation.relations.counts.sorted(by: { ($0.key.number, $0.key.array) < ($1.key.number, $1.key.array) }
    ) {
      guard let pointer = map.pointers[pair.array], let number = map.pointers[pair.number], map.single.contains(pair.number),
        known.documents == places[pair.number].numbers.count, !pointer.isEmpty
      else { continue }
      let name = NameWords(number.pointerTokens?.last ?? "")
      let array = NameWords(pointer.pointerTokens?.last ?? "")
      let isShared = name.shares(array.words)
      guard name.isCount && isShared || isShared && known.numbers.count >= 3 || name.isCount && known.numbers.count >= 5 else {
        continue
      }
      add(
        .count(place: pair.number, array: pointer), at: pair.number, "count of \(pointer)",
        "the number of items of \(pointer)", rank: isShared ? 0 : 1)
    }
  }

  /// Notes numbers that count the items of an array in the same record.
  mutating func noteCounts(in object: Int) {
    for count in map.single.contains(object) ? [] : places[object].whole.counts {
      let (number, array) = (places[object].members[count.number], places[object].members[count.array])
      let numbers = places[number.place].numbers
      let isShared = NameWords(number.string).shares(NameWords(array.string).words)
      guard isNumber(number.place), numbers.areIntegers, numbers.count >= 3,
        isShared || numbers.maximumInteger - numbers.minimumInteger >= 2
      else { continue }
      note(
        number.place,
        "no count: it is the number of items of \(array.string) in each record, but countOf counts only places from the root")
    }
  }

  mutating func proposeSums(of object: Int) {
    guard strictness != .loose else { return }
    let members = places[object].orderedMembers
    for total in members where NameWords(total.string).isTotal && isNumber(total.place) {
      let words = NameWords(total.string).words
      // If no list has two items, the sum of one is just a value.
      for list in members where places[list.place].items >= 0 && (places[list.place].maximumItems >= 2 || strictness == .tight) {
        let addends = places[places[list.place].items].orderedMembers.filter {
          let name = NameWords($0.string)
          return (name.isAmount || name.shares(words)) && isNumber($0.place)
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

  /// True for numbers, also those that are texts.
  func isNumber(_ index: Int) -> Bool {
    let place = places[index]
    if formats[index] == .decimal { return place.texts.count + place.nulls == place.count }
    return place.numbers.count > 0 && place.numbers.count + place.nulls == place.count
  }
}
