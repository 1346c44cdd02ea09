import JSONEvents

/// The distinct values of a place and how often each occurs, as long as they are few and short.
///
/// Memory: up to 4 KiB.
struct ValueTally: Sendable {
  static let limit = 64
  private static let textLimit = 100
  private static let sizeLimit = 2048

  struct Value: Sendable {
    var count: Int
    var text: [UInt8]

    var string: String { String(decoding: text, as: UTF8.self) }
  }

  private var hashes: ContiguousArray<UInt64> = []
  private(set) var values: ContiguousArray<Value> = []
  private var size = 0
  /// True if there were more values than the limits allow. Then none is kept.
  private(set) var isOver = false
  private var last = 0

  @inline(__always)
  mutating func count(_ text: ByteView, _ hash: UInt64) {
    if isOver { return }
    if last < hashes.count, hashes[last] == hash {
      values[last].count += 1
    } else {
      search(text, hash)
    }
  }

  private mutating func search(_ text: ByteView, _ hash: UInt64) {
    if let index = hashes.firstIndex(of: hash) {
      values[index].count += 1
      last = index
    } else if text.count > Self.textLimit {
      giveUp()
    } else {
      add(hash, Value(count: 1, text: text.array))
    }
  }

  private mutating func add(_ hash: UInt64, _ value: Value) {
    size += value.text.count
    guard hashes.count < Self.limit, size <= Self.sizeLimit else { return giveUp() }
    hashes.append(hash)
    values.append(value)
    last = hashes.count - 1
  }

  /// A tally without values. It stays over its limits.
  var blank: ValueTally {
    var blank = ValueTally()
    blank.isOver = isOver
    return blank
  }

  mutating func giveUp() {
    isOver = true
    hashes = []
    values = []
  }

  mutating func merge(_ other: ValueTally) {
    if isOver || other.isOver { return giveUp() }
    for (hash, value) in zip(other.hashes, other.values) where !isOver {
      if let index = hashes.firstIndex(of: hash) { values[index].count += value.count } else { add(hash, value) }
    }
  }
}
