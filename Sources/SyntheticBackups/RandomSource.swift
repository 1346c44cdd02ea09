import ByteStreams

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; constants from Vigna's
/// splitmix64.c).
///
/// Every value has its own source, so that any value of any record can be computed without those before it. Draws are integers
/// only: the same seed gives the same draws on every platform.
struct RandomSource: Sendable, RandomNumberGenerator {
  private var state: UInt64

  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Creates the source of one value.
  ///
  /// The start is mixed: sources with neighbouring states would otherwise give the same draws, shifted by one.
  init(state: UInt64) { self.state = state.scattered }

  mutating func next() -> UInt64 {
    state &+= Self.increment
    return state.scattered
  }

  /// Returns a number in `0..<bound`. The bias of the multiplication is below 2⁻³² for the bounds in use, which doesn't matter
  /// here.
  mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Returns a number from `low` to `high`, inclusive.
  mutating func within(_ low: Int64, _ high: Int64) -> Int64 {
    high > low ? low + Int64(below(Int(high - low) + 1)) : low
  }

  mutating func element<Element>(of choices: [Element]) -> Element { choices[choices.count == 1 ? 0 : below(choices.count)] }

  /// Returns the state of the item at an index of a sequence: a collection of the document, a record of it, an item of an array.
  static func state(in sequence: UInt64, at index: Int) -> UInt64 {
    (sequence &+ (UInt64(truncatingIfNeeded: index) &+ 1) &* increment).scattered
  }

  /// Returns a number that distinguishes the values at one place from those at others.
  static func salt(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }.scattered
  }
}
