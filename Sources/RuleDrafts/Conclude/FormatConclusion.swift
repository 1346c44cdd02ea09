import JSONEvents
import Rules

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
