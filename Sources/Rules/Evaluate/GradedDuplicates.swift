import Findings

/// Duplicates of one key, graded by whether their records are equal (`ifEqual`).
///
/// Each equal record causes two violations at the same offset: of its key, and of the key combined with the whole record. So the
/// counts are exact regardless of what is kept, and the first equal ones are always among the first duplicates.
///
/// Memory: at most 2 × `limit` violations and as many offsets.
struct GradedDuplicates {
  private let limit: Int
  private(set) var count = 0
  private(set) var equalCount = 0
  /// The first violations in document order.
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

  /// The first duplicates in document order, each with whether its record equals an earlier one.
  var details: [(violation: KeyViolation, isEqual: Bool)] {
    let equal = Set(equalOffsets)
    return first.prefix(limit).map { ($0, equal.contains($0.offset)) }
  }

  private var first: [KeyViolation] { kept.sorted { $0.offset < $1.offset } }
}
