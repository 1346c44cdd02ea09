import GRDB

/// Finds the staged rows that are identical to the row at their place in the database, so they need no further work.
///
///     staged     1  2  3  4  5  6          rows 1 and 2 are identical, with offset 0
///     database   1  2     4  5  6  7       3 is missing; from 4 on, the rows are one place further: offset 1
///
/// SQLite compares both tables in order, a few thousand rows at a time. If several consecutive rows differ, some of them are
/// looked up by their keys, which gives the offset of the following rows.
///
/// Cost: about 0.3 µs per row of twelve columns if nothing differs, or twice that if a row is missing in every thousand.
struct TableAlignment {
  /// Consecutive staged rows whose place in the database is their number plus `offset`.
  struct Run {
    var numbers: ClosedRange<Int64>
    let offset: Int64
  }

  private(set) var runs: [Run] = []

  private static let chunkSizes: ClosedRange<Int64> = 512...4096
  /// The maximum number of offset changes within one chunk: unordered rows then cost only a few comparisons each.
  private static let switchLimit = 8

  /// - Parameters:
  ///   - last: the number of the last staged row. The first one has 1.
  ///   - other: receives the number of each row that differs, and its place.
  init(
    _ stored: ExistingTable, last: Int64, in database: Database, other: (_ number: Int64, _ place: Int64) throws -> Void
  ) throws {
    let table = stored.layout
    // The staged rows numbered ?1 to ?2 that differ from the target row whose number is greater by ?3. In a table with a key, a
    // staged row without one always differs.
    let condition = table.key.isEmpty ? stored.isIdentical : "\(stored.hasKey) AND \(stored.isIdentical)"
    let different = try database.makeStatement(
      sql: """
        SELECT s.rowid FROM \(table.staged) s LEFT JOIN \(table.target) m ON m.rowid = s.rowid + ?3
        WHERE s.rowid BETWEEN ?1 AND ?2 AND (m.rowid IS NULL OR NOT (\(condition))) ORDER BY s.rowid
        """)
    // An app may have dropped the index of the key.
    let canLocate = try table.indexes.first.map { try $0.columns == table.key && database.has($0) } ?? false
    let locating =
      try canLocate
      ? database.makeStatement(
        sql: "SELECT m.rowid FROM \(table.staged) s JOIN \(table.target) m ON \(stored.sameKey) WHERE s.rowid = ?") : nil
    func rows(_ numbers: ClosedRange<Int64>, _ offset: Int64) throws -> [Int64] {
      try Int64.fetchAll(different, arguments: [numbers.lowerBound, numbers.upperBound, offset])
    }
    func offset(of number: Int64) throws -> Int64? {
      guard let locating, let place = try Int64.fetchOne(locating, arguments: [number]) else { return nil }
      let (offset, overflows) = place.subtractingReportingOverflow(number)
      // `number + offset` must not overflow: an app's row numbers may be near Int64.max.
      return overflows || offset >= Int64.max - last ? nil : offset
    }
    var (first, present, size): (Int64, Int64, Int64) = (1, 0, Self.chunkSizes.upperBound)
    while first <= last {
      let end = min(first + size - 1, last)
      var found = try rows(first...end, present)
      var switches = 0
      search: while locating != nil, switches < Self.switchLimit, let start = Self.firstBlock(found) {
        let rest = found[start...]
        for sample in [rest[start], rest[start + rest.count / 2], rest[found.count - 1]] {
          guard let candidate = try offset(of: sample), candidate != present else { continue }
          let following = try rows(rest[start]...end, candidate)
          if following.count >= rest.count { continue }
          for number in found[..<start] { try other(number, number + present) }
          if rest[start] > first { append(Run(numbers: first...rest[start] - 1, offset: present)) }
          (first, present, found) = (rest[start], candidate, following)
          switches += 1
          continue search
        }
        break
      }
      for number in found { try other(number, number + present) }
      append(Run(numbers: first...end, offset: present))
      size = switches == 0 ? min(size * 2, Self.chunkSizes.upperBound) : max(size / 2, Self.chunkSizes.lowerBound)
      first = end + 1
    }
  }

  /// Returns the start of the first block of eight consecutive numbers. Fewer consecutive changes don't justify a search for
  /// another offset.
  private static func firstBlock(_ numbers: [Int64]) -> Int? {
    numbers.indices.first { $0 + 7 < numbers.count && numbers[$0 + 7] == numbers[$0] + 7 }
  }

  private mutating func append(_ run: Run) {
    if let last = runs.last, last.offset == run.offset {
      runs[runs.count - 1].numbers = last.numbers.lowerBound...run.numbers.upperBound
    } else {
      runs.append(run)
    }
  }
}
