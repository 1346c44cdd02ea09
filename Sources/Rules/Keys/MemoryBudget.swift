/// The memory that is still available, in bytes.
struct MemoryBudget {
  private(set) var left: Int

  static var unlimited: MemoryBudget { MemoryBudget(bytes: .max) }

  init(bytes: Int) { left = max(0, bytes) }

  /// Takes `bytes` if they are available.
  mutating func take(_ bytes: Int) -> Bool {
    guard bytes <= left else { return false }
    left -= bytes
    return true
  }

  /// Takes `bytes` that are already in use, available or not.
  mutating func charge(_ bytes: Int) { left -= bytes }

  mutating func giveBack(_ bytes: Int) { left += bytes }
}
