/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; constants from Vigna's
/// splitmix64.c).
///
/// Every record has its own source, so that any record can be computed without those before it. Draws are integers only: the same
/// seed gives the same draws on every platform.
struct RandomSource: Sendable, RandomNumberGenerator {
  private var state: UInt64

  private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

  /// Creates the source of one record. `stream` distinguishes the collections.
  ///
  /// The start is mixed twice: sources with neighbouring starts would otherwise give the same draws, shifted by one.
  init(seed: UInt64, stream: UInt64, index: Int) {
    let stream = Self.mixed(seed &+ stream &* Self.increment)
    state = Self.mixed(stream &+ UInt64(index) &* Self.increment)
  }

  /// Creates the source of one value. `state` is a record's state plus the value's salt.
  init(state: UInt64) { self.state = Self.mixed(state) }

  mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mixed(state)
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

  /// A bijection of 64-bit numbers: distinct numbers stay distinct.
  static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
