import JSONEvents

/// The way into a value that no rule looks at, from where it begins to where the reader stands.
///
/// While a value is skipped only brackets are counted. Who wants to know where in it a key stands has the events followed up to there;
/// and when their batch goes, the rest of them, so that the next batch can be followed.
///
///     [ {…}, {"a": [ 1, {"b":      levels    [ 1 ] ─ a ─ [ 1 ] ─ b
struct SkippedPath: Sendable {
  private struct Level: Sendable {
    let isObject: Bool
    /// How many items have ended.
    var index = 0
    /// The last key as a token of a reported pointer, and how many bytes it has.
    var token = ""
    var length = 0
    /// Where in the batch at hand the last key stands, which has not been copied yet; or -1.
    var event = -1
  }

  /// The offset of the value that is skipped.
  private var start = -1
  /// Whether `levels` belong to it.
  private var isFollowed = false
  private var levels: [Level] = []
  /// The offset from which on nothing has been followed yet.
  private var next = 0

  @inline(__always)
  mutating func begin(at offset: Int) {
    start = offset
    isFollowed = false
  }

  /// The batch is about to go, and the value has not ended.
  @inline(never)
  mutating func keep(_ batch: EventBatch) {
    follow(batch, to: batch.count)
    for level in levels.indices where levels[level].event >= 0 {
      let key = batch.text(of: batch[levels[level].event])
      (levels[level].token, levels[level].length) = (key.reportedToken, key.count)
      levels[level].event = -1
    }
  }

  /// The pointer of a key in the value, counted from that: `/0/name`.
  mutating func pointer(toKeyAt index: Int, of batch: EventBatch) -> String {
    follow(batch, to: index + 1)
    return ReportedPointer.text(levels.count) {
      let level = levels[$0]
      if level.event >= 0 {
        let key = batch.text(of: batch[level.event])
        return .name(key.reportedToken, length: key.count)
      }
      return level.isObject ? .name(level.token, length: level.length) : .index(level.index)
    }
  }

  // MARK: Slices

  /// Goes on at another place of the array that is open, if there is one: behind so many items.
  mutating func enter(index: Int, offset: Int) {
    guard isFollowed, !levels.isEmpty else { return }
    levels[levels.count - 1].index = index
    next = offset
  }

  /// So many items of the array that is open have been read elsewhere.
  mutating func advance(by count: Int) {
    guard isFollowed, !levels.isEmpty else { return }
    levels[levels.count - 1].index += count
  }

  // MARK: Following

  /// Follows the events before `end` that have not been followed yet.
  private mutating func follow(_ batch: EventBatch, to end: Int) {
    if !isFollowed {
      isFollowed = true
      levels.removeAll(keepingCapacity: true)
      next = start
    }
    // The first event at `next` or behind it.
    var index = 0
    var upper = end
    while index < upper {
      let middle = (index + upper) / 2
      if batch.offset(of: batch[middle]) < next { index = middle + 1 } else { upper = middle }
    }
    guard index < end else { return }
    while index < end {
      follow(batch[index].kind, index)
      index += 1
    }
    next = batch.offset(of: batch[end - 1]) + 1
  }

  private mutating func follow(_ kind: Event.Kind, _ index: Int) {
    switch kind {
    case .objectStart: levels.append(Level(isObject: true))
    case .arrayStart: levels.append(Level(isObject: false))
    case .key: if !levels.isEmpty { levels[levels.count - 1].event = index }
    case .objectEnd, .arrayEnd:
      _ = levels.popLast()
      endValue()
    case .null, .false, .true, .number, .string: endValue()
    }
  }

  private mutating func endValue() {
    if let last = levels.last, !last.isObject { levels[levels.count - 1].index += 1 }
  }
}
