import JSONEvents
import TestSupport
import Testing

@testable import Rules

/// Ways in which keys lie in their range.
enum KeySpread: CaseIterable {
  case dense, descending, sparse, negative, strided, extreme

  func keys(_ count: Int, using random: inout SeededRandom) -> [Int64] {
    switch self {
    case .dense: (0..<count).map { Int64($0 * 3 / 4) }
    case .descending: (0..<count).map { Int64(1_000_000 - $0) }
    case .sparse: (0..<count).map { _ in Int64.random(in: .min ... .max, using: &random) }
    case .negative: (0..<count).map { _ in Int64.random(in: -2000...200, using: &random) }
    case .strided: (0..<count).map { Int64($0) << 32 }
    case .extreme:
      (0..<Int64(count)).map { (index: Int64) -> Int64 in index % 2 == 0 ? .min + index / 4 : .max - index / 4 }
    }
  }
}

@Suite struct KeySetTests {
  @Test(arguments: KeySpread.allCases, [0, 1, 0xDEAD_BEEF_0BAD_CAFE] as [UInt64])
  func integersAreHeldAsBySwiftsSet(spread: KeySpread, seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var set = IntegerKeySet(seed: seed)
    var oracle: Set<Int64> = []
    let keys = spread.keys(5000, using: &random)
    for key in keys {
      let isNew = set.insert(key)
      #expect(isNew == oracle.insert(key).inserted)
    }
    #expect(set.count == oracle.count)
    for key in keys {
      for neighbour in [key, key &+ 1, key &- 64, ~key] where set.contains(neighbour) != oracle.contains(neighbour) {
        Issue.record("\(neighbour) is taken for \(set.contains(neighbour) ? "a member" : "none")")
      }
    }
  }

  @Test func emptySetsHoldNothing() {
    #expect(!IntegerKeySet(seed: 1).contains(0))
    #expect(!WideKeySet(seed: 1).contains(0, 0))
    #expect(!WideKeySet(seed: 1).contains(1, 2))
    #expect(KeySet(seed: 1).count == 0)
  }

  @Test func wideKeysAreHeldAsBySwiftsSet() {
    struct Pair: Hashable { var low, high: UInt64 }
    var random = SeededRandom(seed: 17)
    var set = WideKeySet(seed: 17)
    var oracle: Set<Pair> = []
    for _ in 0..<10_000 {
      let range: ClosedRange<UInt64> = Bool.random(using: &random) ? 0...40 : 0...(.max)
      let pair = Pair(low: .random(in: range, using: &random), high: .random(in: range, using: &random))
      let isNew = set.insert(pair.low, pair.high)
      #expect(isNew == oracle.insert(pair).inserted)
    }
    #expect(set.count == oracle.count)
    for low in 0...42 as ClosedRange<UInt64> {
      for high in 0...42 as ClosedRange<UInt64> {
        #expect(set.contains(low, high) == oracle.contains(Pair(low: low, high: high)))
      }
    }
  }

  @Test func keysOfAllFormsLiveSideBySide() {
    let key = SipHash128.Key(low: 3, high: 4)
    let texts = ["", "1", "a", "123456789012345", "a string of more than fifteen bytes"]
    let uuids = ["550e8400-e29b-41d4-a716-446655440000", "550E8400-E29B-41D4-A716-446655440000"]
    var keys = (texts + uuids).map { text in ByteView.with(text) { KeyValue(string: $0, key: key) } }
    keys += ["0", "1", "0.5", "1e400"].map { text in ByteView.with(text) { KeyValue(number: $0, key: key) } }
    keys += [KeyValue(boolean: true), KeyValue(boolean: false)]
    var set = KeySet(seed: 5)
    for (count, value) in keys.enumerated() {
      #expect(!set.contains(value))
      let isNew = (set.insert(value), set.insert(value))
      #expect(isNew == (true, false))
      #expect(set.contains(value))
      #expect(set.count == count + 1)
    }
  }
}
