import JSONEvents
import TestSupport

@testable import Rules

/// The key operations of a random document, in several logs.
struct RandomKeyLogs {
  static let setCount = 4
  /// The size of the document in bytes, which all places are within.
  static let length = 5000

  private(set) var logs: [KeyLog] = []
  private var log = KeyLog()
  private var random: SeededRandom
  private let pool: Int
  private var scopeCounts: [Int32] = []
  private var offset = 0
  private let stepCount: Int32

  /// - Parameter stepCount: the number of steps that the operations belong to.
  init(seed: UInt64, stepCount: Int32 = 301) {
    self.stepCount = stepCount
    random = SeededRandom(seed: seed)
    // From few keys that are often equal to many that rarely are.
    pool = [3, 40, 400, 100_000].randomElement(using: &random) ?? 3
    for _ in 0..<Int.random(in: 0...300, using: &random) {
      append()
      if chance(40) { cut() }
    }
    cut()
  }

  private mutating func cut() {
    logs.append(log)
    log = KeyLog()
  }

  private mutating func append() {
    offset = min(offset + Int.random(in: 0...16, using: &random), Self.length)
    let set = Int32.random(in: 0..<Int32(Self.setCount), using: &random)
    let step = Int32.random(in: 0..<stepCount, using: &random)
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<5:
      scopeCounts.append(.random(in: 0...3, using: &random))
      log.openScopes(scopeCounts.last ?? 0)
    case 5..<9 where !scopeCounts.isEmpty:
      scopeCounts.removeLast()
      log.closeScopes(downTo: scopeCounts.reduce(0, +))
    case 9..<30:
      let height = scopeCounts.reduce(0, +)
      if height == 0 { break }
      log.claim(key(), in: .scope(.random(in: 0..<height, using: &random)), step: step, at: site(), excerpt: excerpt())
    case 30..<50: log.claim(key(), in: .document(set), step: step, at: site(), excerpt: excerpt())
    case 50..<60: log.define(key(), in: set)
    default:
      // The base often has the same key in another set, like a reference with a condition on the record.
      let key = key()
      let base = chance(3) ? KeyLog.Target(set: (set + 1) % Int32(Self.setCount), key: chance(2) ? key : self.key()) : nil
      log.refer(to: key, in: set, step: step, at: site(), excerpt: excerpt(), refining: base)
    }
  }

  private mutating func site() -> KeySite {
    let pointer = ["", "/cars", "/expenses/\(Int.random(in: 0...3, using: &random))/a rather long name of an array"]
    var site = KeySite(
      container: log.container(pointer.randomElement(using: &random) ?? ""), index: .random(in: 0...1000, using: &random),
      offset: offset)
    if chance(5) { (site.line, site.column) = (Int.random(in: 1...1 << 40, using: &random), 7) }
    return site
  }

  private mutating func excerpt() -> KeyValue? { chance(4) ? key() : nil }

  private mutating func key() -> KeyValue {
    let number = Int.random(in: 0..<pool, using: &random)
    let digestKey = SipHash128.Key(low: 1, high: 2)
    let text: String
    switch number % 7 {
    case 0: return KeyValue(integer: Int64(number))
    case 1: return KeyValue(integer: Int64(number) << 40 - 1 << 50)
    case 2: return KeyValue(boolean: number % 2 == 0)
    case 3: text = String(repeating: "k", count: number % 16)
    case 4: text = "key \(number) has no short form"
    default:
      let digits = String(number, radix: 16, uppercase: number % 7 == 5)
      text = "550e8400-e29b-41d4-a716-".uppercased() + String(repeating: "0", count: 12 - digits.count) + digits
    }
    return ByteView.with(text) { KeyValue(string: $0, key: digestKey) }
  }

  private mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
}
