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
  /// Formats that leave no room for a pattern.
  private static let decisive: UInt32 =
    bit(.dateTimeSeconds) | bit(.dateTime) | bit(.date) | bit(.time) | bit(.uuid) | bit(.email) | bit(.ipv4) | bit(.ipv6)
    | bit(.colorHex)
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
  /// True if a text has characters that base64 has and other words lack.
  private(set) var hasPadding = false
  /// True if a decimal number has a leading zero, as codes have.
  private(set) var hasLeadingZero = false
  private(set) var shape = TextShape()

  @inline(__always)
  mutating func take(_ text: ByteView) {
    count += 1
    let length = text.count
    if length < minimumLength { minimumLength = length }
    if formatBits != 0 { testFormats(text) }
    if !shape.isBroken { takeShape(text) }
  }

  private mutating func takeShape(_ text: ByteView) {
    if formatBits & Self.decisive == 0 {
      // Earlier texts were not seen.
      if count > 1, shape.runs == nil { shape.giveUp() } else { shape.take(text) }
    }
  }

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
      if !hasPadding, text.count >= 8 { hasPadding = Self.hasPadding(text) }
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

  private static func hasPadding(_ text: ByteView) -> Bool {
    for index in 0..<min(text.count, 256)
    where text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "/") || text[index] == UInt8(ascii: "=") {
      return true
    }
    return text[text.count - 1] == UInt8(ascii: "=")
  }

  /// The formats that all texts have, the stronger ones first.
  var formats: [StringFormat] {
    count == 0 ? [] : Self.formats.indices.filter { formatBits & (1 << UInt32($0)) != 0 }.map { Self.formats[$0] }
  }

  /// Statistics without texts, for further ones: only the formats are tested that all texts so far have.
  var blank: TextStatistics {
    var blank = TextStatistics()
    blank.formatBits = formatBits
    blank.shape = shape.blank
    return blank
  }

  mutating func merge(_ other: TextStatistics) {
    guard other.count > 0 else { return }
    guard count > 0 else { return self = other }
    let sawAll = shape.runs != nil
    let otherSawAll = other.shape.runs != nil
    count += other.count
    minimumLength = min(minimumLength, other.minimumLength)
    formatBits &= other.formatBits
    if let instant = other.earliest { earliest = min(earliest ?? instant, instant) }
    if let instant = other.latest { latest = max(latest ?? instant, instant) }
    hasAuthorities = hasAuthorities && other.hasAuthorities
    hasPadding = hasPadding || other.hasPadding
    hasLeadingZero = hasLeadingZero || other.hasLeadingZero
    if sawAll, otherSawAll {
      shape.merge(other.shape)
    } else if sawAll != otherSawAll || formatBits & Self.decisive == 0 {
      shape.giveUp()
    }
  }
}

/// The common shape of texts such as `INV-000123`: runs of letters and digits, and the characters between them.
///
///     INV-000123.pdf      run "INV" · '-' · run of 6 digits · '.' · run "pdf"
struct TextShape: Sendable {
  /// Letters and digits of the same kinds.
  struct Run: Sendable {
    static let digit: UInt8 = 1
    /// Letters up to f, which are digits of hexadecimal numbers, and the others.
    static let lowerHex: UInt8 = 2
    static let lower: UInt8 = 4
    static let upperHex: UInt8 = 8
    static let upper: UInt8 = 16

    /// The separator, or 0 for letters and digits.
    var separator: UInt8 = 0
    var kinds: UInt8 = 0
    var minimum = Int.max
    var maximum = 0
    /// The bytes that all texts have at the run's start.
    var prefix: [UInt8] = []

    /// Takes the letters and digits from `index` on, and moves it past them.
    fileprivate mutating func take(_ text: ByteView, _ index: inout Int, isFirst: Bool) {
      let start = index
      var common = 0
      while index < text.count {
        let kind = TextShape.kind(of: text[index])
        if kind == 0 || kind == 255 { break }
        kinds |= kind
        if isFirst { prefix.append(text[index]) }
        if common == index - start, common < prefix.count, prefix[common] == text[index] { common += 1 }
        index += 1
      }
      minimum = min(minimum, index - start)
      maximum = max(maximum, index - start)
      if common < prefix.count { prefix.removeSubrange(common...) }
    }

    /// True if all texts are the same here.
    var isConstant: Bool { separator != 0 || minimum == maximum && prefix.count == maximum }
  }

  private static let runLimit = 12
  private static let lengthLimit = 64

  /// `nil` until the first text.
  private(set) var runs: [Run]?
  private(set) var isBroken = false

  /// An empty shape, which keeps `isBroken`.
  var blank: TextShape {
    var blank = TextShape()
    blank.isBroken = isBroken
    return blank
  }

  mutating func giveUp() {
    isBroken = true
    runs = nil
  }

  /// The first text makes the runs, and later ones are compared with them, without memory of their own.
  mutating func take(_ text: ByteView) {
    if isBroken { return }
    let isFirst = runs == nil
    var runs = runs ?? []
    giveUp()
    guard text.count > 0, text.count <= Self.lengthLimit else { return }
    var index = 0
    var number = 0
    while index < text.count {
      let kind = Self.kind(of: text[index])
      let separator = kind == 0 ? text[index] : 0
      if isFirst, number < Self.runLimit { runs.append(Run(separator: separator)) }
      guard kind != 255, number < runs.count, runs[number].separator == separator else { return }
      if kind == 0 { index += 1 } else { runs[number].take(text, &index, isFirst: isFirst) }
      number += 1
    }
    if number == runs.count { (self.runs, isBroken) = (runs, false) }
  }

  /// The kind of a letter or digit; 0 for other printable ASCII, 255 for the rest.
  @inline(__always)
  fileprivate static func kind(of byte: UInt8) -> UInt8 {
    switch byte {
    case 0x30...0x39: Run.digit
    case 0x61...0x66: Run.lowerHex
    case 0x67...0x7A: Run.lower
    case 0x41...0x46: Run.upperHex
    case 0x47...0x5A: Run.upper
    case 0x21...0x7E: 0
    default: 255
    }
  }

  mutating func merge(_ other: TextShape) {
    if other.isBroken { return giveUp() }
    guard !isBroken, let theirs = other.runs else { return }
    guard let ours = runs else { return runs = theirs }
    guard ours.count == theirs.count else { return giveUp() }
    var merged = ours
    for (number, their) in theirs.enumerated() {
      guard their.separator == ours[number].separator else { return giveUp() }
      merged[number].kinds |= their.kinds
      merged[number].minimum = min(ours[number].minimum, their.minimum)
      merged[number].maximum = max(ours[number].maximum, their.maximum)
      merged[number].prefix = Array(zip(ours[number].prefix, their.prefix).prefix { $0.0 == $0.1 }.map(\.0))
    }
    runs = merged
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
