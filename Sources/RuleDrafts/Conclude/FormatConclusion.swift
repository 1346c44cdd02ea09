import Rules

/// Concludes the formats of strings.
///
/// Most formats are so rare among other texts that the values alone decide. Decimals, currencies and base64 also need a name, or many values.
struct FormatConclusion {
  private let map: PlaceMap
  /// The formats, by place.
  private(set) var formats: [Int: StringFormat] = [:]
  private(set) var notes: [DraftNote] = []

  init(_ places: ContiguousArray<Place>, _ map: PlaceMap) {
    self.map = map
    for (index, place) in places.enumerated() where map.pointers[index] != nil && place.texts.count > 0 {
      formats[index] = format(of: place.texts, map.nameWords(of: index), index)
    }
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
          notes.append(
            DraftNote(pointer: map.pointer(of: index), message: "no format decimal: the name or a leading zero suggests a code"))
        } else if words.isAmount || texts.count >= 20 && (texts.tally.isOver || texts.tally.values.count >= 10) {
          return format
        }
      case .base64: if texts.minimumLength >= 8, texts.hasPadding { return format }
      default: break
      }
    }
    return nil
  }
}
