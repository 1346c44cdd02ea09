/// Violations that differ only in their places: the first ones are written, and the others counted.
struct RepeatedViolation {
  /// The number of rows written, and the greatest offset of them.
  private var written = 0
  private var lastOffset = -1
  /// The index of the row that counts the others, or -1.
  private var others = -1

  /// Returns true if the row is among the first ones and must be written, otherwise counts it.
  ///
  /// It is true for all of the first ones, and for some later ones if the rows are out of order.
  ///
  /// - Parameters:
  ///   - limit: the number of first ones.
  ///   - counted: the rows that count others, of all repetitions.
  mutating func isFirst(
    _ row: KeyRecord, limit: Int, _ counted: inout [KeyRecord], _ budget: inout MemoryBudget
  ) -> Bool {
    let violation = row.violation
    // Nested records end before those around them, so offsets may descend.
    let isFirst = written < limit || violation.offset <= lastOffset
    if isFirst, violation.count == 1 {
      written += 1
      lastOffset = max(lastOffset, violation.offset)
      return true
    }
    guard others >= 0 else {
      others = counted.count
      counted.append(row)
      budget.charge(MemoryLayout<KeyRecord>.stride)
      return false
    }
    let count = counted[others].violation.count + violation.count
    if violation.offset < counted[others].violation.offset { counted[others] = row }
    counted[others].violation.count = count
    return false
  }
}

extension [KeyRecord] {
  /// The rows in an order that depends only on their content, if they differ in their place, step or target.
  var sortedByContent: [KeyRecord] { sorted { $0.sortKey.lexicographicallyPrecedes($1.sortKey) } }
}

extension KeyRecord {
  fileprivate var sortKey: [UInt64] {
    let base = self.base.map { [UInt64(UInt32(bitPattern: $0.set))] + $0.key.words } ?? []
    return [
      UInt64(bitPattern: Int64(violation.offset)), UInt64(UInt32(bitPattern: violation.step)), UInt64(operation.rawValue),
      UInt64(bitPattern: Int64(set)),
    ] + key.words + base
  }
}

extension KeyValue {
  fileprivate var words: [UInt64] { [UInt64(form.rawValue), low, high] }
}
