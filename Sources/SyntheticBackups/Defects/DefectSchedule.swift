/// Determines, record by record, the variant that a collection's next record carries.
///
/// Variants are mixed evenly: each slot goes to the variant furthest below its share. Memory: a few numbers per variant.
struct DefectSchedule: Sendable {
  private let spacing: SlotSpacing
  private let total: Int
  private var shares: [(variant: Int, planned: Int, planted: Int)]
  private var slot = 0
  private var nextIndex: Int?

  init(_ site: DefectVariant.Site, spacing: SlotSpacing, allocation: DefectAllocation) {
    self.spacing = spacing
    shares = allocation.variants.indices
      .filter { allocation.variants[$0].site == site && allocation.tallies[$0] > 0 }
      .map { ($0, allocation.tallies[$0], 0) }
    total = shares.reduce(0) { $0 + $1.planned }
    nextIndex = spacing.index(ofSlot: 0)
  }

  /// Returns the number of the variant that the record at `index` carries. Indices must ascend.
  mutating func defect(at index: Int) -> Int? {
    guard index == nextIndex else { return nil }
    slot += 1
    nextIndex = spacing.index(ofSlot: slot)
    var furthestBehind = 0
    var largestLag = Int.min
    for (place, share) in shares.enumerated() where share.planted < share.planned {
      let lag = share.planned * slot - share.planted * total
      if lag > largestLag { (furthestBehind, largestLag) = (place, lag) }
    }
    shares[furthestBehind].planted += 1
    return shares[furthestBehind].variant
  }
}
