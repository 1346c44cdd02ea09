import JSONEvents

/// Follows the events of a value along the names of a JSON Pointer.
///
///     { "cars": […], "data": { "expenses": [ {…}, {…} ] } }        /data/expenses
///     1                      2             3                       open brackets; only the first two are on the path
struct PointerPath {
  let tokens: [String]
  /// The number of open brackets.
  private(set) var depth = 0
  /// The number of outermost brackets on the path.
  private(set) var matchedDepth = 0
  /// True if the next value in the innermost of those is on the path, too.
  private var isSelected = true
  /// The index of that container's next item, or `nil` for an object.
  private var itemIndex: Int?

  init(_ tokens: [String]) { self.tokens = tokens }

  /// Takes the next event. If it begins a value on the path, returns the number of names that lead to it.
  mutating func follow(_ event: Event, of batch: EventBatch) -> Int? {
    let kind = event.kind
    let outerDepth = depth
    let isStart = kind == .objectStart || kind == .arrayStart
    let isEnd = kind == .objectEnd || kind == .arrayEnd
    depth += isStart ? 1 : isEnd ? -1 : 0
    guard outerDepth == matchedDepth else { return nil }
    if kind == .key {
      isSelected = matchedDepth > 0 && batch.text(of: event).elementsEqual(tokens[matchedDepth - 1])
      return nil
    }
    if isEnd {
      matchedDepth -= 1
      isSelected = false
      itemIndex = nil
      return nil
    }
    if let index = itemIndex {
      isSelected = String(index) == tokens[matchedDepth - 1]
      itemIndex = index + 1
    }
    guard isSelected else { return nil }
    isSelected = false
    let count = matchedDepth
    if isStart, count < tokens.count {
      matchedDepth += 1
      itemIndex = kind == .arrayStart ? 0 : nil
    }
    return count
  }
}

extension ByteView {
  /// Compares bytes: Swift's strings are also equal if only their normalisation differs.
  fileprivate func elementsEqual(_ name: String) -> Bool {
    name.utf8.count == count && name.utf8.enumerated().allSatisfy { self[$0.offset] == $0.element }
  }
}
