import Findings

/// Duplicates of one key that are graded by whether their records are equal (`ifEqual`).
///
/// Each equal record is reported by two violations at one offset: of its key, and of the key with the whole record. So the counts are exact
/// whatever is kept, and the first equal ones are always among the first duplicates.
///
/// Memory: at most 2 × `limit` violations and as many offsets.
struct GradedDuplicates {
  private let limit: Int
  private(set) var count = 0
  private(set) var equalCount = 0
  /// The first ones in document order.
  private var kept: [KeyViolation] = []
  private var equalOffsets: [Int] = []

  init(limit: Int) { self.limit = limit }

  mutating func add(_ violation: KeyViolation) {
    count += 1
    kept.append(violation)
    if kept.count >= 2 * limit { kept = Array(first.prefix(limit)) }
  }

  mutating func addEqual(at offset: Int) {
    equalCount += 1
    equalOffsets.append(offset)
    if equalOffsets.count >= 2 * limit { equalOffsets = Array(equalOffsets.sorted().prefix(limit)) }
  }

  /// The first duplicates in document order, and whether their records equal earlier ones.
  var details: [(violation: KeyViolation, isEqual: Bool)] {
    let equal = Set(equalOffsets)
    return first.prefix(limit).map { ($0, equal.contains($0.offset)) }
  }

  private var first: [KeyViolation] { kept.sorted { $0.offset < $1.offset } }
}
