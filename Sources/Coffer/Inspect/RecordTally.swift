import BackupFormats
import Rules

/// The number of records in a part of a collection, and their earliest and latest dates.
///
/// Tallies are merged in document order, and the result doesn't depend on the slicing.
struct RecordTally: Sendable {
  var count = 0
  /// The kinds of values, as bits in the order of `ValueKind.allCases`.
  var kinds: UInt8 = 0
  var dated = 0
  var earliest: Instant?
  var latest: Instant?
  /// The number of items, by nested array of the plan.
  var nested: [Int]
  var unknown: NameTally
  /// The container entries that records name.
  var entries: Set<String> = []

  init(_ plan: CollectionPlan, unknownLimit: Int) {
    nested = Array(repeating: 0, count: plan.nested.count)
    unknown = NameTally(limit: unknownLimit)
  }

  mutating func add(_ instant: Instant) {
    dated += 1
    if let earliest, earliest <= instant {} else { earliest = instant }
    if let latest, latest >= instant {} else { latest = instant }
  }

  mutating func merge(_ next: RecordTally) {
    count += next.count
    kinds |= next.kinds
    if let other = next.earliest { earliest = min(earliest ?? other, other) }
    if let other = next.latest { latest = max(latest ?? other, other) }
    dated += next.dated
    for index in nested.indices { nested[index] += next.nested[index] }
    unknown.merge(next.unknown)
    if !next.entries.isEmpty { entries.formUnion(next.entries) }
  }
}

extension Inspection.ValueKind {
  /// The bit of the kind in `RecordTally.kinds`.
  var bit: UInt8 {
    switch self {
    case .null: 1
    case .boolean: 2
    case .number: 4
    case .string: 8
    case .array: 16
    case .object: 32
    }
  }

  /// Returns the kinds whose bits are set.
  static func kinds(_ bits: UInt8) -> [Inspection.ValueKind] { allCases.filter { bits & $0.bit != 0 } }
}
