/// What an `OrderedTable` is made of: a member, or several neighbours.
protocol TableSlot: BitwiseCopyable {
  /// A slot that holds nothing.
  static var free: Self { get }
  var isFree: Bool { get }

  /// Scattered over all 64 bits.
  var hash: UInt64 { get }
  /// Whether `other` belongs into this slot; false if this slot is free.
  func isPlace(of other: Self) -> Bool
  /// Whether this slot, which is `other`'s place, holds what `other` does.
  func includes(_ other: Self) -> Bool
  /// Adds the members of `other`.
  mutating func formUnion(_ other: Self)
}
