/// Which records of a collection carry a defect: `count` of them, evenly spread, never the first one, never two neighbours.
///
/// Asked by index, so that a reference can avoid such records, wherever they stand, without a list of them.
struct SlotSpacing: Sendable {
  private let records: Int
  private let count: Int

  /// The most defects that a collection can carry.
  static func capacity(records: Int) -> Int { records / 2 }

  init(records: Int, count: Int) {
    precondition(count <= max(1, Self.capacity(records: records)), "more defects than records allow")
    self.records = records
    self.count = count
  }

  /// The record that carries the defect `slot` (from 0): the middle of its share of the collection.
  func index(ofSlot slot: Int) -> Int? {
    slot < count ? (2 * slot + 1) * records / (2 * count) : nil
  }

  func contains(_ index: Int) -> Bool {
    guard count > 0 else { return false }
    // The first slot whose record is not before `index`: (2 × slot + 1) × records ≥ 2 × count × index, rounded up.
    let slot = max(0, (2 * count * index - records + 2 * records - 1) / (2 * records))
    return self.index(ofSlot: slot) == index
  }
}
