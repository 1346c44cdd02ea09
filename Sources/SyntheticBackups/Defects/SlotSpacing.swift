/// The records of a collection that carry a defect: `count` of them, evenly spread, none of the first ones, never two neighbours.
///
/// Computed by index, so that references can avoid such records anywhere without a list of them.
struct SlotSpacing: Sendable {
  private let records: Int
  private let count: Int
  /// The number of records at the start without defects: the first one, and those that others require.
  private let start: Int

  /// Returns the maximum number of defects in a collection.
  static func capacity(records: Int, firstValid: Int) -> Int { max(0, records - max(0, firstValid - 1)) / 2 }

  init(records: Int, count: Int, firstValid: Int) {
    precondition(count <= Self.capacity(records: records, firstValid: firstValid), "more defects than the records can carry")
    start = max(0, firstValid - 1)
    self.records = records - start
    self.count = count
  }

  /// Returns the record that carries the defect `slot` (from 0): the middle of its share of the collection.
  func index(ofSlot slot: Int) -> Int? {
    slot < count ? start + (2 * slot + 1) * records / (2 * count) : nil
  }

  func contains(_ index: Int) -> Bool {
    guard count > 0, index > start else { return false }
    let place = index - start
    // The first slot whose record is at or after `place`: (2 × slot + 1) × records ≥ 2 × count × place, rounded up.
    let slot = max(0, (2 * count * place - records + 2 * records - 1) / (2 * records))
    return self.index(ofSlot: slot) == index
  }
}
