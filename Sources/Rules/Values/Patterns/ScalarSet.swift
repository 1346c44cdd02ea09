/// A set of characters: a class in a pattern, or an escape such as `\s`.
struct ScalarSet: Equatable {
  static let digits = ScalarSet([0x30...0x39])
  static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  /// If case is ignored, `\w` also contains the characters that fold to an ASCII letter: the long s and the Kelvin sign (section
  /// 22.2.2.7.3).
  static let wordIgnoringCase = ScalarSet(word.ranges + [0x17F...0x17F, 0x212A...0x212A])
  /// WhiteSpace and LineTerminator (sections 12.2 and 12.3).
  static let whiteSpace = ScalarSet([
    0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F, 0x205F...0x205F,
    0x3000...0x3000, 0xFEFF...0xFEFF,
  ])
  static let lineTerminators = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])
  static let everything = ScalarSet([0...0x10FFFF])
  static let nothing = ScalarSet([])

  /// The ranges: sorted for constants and complements, in source order for a class.
  private(set) var ranges: [ClosedRange<UInt32>]
  /// Properties that only PCRE2 knows, such as `\p{Lu}`.
  private(set) var properties: [String] = []
  var isNegated = false

  init(_ ranges: [ClosedRange<UInt32>]) { self.ranges = ranges }

  /// Creates the set of the characters with a property, in PCRE2's spelling.
  init(property: String) {
    self.ranges = []
    self.properties = [property]
  }

  /// All other characters. The receiver's ranges must be in order, and it must have no properties.
  var complement: ScalarSet {
    var rest: [ClosedRange<UInt32>] = []
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { rest.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    if next <= 0x10FFFF { rest.append(next...0x10FFFF) }
    return ScalarSet(rest)
  }

  mutating func insert(_ other: ScalarSet) {
    ranges += other.ranges
    properties += other.properties
  }

  /// Adds a range of code points. Surrogates are left out, because UTF-8 has none.
  mutating func insert(_ range: ClosedRange<UInt32>) {
    let lower = (0xD800...0xDFFF).contains(range.lowerBound) ? 0xE000 : range.lowerBound
    let upper = (0xD800...0xDFFF).contains(range.upperBound) ? 0xD7FF : range.upperBound
    if lower <= upper { ranges.append(lower...upper) }
  }
}
