/// Rows that differ only in their places: the first ones of each kind are written, and the others counted.
struct CountedRows {
  private struct Group: Hashable {
    let operation: KeyRecord.Operation
    let step: Int32
    let target: KeyLog.Target?
    let base: KeyLog.Target?
    /// The memory of a dictionary's entry, which may have a free one next to it.
    static let memory = 2 * (MemoryLayout<Group>.stride + MemoryLayout<Repetition>.stride)
  }

  private struct Repetition {
    /// The number of rows written, and the greatest offset of them.
    var written = 0
    var lastOffset = -1
    /// The index of the row that counts the others, or -1.
    var others = -1
  }

  /// The number of first ones.
  private let limit: Int
  private var groups: [Group: Repetition] = [:]
  /// The rows that count others.
  private var counted: [KeyRecord] = []

  init(limit: Int) { self.limit = limit }

  /// Returns true if the row is among the first ones and must be written, otherwise counts it. `nil` if there is no room for its kind.
  ///
  /// It is true for all of the first ones, and for some later ones if the rows are out of order.
  ///
  /// - Parameter target: the key that its kind has in common.
  mutating func isFirst(_ row: KeyRecord, of target: KeyLog.Target? = nil, within budget: inout MemoryBudget) -> Bool? {
    let violation = row.violation
    let group = Group(operation: row.operation, step: violation.step, target: target, base: row.base)
    var repetition = groups[group] ?? Repetition()
    if groups[group] == nil, !budget.take(Group.memory) { return nil }
    defer { groups[group] = repetition }
    // Nested records end before those around them, so offsets may descend.
    if violation.count == 1, repetition.written < limit || violation.offset <= repetition.lastOffset {
      repetition.written += 1
      repetition.lastOffset = max(repetition.lastOffset, violation.offset)
      return true
    }
    guard repetition.others >= 0 else {
      repetition.others = counted.count
      counted.append(row)
      budget.charge(MemoryLayout<KeyRecord>.stride)
      return false
    }
    let count = counted[repetition.others].violation.count + violation.count
    if violation.offset < counted[repetition.others].violation.offset { counted[repetition.others] = row }
    counted[repetition.others].violation.count = count
    return false
  }

  /// Forgets all, and returns the rows that count others, in an order that depends only on their content.
  mutating func removeAll() -> [KeyRecord] {
    let rows = counted.sorted { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
    (counted, groups) = ([], [:])
    return rows
  }
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
