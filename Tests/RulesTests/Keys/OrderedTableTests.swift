import TestSupport
import Testing

@testable import Rules

@Suite struct OrderedTableTests {
  /// A number with a hash that the test chooses.
  private struct Entry: TableSlot, Hashable {
    var number: UInt64
    var hash: UInt64

    static var free: Entry { Entry(number: 0, hash: 0) }
    var isFree: Bool { number == 0 }
    func isPlace(of other: Entry) -> Bool { number == other.number }
    func includes(_ other: Entry) -> Bool { true }
    mutating func formUnion(_ other: Entry) {}
  }

  /// Distributions of hashes. Members are found with all of them.
  enum Spread: CaseIterable {
    case even, allTheSame, allTheLast, lastOnes, firstAndLast

    fileprivate func hash(using random: inout SeededRandom) -> UInt64 {
      switch self {
      case .even: random.next()
      case .allTheSame: 0x1234_5678_9ABC_DEF0
      case .allTheLast: .max
      case .lastOnes: .max - random.next() >> 50
      case .firstAndLast: Bool.random(using: &random) ? 0 : .max
      }
    }
  }

  @Test(arguments: Spread.allCases, [0, 600, 20_000, 1 << 30])
  func `a table has exactly the inserted members`(spread: Spread, bytes: Int) {
    var random = SeededRandom(seed: 5)
    var budget = MemoryBudget(bytes: bytes)
    var table = OrderedTable<Entry>()
    var members: Set<Entry> = []
    for number in 1...3000 as ClosedRange<UInt64> {
      let entry = Entry(number: number, hash: spread.hash(using: &random))
      switch table.insert(entry, within: &budget) {
      case .new: members.insert(entry)
      case .known: Issue.record("\(entry) was inserted before")
      case .noRoom: break
      }
      let isMember = table.includes(entry)
      #expect(isMember == members.contains(entry))
      let memory = table.memory
      #expect(memory + budget.left == bytes && budget.left >= 0)
    }
    let lost = members.count { !table.includes($0) }
    #expect(lost == 0)
    let known = members.count { table.insert($0, within: &budget) == .known }
    #expect(known == members.count)
    if bytes == 1 << 30 { #expect(members.count == 3000) }
  }
}
