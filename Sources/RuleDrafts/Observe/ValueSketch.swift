/// The smallest hashes of a set of values: enough to count the values and to test whether another set may contain them.
///
///     all hashes    |·· · ··  ·|  ·    · ··   ·  ·    ·  · · ·   ·  ·
///     kept           these       threshold
///
/// A set of up to `size` values is kept whole. Of a larger set, the sketch has every hash below the threshold, so a set that
/// lacks one of them can't contain this one: `mayBeContained(in:)` is never wrong when it says no.
///
/// Memory: 8 to 32 bytes for each kept hash, at most 32 KiB.
struct ValueSketch: Sendable {
  static let size = 1024

  /// Open addressing; 0 is empty. The capacity is a power of two.
  private var slots: ContiguousArray<UInt64> = []
  private(set) var count = 0
  /// Hashes from here on are not kept.
  private(set) var threshold: UInt64

  /// - Parameter threshold: hashes from here on are not kept.
  init(threshold: UInt64 = .max) { self.threshold = threshold }

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
    if hash < threshold { add(hash) }
  }

  private mutating func add(_ hash: UInt64) {
    if count * 2 >= slots.count { grow() }
    if Self.place(hash, in: &slots) { count += 1 }
    if count >= 2 * Self.size { shrink() }
  }

  /// Returns false if the hash is known.
  private static func place(_ hash: UInt64, in slots: inout ContiguousArray<UInt64>) -> Bool {
    let index = index(of: hash, in: slots)
    if slots[index] == hash { return false }
    slots[index] = hash
    return true
  }

  /// Returns the slot that has a hash, or the empty one for it.
  @inline(__always)
  private static func index(of hash: UInt64, in slots: ContiguousArray<UInt64>) -> Int {
    let mask = slots.count - 1
    var index = Int(truncatingIfNeeded: hash) & mask
    while slots[index] != 0, slots[index] != hash { index = (index + 1) & mask }
    return index
  }

  private mutating func grow() {
    var larger = ContiguousArray<UInt64>(repeating: 0, count: max(16, slots.count * 2))
    for hash in slots where hash != 0 { _ = Self.place(hash, in: &larger) }
    slots = larger
  }

  /// Makes a sketch depend only on its values, not on their order.
  mutating func settle() {
    if !isWhole, count > Self.size { shrink() }
  }

  /// Keeps the smallest hashes.
  private mutating func shrink() {
    let sorted = slots.filter { $0 != 0 }.sorted()
    threshold = sorted[Self.size]
    keep(sorted.prefix(Self.size))
  }

  private mutating func keep(_ hashes: some Collection<UInt64>) {
    for index in slots.indices { slots[index] = 0 }
    count = 0
    for hash in hashes where Self.place(hash, in: &slots) { count += 1 }
  }

  func contains(_ hash: UInt64) -> Bool {
    !slots.isEmpty && slots[Self.index(of: hash, in: slots)] == hash
  }

  mutating func merge(_ other: ValueSketch) {
    if other.threshold < threshold {
      threshold = other.threshold
      let kept = slots.filter { $0 != 0 && $0 < threshold }
      if !slots.isEmpty { keep(kept) }
    }
    if other.count == 0 { return }
    for hash in other.slots where hash != 0 { insert(hash) }
  }

  /// Returns false if these values are certainly not all among the other ones.
  func mayBeContained(in other: ValueSketch) -> Bool {
    if count == 0 { return true }
    if isWhole, other.isWhole, count > other.count { return false }
    return slots.allSatisfy { $0 == 0 || $0 >= other.threshold || other.contains($0) }
  }

  /// The number of kept hashes that both sets have for certain.
  func commonCount(with other: ValueSketch) -> Int { slots.count { $0 != 0 && other.contains($0) } }
}
