import JSONEvents

/// Follows the events of a value along several JSON Pointers at the same time; none of them leads into an array.
///
///     { "version": 2, "metadata": { "createdAt": "…", "count": 7 } }       /version, /metadata/createdAt, /metadata/count
///     root            └ metadata                                           open brackets on a path
struct PointerTree {
  /// The number of open brackets.
  private(set) var depth = 0
  private var nodes = [Node()]
  /// The nodes of the outermost open containers on a path.
  private var open: [Int] = []
  /// The node of the next value in the innermost of those, if it has one.
  private var next: Int? = 0

  private struct Node {
    var children: [(name: [UInt8], node: Int)] = []
    /// The pointers that end here.
    var pointers: [Int] = []
  }

  init(_ pointers: [[String]]) {
    for (number, tokens) in pointers.enumerated() {
      var node = 0
      for token in tokens {
        let name = Array(token.utf8)
        if let known = nodes[node].children.first(where: { $0.name == name }) {
          node = known.node
        } else {
          nodes.append(Node())
          nodes[node].children.append((name, nodes.count - 1))
          node = nodes.count - 1
        }
      }
      nodes[node].pointers.append(number)
    }
  }

  /// Takes the next event. If it begins a value that pointers name, returns the indices of those pointers.
  mutating func follow(_ event: Event, of batch: EventBatch) -> [Int] {
    let kind = event.kind
    let outerDepth = depth
    let isStart = kind == .objectStart || kind == .arrayStart
    let isEnd = kind == .objectEnd || kind == .arrayEnd
    depth += isStart ? 1 : isEnd ? -1 : 0
    guard outerDepth == open.count else { return [] }
    if kind == .key {
      guard let innermost = open.last else { return [] }
      let text = batch.text(of: event)
      next =
        nodes[innermost].children.first { child in
          child.name.withUnsafeBufferPointer { name in
            guard let start = name.baseAddress else { return text.count == 0 }
            return ByteView(start, count: name.count).elementsEqual(text)
          }
        }?.node
      return []
    }
    if isEnd {
      open.removeLast()
      next = nil
      return []
    }
    guard let node = next else { return [] }
    next = nil
    if kind == .objectStart { open.append(node) }
    return nodes[node].pointers
  }
}

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
