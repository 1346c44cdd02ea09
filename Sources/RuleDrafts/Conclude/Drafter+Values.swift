import Findings
import JSONEvents
import Rules

/// Concludes the formats of strings, and of numbers that are times.
///
/// Most formats are so rare among other texts that the values alone decide. Decimals, currencies and base64 also need a name, or
/// many values.
extension Drafter {
  mutating func concludeFormats() {
    for (index, place) in places.enumerated() where map.pointers[index] != nil {
      let words = map.nameWords(of: index)
      if place.texts.count > 0 {
        formats[index] = format(ofTexts: place, words, index)
      } else if place.numbers.count > 0, words.isTime {
        formats[index] = format(of: place.numbers, index)
      }
    }
  }

  private static let wellKnownCurrencies: Set = ["CHF", "CNY", "EUR", "GBP", "INR", "JPY", "USD"]

  private mutating func format(ofTexts place: ValueStatistics, _ words: NameWords, _ index: Int) -> StringFormat? {
    let texts = place.texts
    func hasDistinct(_ count: Int) -> Bool { place.tally.isOver || place.tally.values.count >= count }
    for format in texts.formats {
      switch format {
      case .dateTimeSeconds, .dateTime, .date, .time, .uuid, .email, .idnEmail, .ipv4, .ipv6, .colorHex, .duration: return format
      case .uri, .iri: if texts.hasAuthorities { return format }
      case .currency:
        // Codes of airports and others have three letters, too.
        let isNamed = words.has(["ccy", "currency"])
        if isNamed || hasDistinct(3) && place.tally.values.contains(where: { Self.wellKnownCurrencies.contains($0.string) }) {
          return format
        }
        noteValues(index, "no format currency: neither the name nor a well-known code suggests it")
      case .decimal:
        if words.isKind || words.isCode || texts.hasLeadingZero {
          noteValues(index, "no format decimal: the name or a leading zero suggests a code")
        } else if words.isAmount || texts.count >= 20 && hasDistinct(10) {
          return format
        } else {
          noteValues(index, "no format decimal: neither the name nor many values suggest it")
        }
      case .base64: if texts.minimumLength >= 8, texts.looksLikeBase64 { return format }
      default: break
      }
    }
    return nil
  }

  /// Times from 2001 to 2100. Seconds since 2001 are plausible from 2007 on.
  private mutating func format(of numbers: NumberStatistics, _ index: Int) -> StringFormat? {
    switch (numbers.minimum, numbers.maximum) {
    case (978_307_200_000...4_102_444_800_000, ...4_102_444_800_000): return .unixTimeMilliseconds
    case (978_307_200...4_102_444_800, ...4_102_444_800): return .unixTime
    case (189_000_000...978_307_200, ...978_307_200): return .appleReferenceTime
    default:
      if numbers.maximum >= 189_000_000 { noteValues(index, "no time format: some numbers are not times between 2001 and 2100") }
      return nil
    }
  }
}

/// Concludes which places take their values from short lists.
///
/// The evidence for a list is that its values repeat: the rarest one often enough that a further value is unlikely. Places whose
/// names end with the same word and whose values overlap, such as `currency` and `expenseCurrency`, share a list and their evidence.
extension Drafter {
  private static let groupLimit = 100

  mutating func concludeEnums() {
    // The places whose names are those of kinds, by the last word.
    var candidates: [String: [Int]] = [:]
    for index in places.indices where map.pointers[index] != nil && formats[index] == nil {
      let words = map.nameWords(of: index)
      let isKind = examine(index, words)
      if isKind, let last = words.words.last { candidates[last, default: []].append(index) }
    }
    for (_, group) in candidates.sorted(by: { $0.key < $1.key }) { pool(group) }
  }

  private mutating func noteNoEnum(_ index: Int, _ message: String) { noteValues(index, "no enum: " + message) }

  /// - Returns: true if the place has the name of a kind, and a few values.
  private mutating func examine(_ index: Int, _ words: NameWords) -> Bool {
    let place = places[index]
    let isText = place.texts.count > 0
    guard isText || place.numbers.count > 0 && place.numbers.areIntegers else { return false }
    let isKind = isText ? words.isKind : words.isNumericKind
    guard place.texts.count + place.numbers.count + place.nulls == place.count, place.texts.count == 0 || place.numbers.count == 0
    else {
      if words.isKind { noteNoEnum(index, "values of several types") }
      return false
    }
    guard !place.tally.isOver else {
      if isKind { noteNoEnum(index, "more than \(ValueTally.limit) distinct values, or long ones") }
      return false
    }
    if strictness == .tight {
      // The numbers of keys, times and amounts repeat, too, but don't make a short list.
      if !isText, !isKind, words.isUniqueName || words.isTime || words.isAmount { return false }
    } else {
      if !isText, !isKind { return false }
      let prose = place.tally.values.first { Self.isProse($0.text) }
      let reason =
        words.isProse
        ? "the name suggests free text" : prose.map { "'\($0.string.prefix(20))' looks like free text" } ?? openness(place, words)
      if isText, let reason {
        noteNoEnum(index, reason)
        return false
      }
    }
    let counts = place.tally.values.map(\.count)
    if isEnough(counts, isKind: isKind, isOncePerDocument: map.single.contains(index)) {
      enums[index] = place.tally.values.map(\.string)
    } else {
      let rarest = counts.min() ?? 0
      noteNoEnum(
        index,
        counts.count == 1
          ? rarest == 1 ? "there is one value" : "all \(rarest.counted("value")) are the same"
          : "\(counts.reduce(0, +).counted("value")), \(counts.count.grouped) distinct, the rarest \(rarest == 1 ? "once" : rarest.counted("time"))"
      )
    }
    return isKind
  }

  /// Returns why further values are likely, or `nil`.
  private func openness(_ place: ValueStatistics, _ words: NameWords) -> String? {
    if words.isKind { return nil }
    if words.isUniqueName || words.isParticipant { return "the name suggests that there are further values" }
    // `walking`, `IN_PROGRESS`: not names of people and places, or numbers of things.
    let isOpen = place.tally.values.contains { value in
      value.text.contains { (0x30...0x39).contains($0) }
        || value.text.first.map { (0x41...0x5A).contains($0) } == true
          && value.text.contains { $0 >= 0x61 }
    }
    return isOpen ? "the values look like names or numbers of things, of which there are further ones" : nil
  }

  private func isEnough(_ counts: [Int], isKind: Bool, isOncePerDocument: Bool = false) -> Bool {
    let count = counts.reduce(0, +)
    // The values per distinct value, the most distinct values, and the count of the rarest one.
    let (share, limit, least): (Int, Int, Int) =
      switch strictness {
      case .loose: (20, 16, 5)
      case .normal: isKind ? (isOncePerDocument ? 3 : 4, 40, 2) : (8, 24, 3)
      case .tight: (2, 48, 1)
      }
    if counts.count == 1 {
      // Many documents show a constant. Many records of few don't: the next document may have a second value.
      guard isKind, count >= 10, isOncePerDocument || strictness == .tight else { return false }
    }
    return counts.count <= limit && count >= share * counts.count && counts.allSatisfy { $0 >= least }
  }

  /// Quotation marks, backslashes, line breaks and ends of sentences.
  private static func isProse(_ text: [UInt8]) -> Bool {
    text.contains { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
      || text.last.map { [UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "?")].contains($0) } ?? false
  }

  /// Joins the values of places that share a list, the one with most values first.
  private mutating func pool(_ group: [Int]) {
    var rest = Array(group.sorted { places[$0].count > places[$1].count }.prefix(Self.groupLimit))
    while let first = rest.first {
      var counts = places[first].tally.values
      var members = [first]
      for index in rest.dropFirst() where (places[index].texts.count > 0) == (places[first].texts.count > 0) {
        let others = places[index].tally.values
        let common = others.count { value in counts.contains { $0.text == value.text } }
        guard common >= 2, common * 2 >= others.count else { continue }
        members.append(index)
        for value in others {
          if let known = counts.firstIndex(where: { $0.text == value.text }) {
            counts[known].count += value.count
          } else {
            counts.append(value)
          }
        }
      }
      rest.removeAll(where: members.contains)
      guard members.count > 1, isEnough(counts.map(\.count), isKind: true) else { continue }
      for index in members {
        enums[index] = counts.map(\.string)
        let pointer = map.pointer(of: index)
        valueNotes.removeAll { $0.pointer == pointer && $0.message.hasPrefix("no enum: ") }
      }
    }
  }
}
