/// Follows the events of a value along JSON Pointers, one or several at the same time.
///
///     { "version": 2, "cars": [ {…}, {…} ], "metadata": { "createdAt": "…", "count": 7 } }       /version, /cars/1, /metadata/createdAt
///     root            └ cars               └ metadata                                             open brackets on a path
///
/// With `*` for any item, `/cars/*/id` is each car's id. Places are nodes: 0 is the value itself, and the names of a single pointer lead to 1, 2, 3 and so on.
package struct PointerTree: Sendable {
  /// The number of open brackets.
  package private(set) var depth = 0
  private var nodes = [Node()]
  /// The outermost open containers on a path.
  private var open: [Container] = []
  /// The node of the next value in the innermost of those, if it has one.
  private var next: Int? = 0
  /// The token that matches each item of an array, in place of its index.
  private let anyItem: [UInt8]?

  private struct Node {
    var children: [[UInt8]: Int] = [:]
    /// The pointers that end here.
    var pointers: [Int] = []

    func child(_ name: ByteView) -> Int? {
      // A dictionary needs a copy of the name: comparing it with a few is cheaper.
      children.count > 8 ? children[name.array] : children.first { name.elementsEqual($0.key) }?.value
    }
  }

  private struct Container {
    let node: Int
    /// The index of an array's next item.
    var item: Int?
  }

  /// - Parameter matchesItems: true if `*` matches each item of an array; otherwise an item is named by its index.
  package init(_ pointers: [[String]], matchesItems: Bool = false) {
    anyItem = matchesItems ? Array("*".utf8) : nil
    for (number, tokens) in pointers.enumerated() {
      var node = 0
      for token in tokens {
        let name = Array(token.utf8)
        if let known = nodes[node].children[name] {
          node = known
        } else {
          nodes.append(Node())
          nodes[node].children[name] = nodes.count - 1
          node = nodes.count - 1
        }
      }
      nodes[node].pointers.append(number)
    }
  }

  /// The number of outermost brackets on a path.
  package var matchedDepth: Int { open.count }

  /// Takes the next event. If it begins a value that pointers name, returns the indices of those pointers.
  package mutating func follow(_ event: Event, of batch: EventBatch) -> [Int] {
    node(of: event, in: batch).map { nodes[$0].pointers } ?? []
  }

  /// Takes the next event. If it begins a value on a path, returns its node.
  package mutating func node(of event: Event, in batch: EventBatch) -> Int? {
    let kind = event.kind
    let outerDepth = depth
    let isStart = kind == .objectStart || kind == .arrayStart
    let isEnd = kind == .objectEnd || kind == .arrayEnd
    depth += isStart ? 1 : isEnd ? -1 : 0
    guard outerDepth == open.count else { return nil }
    if kind == .key {
      next = open.last.flatMap { nodes[$0.node].child(batch.text(of: event)) }
      return nil
    }
    if isEnd {
      open.removeLast()
      next = nil
      return nil
    }
    if let container = open.last, let item = container.item {
      next = nodes[container.node].children[anyItem ?? Array(String(item).utf8)]
      open[open.count - 1].item = item + 1
    }
    guard let node = next else { return nil }
    next = nil
    if isStart, !nodes[node].children.isEmpty { open.append(Container(node: node, item: kind == .arrayStart ? 0 : nil)) }
    return node
  }
}

extension ByteView {
  fileprivate func elementsEqual(_ name: [UInt8]) -> Bool {
    name.withUnsafeBufferPointer { name in
      guard let start = name.baseAddress else { return count == 0 }
      return elementsEqual(ByteView(start, count: name.count))
    }
  }
}
