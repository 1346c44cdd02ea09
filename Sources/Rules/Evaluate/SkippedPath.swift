import JSONEvents

/// The path into a value that no rule applies to, from its start to the reader's position.
///
/// While a value is skipped, only brackets are counted. When the place of a key is needed, the events up to it are followed.
/// Before a batch is released, the rest of its events are followed, so that the next batch can continue.
///
///     [ {…}, {"a": [ 1, {"b":      levels    [ 1 ] ─ a ─ [ 1 ] ─ b
struct SkippedPath: Sendable {
  private struct Level: Sendable {
    let isObject: Bool
    /// The number of items that have ended.
    var index = 0
    /// The last key as a token of a reported pointer, and its length in bytes.
    var token = ""
    var length = 0
    /// The index of the last key in the current batch, if it has not been copied yet; otherwise -1.
    var event = -1
  }

  /// The offset of the skipped value.
  private var start = -1
  /// True if `levels` belong to that value.
  private var isFollowed = false
  private var levels: [Level] = []
  /// The offset from which events have not been followed yet.
  private var next = 0

  @inline(__always)
  mutating func begin(at offset: Int) {
    start = offset
    isFollowed = false
  }

  /// Keeps what is needed of the batch before it is released, if the value has not ended.
  @inline(never)
  mutating func keep(_ batch: EventBatch) {
    follow(batch, to: batch.count)
    for level in levels.indices where levels[level].event >= 0 {
      let key = batch.text(of: batch[levels[level].event])
      (levels[level].token, levels[level].length) = (key.reportedToken, key.count)
      levels[level].event = -1
    }
  }

  /// Returns the pointer of a key, relative to the skipped value: `/0/name`.
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

  /// The pointer of the innermost open container, relative to the skipped value. All events must have been kept.
  var containerPointer: String {
    ReportedPointer.text(max(0, levels.count - 1)) {
      levels[$0].isObject ? .name(levels[$0].token, length: levels[$0].length) : .index(levels[$0].index)
    }
  }

  // MARK: Slices

  /// Continues elsewhere in the open array, if there is one: after `index` items.
  mutating func enter(index: Int, offset: Int) {
    guard isFollowed, !levels.isEmpty else { return }
    levels[levels.count - 1].index = index
    next = offset
  }

  /// Notes that `count` items of the open array have been read elsewhere.
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
    // The first event at `next` or after it.
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
