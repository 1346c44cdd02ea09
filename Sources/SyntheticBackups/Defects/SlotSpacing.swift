/// Which records of a collection carry a defect: `count` of them, evenly spread, none of the first ones, never two neighbours.
///
/// Asked by index, so that a reference can avoid such records, wherever they stand, without a list of them.
struct SlotSpacing: Sendable {
  private let records: Int
  private let count: Int
  /// How many records at the start carry none: the first one, and those that others rely upon.
  private let start: Int

  /// The most defects that a collection can carry.
  static func capacity(records: Int, firstSound: Int) -> Int { max(0, records - max(0, firstSound - 1)) / 2 }

  init(records: Int, count: Int, firstSound: Int) {
    precondition(count <= Self.capacity(records: records, firstSound: firstSound), "more defects than records allow")
    start = max(0, firstSound - 1)
    self.records = records - start
    self.count = count
  }

  /// The record that carries the defect `slot` (from 0): the middle of its share of the collection.
  func index(ofSlot slot: Int) -> Int? {
    slot < count ? start + (2 * slot + 1) * records / (2 * count) : nil
  }

  func contains(_ index: Int) -> Bool {
    guard count > 0, index > start else { return false }
    let place = index - start
    // The first slot whose record is not before `place`: (2 × slot + 1) × records ≥ 2 × count × place, rounded up.
    let slot = max(0, (2 * count * place - records + 2 * records - 1) / (2 * records))
    return self.index(ofSlot: slot) == index
  }
}
