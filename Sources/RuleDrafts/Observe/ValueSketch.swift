import JSONEvents

/// The smallest hashes of a set of values: enough to count the values and to test whether another set may contain them.
///
///     all hashes    |·· · ··  ·|  ·    · ··   ·  ·    ·  · · ·   ·  ·
///     kept           these       threshold
///
/// A set of up to `size` values is kept whole. Of a larger set, the sketch has every hash below the threshold, so a set that
/// lacks one of them can't contain this one: `mayBeContained(in:)` is never wrong when it says no.
///
/// Memory: 11 to 22 bytes for each kept hash, at most 32 KiB.
struct ValueSketch: Sendable {
  static let size = 1024
  private var hashes: Set<UInt64> = []
  /// Hashes from here on are not kept.
  private(set) var threshold: UInt64

  /// - Parameter threshold: hashes from here on are not kept.
  init(threshold: UInt64 = .max) { self.threshold = threshold }

  var count: Int { hashes.count }

  /// True if all hashes are kept.
  var isWhole: Bool { threshold == .max }

  /// The number of distinct values, exact if `isWhole`.
  var distinctCount: Int {
    if isWhole { return count }
    let share = Double(threshold) / 18_446_744_073_709_551_616
    // Chosen values can have hashes that are all small.
    return Int(min(Double(count) / share, 1e15))
  }

  @inline(__always)
  mutating func insert(_ hash: UInt64) {
    if hash < threshold, hashes.insert(hash).inserted, count >= 2 * Self.size { shrink() }
  }

  /// Makes a sketch depend only on its values, not on their order.
  mutating func settle() {
    if !isWhole, count > Self.size { shrink() }
  }

  /// Keeps the smallest hashes.
  private mutating func shrink() {
    let sorted = hashes.sorted()
    threshold = sorted[Self.size]
    hashes = Set(sorted.prefix(Self.size))
  }

  mutating func merge(_ other: ValueSketch) {
    if other.threshold < threshold {
      threshold = other.threshold
      hashes = hashes.filter { $0 < threshold }
    }
    for hash in other.hashes { insert(hash) }
  }

  /// Returns false if these values are certainly not all among the other ones.
  func mayBeContained(in other: ValueSketch) -> Bool {
    if isWhole, other.isWhole, count > other.count { return false }
    return hashes.allSatisfy { $0 >= other.threshold || other.hashes.contains($0) }
  }

  /// Returns true if both sets have a value for certain.
  func overlaps(_ other: ValueSketch) -> Bool { !hashes.isDisjoint(with: other.hashes) }
}

/// The distinct values of a place and how often each occurs, as long as they are few and short.
///
/// Memory: up to 4 KiB.
struct ValueTally: Sendable {
  static let limit = 64
  private static let textLimit = 100
  private static let sizeLimit = 2048

  struct Value: Sendable {
    var count: Int
    let text: [UInt8]
    /// False for a number.
    let isText: Bool

    var string: String { String(decoding: text, as: UTF8.self) }
  }

  private var hashes: ContiguousArray<UInt64> = []
  private(set) var values: ContiguousArray<Value> = []
  private var size = 0
  /// True if there were more values than the limits allow. Then none is kept.
  private(set) var isOver = false
  private var last = 0

  /// - Parameter hash: that of the value, or `nil` if it is too long for one.
  @inline(__always)
  mutating func count(_ text: ByteView, _ hash: UInt64?, isText: Bool) {
    if isOver { return }
    guard let hash else { return giveUp() }
    if last < hashes.count, hashes[last] == hash {
      values[last].count += 1
    } else {
      search(text, hash, isText: isText)
    }
  }

  private mutating func search(_ text: ByteView, _ hash: UInt64, isText: Bool) {
    if let index = hashes.firstIndex(of: hash) {
      values[index].count += 1
      last = index
    } else if text.count > Self.textLimit {
      giveUp()
    } else {
      add(hash, Value(count: 1, text: text.array, isText: isText))
    }
  }

  private mutating func add(_ hash: UInt64, _ value: Value) {
    size += value.text.count
    guard hashes.count < Self.limit, size <= Self.sizeLimit else { return giveUp() }
    hashes.append(hash)
    values.append(value)
    last = hashes.count - 1
  }

  /// The hash of the last value, or `nil` if values aren't kept.
  var lastHash: UInt64? { last < hashes.count ? hashes[last] : nil }

  /// Returns the index of a value.
  func index(ofHash hash: UInt64) -> Int? { hashes.firstIndex(of: hash) }

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

/// A 64-bit hash of a scalar, for sketches and small sets.
///
/// It has no secret key, so that results of different threads and runs can be merged and repeated. An attacker
/// who makes values collide gets poor proposals, which the second pass refutes, and nothing else: all sets have limits.
enum ValueHash {
  /// The length of the longest text that is hashed. Longer values can't be keys.
  static let lengthLimit = 1024

  /// - Parameter text: a text of an `EventBatch`, which is followed by eight readable bytes.
  @inline(__always)
  static func hash(_ text: ByteView, isNumber: Bool) -> UInt64 {
    var hash: UInt64 = (isNumber ? 0x9E37_79B9_7F4A_7C15 : 0xD1B5_4A32_D192_ED03) ^ UInt64(text.count)
    var index = 0
    while index + 8 <= text.count {
      hash = mix(hash ^ text.word(at: index))
      index += 8
    }
    if index < text.count { hash = mix(hash ^ text.dropFirst(index).leadingWordOfPadded) }
    return finish(hash)
  }

  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    return product.high ^ product.low
  }

  /// Spreads a hash evenly, which the estimates of sketches need.
  @inline(__always)
  private static func finish(_ hash: UInt64) -> UInt64 {
    var hash = hash
    hash ^= hash >> 32
    hash = hash &* 0xE703_7ED1_A0B4_28DB
    hash ^= hash >> 29
    return hash
  }
}
