/// An element of an `OrderedTable`: one member, or several neighbours.
protocol TableSlot: BitwiseCopyable {
  /// An empty slot.
  static var free: Self { get }
  var isFree: Bool { get }

  /// The hash, uniform over all 64 bits.
  var hash: UInt64 { get }
  /// Returns whether `other` belongs in this slot; false if this slot is free.
  func isPlace(of other: Self) -> Bool
  /// Returns whether this slot, which must be the place of `other`, holds the members of `other`.
  func includes(_ other: Self) -> Bool
  /// Adds the members of `other`.
  mutating func formUnion(_ other: Self)
}
