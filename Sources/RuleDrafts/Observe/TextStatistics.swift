import JSONEvents
import Rules

/// What the strings of a place have in common.
struct TextStatistics: Sendable {
  /// The formats that are looked for. A weaker one follows the one that implies it.
  static let formats: [StringFormat] = [
    .dateTimeSeconds, .dateTime, .date, .time, .duration, .uuid, .email, .idnEmail, .uri, .iri, .ipv4, .ipv6, .colorHex,
    .currency,
    .decimal, .base64,
  ]
  private static let weaker: UInt32 = bit(.dateTime) | bit(.idnEmail) | bit(.iri)
  /// Longer texts than these have no format but base64.
  private static let lengthLimit = 4096

  private static func bit(_ format: StringFormat) -> UInt32 { 1 << UInt32(formats.firstIndex(of: format) ?? 31) }

  private(set) var count = 0
  private(set) var minimumLength = Int.max
  /// The formats that all texts have, as bits in the order of `formats`; a weaker format's bit counts only if the stronger one's is clear.
  private var formatBits: UInt32 = (1 << UInt32(formats.count)) - 1
  private(set) var earliest: Instant?
  private(set) var latest: Instant?
  /// True if every text has `://`, which sets addresses apart from other texts with a colon.
  private(set) var hasAuthorities = true
  /// The kinds of characters in texts that may be base64, as bits: small and capital letters, digits, `+` and `/`, `=` at the end.
  private var base64Characters: UInt8 = 0
  /// True if texts that may be base64 don't look like other words: paths have slashes, too, phone numbers `+`.
  var looksLikeBase64: Bool { base64Characters & 16 != 0 || base64Characters == 15 }
  /// True if a decimal number has a leading zero, as codes have.
  private(set) var hasLeadingZero = false
  /// How all texts spell dates, if no format has this spelling; `nil` before the first text.
  private var spelling: DateSpelling?

  @inline(__always)
  mutating func add(_ text: ByteView) {
    count += 1
    let length = text.count
    if length < minimumLength { minimumLength = length }
    if formatBits != 0 { testFormats(text) }
    if spelling != DateSpelling.none { spelling = DateSpelling(text).joined(with: spelling) }
  }

  /// How all texts spell dates, if rules can't compare them.
  var dateSpelling: DateSpelling? { spelling == DateSpelling.none ? nil : spelling }

  private mutating func testFormats(_ text: ByteView) {
    var rest = formatBits
    if text.count > Self.lengthLimit { rest &= Self.bit(.base64) }
    var kept: UInt32 = 0
    while rest != 0 {
      let number = rest.trailingZeroBitCount
      let bit: UInt32 = 1 << UInt32(number)
      rest &= ~bit
      guard accepts(text, Self.formats[number]) else { continue }
      kept |= bit
      // The format implies the weaker one, which needs no test.
      let next = bit << 1
      if next & Self.weaker != 0, formatBits & next != 0 {
        kept |= next
        rest &= ~next
      }
    }
    formatBits = kept
  }

  private mutating func accepts(_ text: ByteView, _ format: StringFormat) -> Bool {
    switch format {
    case .dateTimeSeconds, .dateTime, .date:
      guard let instant = format.instant(text) else { return false }
      if let known = earliest, known <= instant {} else { earliest = instant }
      if let known = latest, known >= instant {} else { latest = instant }
      return true
    case .uri, .iri:
      guard format.accepts(text) else { return false }
      if hasAuthorities, !Self.hasAuthority(text) { hasAuthorities = false }
      return true
    case .base64:
      guard text.count >= 4, format.accepts(text) else { return false }
      if !looksLikeBase64, text.count >= 8 { addCharacters(text) }
      return true
    case .decimal:
      guard text.count > 0, format.accepts(text) else { return false }
      if text.count > 1, text[0] == UInt8(ascii: "0"), text[1] != UInt8(ascii: ".") { hasLeadingZero = true }
      return true
    default: return text.count > 0 && format.accepts(text)
    }
  }

  private static func hasAuthority(_ text: ByteView) -> Bool {
    var index = 0
    while index + 3 <= min(text.count, 32) {
      if text[index] == UInt8(ascii: ":") { return text[index + 1] == UInt8(ascii: "/") && text[index + 2] == UInt8(ascii: "/") }
      index += 1
    }
    return false
  }

  /// Notes what characters of base64 a text has.
  private mutating func addCharacters(_ text: ByteView) {
    if text[text.count - 1] == UInt8(ascii: "=") { base64Characters |= 16 }
    for index in 0..<min(text.count, 256) {
      switch text[index] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): base64Characters |= 1
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): base64Characters |= 2
      case UInt8(ascii: "0")...UInt8(ascii: "9"): base64Characters |= 4
      case UInt8(ascii: "+"), UInt8(ascii: "/"): base64Characters |= 8
      default: break
      }
    }
  }

  /// The formats that all texts have, the stronger ones first.
  var formats: [StringFormat] {
    count == 0 ? [] : Self.formats.indices.filter { formatBits & (1 << UInt32($0)) != 0 }.map { Self.formats[$0] }
  }

  /// Statistics without texts, for further ones: only the formats are tested that all texts so far have.
  var blank: TextStatistics {
    var blank = TextStatistics()
    blank.formatBits = formatBits
    if spelling == DateSpelling.none { blank.spelling = spelling }
    return blank
  }

  mutating func merge(_ other: TextStatistics) {
    guard other.count > 0 else { return }
    guard count > 0 else { return self = other }
    count += other.count
    minimumLength = min(minimumLength, other.minimumLength)
    formatBits &= other.formatBits
    if let instant = other.earliest { earliest = min(earliest ?? instant, instant) }
    if let instant = other.latest { latest = max(latest ?? instant, instant) }
    hasAuthorities = hasAuthorities && other.hasAuthorities
    base64Characters |= other.base64Characters
    spelling = other.spelling?.joined(with: spelling)
    hasLeadingZero = hasLeadingZero || other.hasLeadingZero
  }
}

/// Spellings of dates that no format has, so that rules can't compare them.
enum DateSpelling: Sendable {
  case dots, slashes, yearFirst, withoutOffset
  /// Another text.
  case none

  /// Examples, for notes.
  var example: String {
    switch self {
    case .dots: "31.12.2026"
    case .slashes: "31/12/2026"
    case .yearFirst: "2026/12/31"
    case .withoutOffset: "2026-12-31 23:59, without an offset"
    case .none: ""
    }
  }

  /// Returns the spelling if both have it.
  fileprivate func joined(with other: DateSpelling?) -> DateSpelling { other == nil || other == self ? self : .none }

  /// Reads three numbers with separators, of which the first or the last is a year: `31.12.2026`, `2026/12/31 23:59`.
  fileprivate init(_ text: ByteView) {
    self = .none
    guard (8...32).contains(text.count) else { return }
    var index = 0
    func number() -> Int {
      let start = index
      while index < text.count, (0x30...0x39).contains(text[index]) { index += 1 }
      return index - start
    }
    let first = number()
    guard index < text.count else { return }
    let separator = text[index]
    guard separator == UInt8(ascii: ".") || separator == UInt8(ascii: "/") || separator == UInt8(ascii: "-") else { return }
    index += 1
    let second = number()
    guard index < text.count, text[index] == separator, (1...2).contains(second) else { return }
    index += 1
    let third = number()
    let isYearFirst = first == 4 && (1...2).contains(third)
    guard isYearFirst || third == 4 && (1...2).contains(first) else { return }
    let hasTime = index < text.count
    guard !hasTime || text[index] == UInt8(ascii: " ") || text[index] == UInt8(ascii: ",") || text[index] == UInt8(ascii: "T")
    else {
      return
    }
    switch (isYearFirst, separator) {
    case (true, UInt8(ascii: "-")): self = hasTime && !Self.hasOffset(text) ? .withoutOffset : .none
    case (true, _): self = .yearFirst
    case (false, UInt8(ascii: ".")): self = .dots
    default: self = .slashes
    }
  }

  /// True for `…Z` and `…+02:00`.
  private static func hasOffset(_ text: ByteView) -> Bool {
    if text[text.count - 1] | 0x20 == UInt8(ascii: "z") { return true }
    return text.count >= 6 && (text[text.count - 6] == UInt8(ascii: "+") || text[text.count - 6] == UInt8(ascii: "-"))
  }
}
