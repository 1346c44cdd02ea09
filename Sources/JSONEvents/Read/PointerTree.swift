/// Follows the events of a value along JSON Pointers, one or several at the same time.
///
///     { "version": 2, "cars": [ {…}, {…} ], "metadata": { "createdAt": "…", "count": 7 } }       /version, /cars/1, /metadata/createdAt
///     root            └ cars               └ metadata                                             open brackets on a path
///
/// With `*` for any item, `/cars/*/id` is each car's id. Places are nodes: 0 is the value itself, and the names of a single pointer lead to 1, 2, 3 and so on.
package struct PointerTree: Sendable {
  /// The number of open brackets.
  package private(set) var depth = 0
  private let nodes: [Node]
  /// The names that lead on from nodes: those of one node follow each other.
  private let edges: [Edge]
  /// The outermost open containers on a path.
  private var open: [Container] = []
  /// The node of the next value in the innermost of those, or -1 if it has none.
  private var next = 0
  /// The token that matches each item of an array, in place of its index.
  private let anyItem: KnownName?

  private struct Node {
    var edges = 0..<0
    /// The edges of a node with many.
    var table: [[UInt8]: Int]?
    /// The pointers that end here.
    var pointers: [Int] = []
  }

  private struct Edge {
    let name: KnownName
    let node: Int
  }

  private struct Container {
    let node: Int
    /// The index of an array's next item.
    var item: Int?
  }

  /// - Parameter matchesItems: true if `*` matches each item of an array; otherwise an item is named by its index.
  package init(_ pointers: [[String]], matchesItems: Bool = false) {
    anyItem = matchesItems ? KnownName("*") : nil
    var children: [[(name: String, node: Int)]] = [[]]
    var ends: [[Int]] = [[]]
    var known: [Step: Int] = [:]
    for (number, tokens) in pointers.enumerated() {
      var node = 0
      for token in tokens {
        let step = Step(node: node, name: Array(token.utf8))
        if let next = known[step] {
          node = next
          continue
        }
        known[step] = children.count
        children[node].append((token, children.count))
        node = children.count
        children.append([])
        ends.append([])
      }
      ends[node].append(number)
    }
    var edges: [Edge] = []
    nodes = zip(children, ends).map { children, ends in
      let start = edges.count
      edges += children.map { Edge(name: KnownName($0.name), node: $0.node) }
      let table = children.count > 8 ? Dictionary(children.map { (Array($0.name.utf8), $0.node) }) { first, _ in first } : nil
      return Node(edges: start..<edges.count, table: table, pointers: ends)
    }
    self.edges = edges
  }

  private struct Step: Hashable {
    let node: Int
    let name: [UInt8]
  }

  /// Returns the node to which a name leads, or -1.
  @inline(__always)
  private func child(_ name: KnownName.Words, of node: Int, bytes: @autoclosure () -> [UInt8]) -> Int {
    if let table = nodes[node].table { return table[bytes()] ?? -1 }
    for index in nodes[node].edges where edges[index].name.matches(name) { return edges[index].node }
    return -1
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
      let name = batch.text(of: event)
      next = open.isEmpty ? -1 : child(KnownName.Words(name), of: open[open.count - 1].node, bytes: name.array)
      return nil
    }
    if isEnd {
      open.removeLast()
      next = -1
      return nil
    }
    if let container = open.last, let item = container.item {
      next = child(ofItem: item, in: container.node)
      open[open.count - 1].item = item + 1
    }
    guard next >= 0 else { return nil }
    let node = next
    next = -1
    if isStart, !nodes[node].edges.isEmpty { open.append(Container(node: node, item: kind == .arrayStart ? 0 : nil)) }
    return node
  }

  private func child(ofItem item: Int, in node: Int) -> Int {
    if let anyItem { return edges[nodes[node].edges].first { $0.name == anyItem }?.node ?? -1 }
    let name = Array(String(item).utf8)
    if let table = nodes[node].table { return table[name] ?? -1 }
    return edges[nodes[node].edges].first { $0.name.bytes == name }?.node ?? -1
  }
}
