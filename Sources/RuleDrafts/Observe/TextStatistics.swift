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
  private(set) var tally = ValueTally()
  private(set) var shape = TextShape()

  /// - Parameter hash: the text's hash, or `nil` if it is too long for one.
  @inline(__always)
  mutating func take(_ text: ByteView, _ hash: UInt64?) {
    count += 1
    let length = text.count
    if length < minimumLength { minimumLength = length }
    if let hash { tally.count(text, hash) } else if !tally.isOver { tally.giveUp() }
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
    blank.tally = tally.blank
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
    tally.merge(other.tally)
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
    var minimum = 0
    var maximum = 0
    /// The bytes that all texts have at the run's start.
    var prefix: [UInt8] = []

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

  mutating func take(_ text: ByteView) {
    if isBroken { return }
    guard text.count > 0, text.count <= Self.lengthLimit else { return giveUp() }
    if runs != nil { match(text) } else { runs = Self.runs(of: text) }
    if runs == nil { giveUp() }
  }

  /// Compares a text with the runs, without memory of its own.
  private mutating func match(_ text: ByteView) {
    guard var runs else { return }
    self.runs = nil
    var index = 0
    for number in runs.indices {
      guard index < text.count else { return }
      let kind = Self.kind(of: text[index])
      if runs[number].separator != 0 {
        guard text[index] == runs[number].separator else { return }
        index += 1
        continue
      }
      guard kind != 0, kind != 255 else { return }
      let start = index
      var kinds: UInt8 = 0
      var common = 0
      while index < text.count {
        let kind = Self.kind(of: text[index])
        guard kind != 0, kind != 255 else { break }
        kinds |= kind
        if common == index - start, common < runs[number].prefix.count, runs[number].prefix[common] == text[index] { common += 1 }
        index += 1
      }
      runs[number].kinds |= kinds
      runs[number].minimum = min(runs[number].minimum, index - start)
      runs[number].maximum = max(runs[number].maximum, index - start)
      if common < runs[number].prefix.count { runs[number].prefix.removeSubrange(common...) }
    }
    if index == text.count { self.runs = runs }
  }

  /// Returns `nil` for text with other characters than printable ASCII, or with too many runs.
  private static func runs(of text: ByteView) -> [Run]? {
    var runs: [Run] = []
    for index in 0..<text.count {
      let byte = text[index]
      let kind = kind(of: byte)
      if kind == 255 { return nil }
      if kind == 0 {
        runs.append(Run(separator: byte))
      } else {
        if runs.last.map({ $0.separator != 0 }) ?? true { runs.append(Run()) }
        runs[runs.count - 1].kinds |= kind
        runs[runs.count - 1].minimum += 1
        runs[runs.count - 1].maximum += 1
        runs[runs.count - 1].prefix.append(byte)
      }
      if runs.count > runLimit { return nil }
    }
    return runs
  }

  /// The kind of a letter or digit; 0 for other printable ASCII, 255 for the rest.
  @inline(__always)
  private static func kind(of byte: UInt8) -> UInt8 {
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
