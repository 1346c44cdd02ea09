import JSONEvents
import TestSupport
import Testing

@testable import Rules

@Suite struct KeyTableTests {
  @Test(arguments: KeySpread.allCases, [0, 1, 0xDEAD_BEEF_0BAD_CAFE] as [UInt64])
  func `a table of integers behaves like a Set`(spread: KeySpread, seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var budget = MemoryBudget.unlimited
    var table = KeyTable(seed: seed)
    var oracle: Set<Int64> = []
    let keys = spread.keys(5000, using: &random)
    for key in keys {
      let insertion = table.insert(KeyValue(integer: key), within: &budget)
      #expect(insertion == (oracle.insert(key).inserted ? .new : .known))
    }
    for key in keys {
      for neighbour in [key, key &+ 1, key &- 64, ~key]
      where table.contains(KeyValue(integer: neighbour)) != oracle.contains(neighbour) {
        Issue.record("\(neighbour) is wrongly \(oracle.contains(neighbour) ? "missing" : "a member")")
      }
    }
  }

  @Test func `keys of all forms can be mixed`() {
    var random = SeededRandom(seed: 17)
    var budget = MemoryBudget.unlimited
    var table = KeyTable(seed: 17)
    var oracle: Set<KeyValue> = []
    for _ in 0..<20_000 {
      // Small numbers are equal in many forms, and zero in all forms.
      let range: ClosedRange<UInt64> = Bool.random(using: &random) ? 0...40 : 0...(.max)
      let form = KeyValue.Form.allCases.randomElement(using: &random) ?? .digest
      let high = form == .integer ? 0 : UInt64.random(in: range, using: &random)
      let key = KeyValue(form, .random(in: range, using: &random), high)
      let wasMember = table.contains(key)
      #expect(wasMember == oracle.contains(key))
      let insertion = table.insert(key, within: &budget)
      #expect(insertion == (oracle.insert(key).inserted ? .new : .known))
      let isMember = table.contains(key)
      #expect(isMember)
    }
  }

  @Test func `many keys are found in less than 26 bytes per key`() {
    let count: UInt64 = 200_000
    var budget = MemoryBudget.unlimited
    var table = KeyTable(seed: 3)
    for number in 0..<count { _ = table.insert(KeyValue(.digest, number, 1), within: &budget) }
    let lost = (0..<count).count { !table.contains(KeyValue(.digest, $0, 1)) }
    let made = (count..<count * 2).count { table.contains(KeyValue(.digest, $0, 1)) }
    #expect(lost == 0)
    #expect(made == 0)
    let memory = table.memory
    #expect(memory < Int(count) * 26)
  }

  @Test(arguments: [0, 100, 256, 1000, 30_000, 3_000_000])
  func `memory never exceeds the budget`(bytes: Int) {
    var budget = MemoryBudget(bytes: bytes)
    var table = KeyTable(seed: 5)
    var members: [UInt64] = []
    for number in TestDepth.cases(everyday: 50_000, deep: 200_000) as Range<UInt64> {
      switch table.insert(KeyValue(.shortString, number, 1), within: &budget) {
      case .new: members.append(number)
      case .known: Issue.record("\(number) was never inserted")
      case .noRoom: if table.contains(KeyValue(.shortString, number, 1)) { Issue.record("\(number) is in the table") }
      }
      if table.memory + budget.left != bytes || budget.left < 0 {
        Issue.record("\(table.memory) bytes taken, \(budget.left) left")
        break
      }
    }
    let lost = members.count { !table.contains(KeyValue(.shortString, $0, 1)) }
    #expect(lost == 0)
  }
}
