/// What a `SegmentedTable` is made of: a member, or several neighbours.
protocol TableSlot: BitwiseCopyable {
  /// A slot that holds nothing.
  static var free: Self { get }
  var isFree: Bool { get }

  func hash(seed: UInt64) -> UInt64
  /// Whether `other` belongs into this same slot.
  func isPlace(of other: Self) -> Bool
  /// Whether this slot holds what `other` does.
  func includes(_ other: Self) -> Bool
  /// Takes in what `other` holds.
  mutating func formUnion(_ other: Self)
}
