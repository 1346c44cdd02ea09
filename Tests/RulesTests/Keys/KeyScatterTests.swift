import JSONEvents
import TestSupport
import Testing

@testable import Rules

@Suite struct KeyScatterTests {
  /// Linear probing is slow if hashes gather in places. The expected mean distance of a member from its home is 2 slots at 80 % load.
  @Test(arguments: ["x", "INV-", "2026-", "customer-"])
  func `numbered strings are spread evenly, whatever the seed`(prefix: String) {
    var random = SeededRandom(seed: 5)
    let keys = (0..<20_000).map { number in
      ByteView.with(prefix + String(number)) { KeyValue(string: $0, key: SipHash128.Key(low: 1, high: 2)) }
    }
    for _ in TestDepth.cases(everyday: 10, deep: 50) {
      let seed = random.next()
      let hashes = keys.map { KeyScatter.scatter($0.low, $0.high, seed: seed).high }.sorted()
      var (next, distance) = (0, 0)
      for hash in hashes {
        let home = Int(hash.multipliedFullWidth(by: UInt64(keys.count * 5 / 4)).high)
        let place = max(home, next)
        distance += place - home
        next = place + 1
      }
      #expect(distance < keys.count * 4, "seed \(seed)")
    }
  }
}
