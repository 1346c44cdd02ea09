import Findings
import JSONEvents
import Rules

/// Concludes which places take their values from short lists.
///
/// The evidence for a list is that its values repeat: the rarest one often enough that a further value is unlikely. Places whose
/// names end with the same word and whose values overlap, such as `currency` and `expenseCurrency`, share a list and their evidence.
struct EnumConclusion: Sendable {
  private let places: ContiguousArray<Place>
  private let map: PlaceMap
  private let strictness: DraftStrictness
  /// The values, by place.
  private(set) var values: [Int: [String]] = [:]
  private(set) var notes: [DraftNote] = []
  /// The places whose names are those of kinds, by the last word.
  private var candidates: [String: [Int]] = [:]
  private static let groupLimit = 100

  init(_ places: ContiguousArray<Place>, _ map: PlaceMap, _ strictness: DraftStrictness, formats: [Int: StringFormat]) {
    self.places = places
    self.map = map
    self.strictness = strictness
    for index in places.indices where map.pointers[index] != nil && formats[index] == nil { examine(index) }
    for (_, group) in candidates.sorted(by: { $0.key < $1.key }) { pool(group) }
  }

  private mutating func note(_ index: Int, _ message: String) {
    notes.append(DraftNote(pointer: map.pointer(of: index), message: "no enum: " + message))
  }

  private static func tally(of place: Place) -> (tally: ValueTally, isText: Bool)? {
    if place.texts.count > 0 { return (place.texts.tally, true) }
    return place.numbers.count > 0 && place.numbers.areIntegers ? (place.numbers.tally, false) : nil
  }

  private mutating func examine(_ index: Int) {
    let place = places[index]
    guard let (tally, isText) = Self.tally(of: place) else { return }
    let words = map.nameWords(of: index)
    let isKind = isText ? words.isKind : words.isNumericKind
    guard place.texts.count + place.numbers.count + place.nulls == place.count, place.texts.count == 0 || place.numbers.count == 0
    else {
      if words.isKind { note(index, "values of several types") }
      return
    }
    guard !tally.isOver else {
      if isKind { note(index, "more than \(ValueTally.limit) distinct values, or long ones") }
      return
    }
    if strictness == .tight {
      // The numbers of keys, times and amounts repeat, too, but don't make a short list.
      if !isText, !isKind, words.isUniqueName || words.isTime || words.isAmount { return }
    } else {
      if isText, words.isProse { return note(index, "the name suggests free text") }
      if isText, let value = tally.values.first(where: { Self.isProse($0.text) }) {
        return note(index, "'\(value.string.prefix(20))' looks like free text")
      }
      if !isText, !isKind { return }
    }
    let counts = tally.values.map(\.count)
    if isEnough(counts, isKind: isKind) {
      values[index] = tally.values.map(\.string)
    } else {
      let rarest = counts.min() ?? 0
      note(
        index,
        "\(counts.reduce(0, +).counted("value")), \(counts.count.grouped) distinct, the rarest \(rarest == 1 ? "once" : rarest.counted("time"))"
      )
    }
    if isKind, let last = words.words.last { candidates[last, default: []].append(index) }
  }

  private func isEnough(_ counts: [Int], isKind: Bool) -> Bool {
    let count = counts.reduce(0, +)
    // The values per distinct value, the most distinct values, and the count of the rarest one.
    let (share, limit, least): (Int, Int, Int) =
      switch strictness {
      case .loose: (20, 16, 5)
      case .normal: isKind ? (3, 40, 2) : (8, 24, 3)
      case .tight: (2, 48, 1)
      }
    if counts.count == 1, !isKind || count < 10 { return false }
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
    while let first = rest.first, let (tally, isText) = Self.tally(of: places[first]) {
      var counts: [(text: [UInt8], count: Int)] = tally.values.map { ($0.text, $0.count) }
      var members = [first]
      for index in rest.dropFirst() {
        guard let (other, isOtherText) = Self.tally(of: places[index]), isText == isOtherText else { continue }
        let common = other.values.count { value in counts.contains { $0.text == value.text } }
        guard common >= 2, common * 2 >= other.values.count else { continue }
        members.append(index)
        for value in other.values {
          if let known = counts.firstIndex(where: { $0.text == value.text }) {
            counts[known].count += value.count
          } else {
            counts.append((value.text, value.count))
          }
        }
      }
      rest.removeAll(where: members.contains)
      guard members.count > 1, isEnough(counts.map(\.count), isKind: true) else { continue }
      let list = counts.map { String(decoding: $0.text, as: UTF8.self) }
      for index in members {
        values[index] = list
        let pointer = map.pointer(of: index)
        notes.removeAll { $0.pointer == pointer }
      }
    }
  }
}

/// Concludes the formats of strings, and of numbers that are times.
///
/// Most formats are so rare among other texts that the values alone decide. Decimals, currencies and base64 also need a name, or
/// many values.
struct FormatConclusion: Sendable {
  private let map: PlaceMap
  /// The formats, by place.
  private(set) var formats: [Int: StringFormat] = [:]
  private(set) var notes: [DraftNote] = []

  init(_ places: ContiguousArray<Place>, _ map: PlaceMap) {
    self.map = map
    for (index, place) in places.enumerated() where map.pointers[index] != nil {
      let words = map.nameWords(of: index)
      if place.texts.count > 0 {
        formats[index] = format(of: place.texts, words, index)
      } else if place.numbers.count > 0, words.isTime {
        formats[index] = format(of: place.numbers, index)
      }
    }
  }

  private mutating func note(_ index: Int, _ message: String) {
    notes.append(DraftNote(pointer: map.pointer(of: index), message: message))
  }

  private mutating func format(of texts: TextStatistics, _ words: NameWords, _ index: Int) -> StringFormat? {
    for format in texts.formats {
      switch format {
      case .dateTimeSeconds, .dateTime, .date, .time, .uuid, .email, .idnEmail, .ipv4, .ipv6, .colorHex, .duration: return format
      case .uri, .iri: if texts.hasAuthorities { return format }
      case .currency:
        if words.words.contains("currency") || texts.tally.isOver || texts.tally.values.count >= 3 { return format }
      case .decimal:
        if words.isKind || words.isCode || texts.hasLeadingZero {
          note(index, "no format decimal: the name or a leading zero suggests a code")
        } else if words.isAmount || texts.count >= 20 && (texts.tally.isOver || texts.tally.values.count >= 10) {
          return format
        }
      case .base64: if texts.minimumLength >= 8, texts.hasPadding { return format }
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
      if numbers.maximum >= 189_000_000 { note(index, "no time format: some numbers are not times between 2001 and 2100") }
      return nil
    }
  }
}

/// The pattern of texts with a shape.
extension TextShape {
  /// A pattern for `pattern`, or `nil` if the shape says little: it has no digits, doesn't vary, or is one run of any length.
  var pattern: String? {
    guard let runs, runs.contains(where: { $0.kinds & Run.digit != 0 }), runs.contains(where: { !$0.isConstant }) else {
      return nil
    }
    guard runs.count > 1 || runs[0].minimum == runs[0].maximum && runs[0].minimum >= 6 else { return nil }
    return "^" + runs.map(\.pattern).joined() + "$"
  }
}

extension TextShape.Run {
  fileprivate var pattern: String {
    if separator != 0 {
      let character = String(UnicodeScalar(separator))
      return "\\^$.*+?()[]{}|/".contains(character) ? "\\" + character : character
    }
    if isConstant { return String(decoding: prefix, as: UTF8.self) }
    // Letters that all have at the start, as in INV000123.
    let letters = prefix.prefix { $0 >= 0x41 }
    let head = letters.count < minimum ? String(decoding: letters, as: UTF8.self) : ""
    var characters = ""
    if kinds & Self.digit != 0 { characters += "0-9" }
    if kinds & (Self.upper | Self.upperHex) != 0 { characters += kinds & Self.upper != 0 ? "A-Z" : "A-F" }
    if kinds & (Self.lower | Self.lowerHex) != 0 { characters += kinds & Self.lower != 0 ? "a-z" : "a-f" }
    return head + "[\(characters)]" + (minimum == maximum ? "{\(minimum - head.utf8.count)}" : "+")
  }
}
