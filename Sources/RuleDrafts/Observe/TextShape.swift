import JSONEvents

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
