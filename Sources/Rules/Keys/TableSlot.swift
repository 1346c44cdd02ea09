/// What an `OrderedTable` is made of: a member, or several neighbours.
protocol TableSlot: BitwiseCopyable {
  /// A slot that holds nothing.
  static var free: Self { get }
  var isFree: Bool { get }

  /// Scattered over all 64 bits.
  var hash: UInt64 { get }
  /// Whether `other` belongs into this same slot; never into a free one.
  func isPlace(of other: Self) -> Bool
  /// Whether this slot, which is `other`'s place, holds what `other` does.
  func includes(_ other: Self) -> Bool
  /// Takes in what `other` holds.
  mutating func formUnion(_ other: Self)
}
