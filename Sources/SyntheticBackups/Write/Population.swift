/// The population of a document: the number of records in each collection, and the records that carry a defect.
///
/// Everything else is computed from the seed and a record's index, so that a record can refer to one that is written later, and a
/// gigabyte takes no more memory than a kilobyte.
struct Population: Sendable {
  let seed: UInt64
  /// The number of records of each collection.
  let counts: [Int]
  let slots: [SlotSpacing]

  init(seed: UInt64, counts: [Int], defects: [Int]? = nil, plan: Plan) {
    self.seed = seed
    self.counts = counts
    slots = counts.indices.map { index in
      SlotSpacing(records: counts[index], count: defects?[index] ?? 0, firstValid: plan.collections[index].heads.count)
    }
  }
}
