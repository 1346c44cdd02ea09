/// How much memory may still be taken, in bytes.
struct MemoryBudget {
  private(set) var left: Int

  static var unlimited: MemoryBudget { MemoryBudget(bytes: .max) }

  init(bytes: Int) { left = max(0, bytes) }

  /// Takes `bytes`, if there are so many.
  mutating func take(_ bytes: Int) -> Bool {
    guard bytes <= left else { return false }
    left -= bytes
    return true
  }

  /// Takes `bytes` that are in use already, be there so many or not.
  mutating func charge(_ bytes: Int) { left -= bytes }

  mutating func giveBack(_ bytes: Int) { left += bytes }
}
