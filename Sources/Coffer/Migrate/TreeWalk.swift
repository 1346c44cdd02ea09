import JSONEvents

/// Writes a tree, from its root to the next collection, whose items others write, and on from there.
struct TreeWalk {
  /// The containers that are open, innermost last.
  private var open: [ValueTree.Index] = []
  private var next = ValueTree.none
  /// The items of a collection have been written, which is still open.
  private var isInCollection = false
  private var hasStarted = false

  /// The number of open brackets, including a collection's.
  var depth: Int { open.count + (isInCollection ? 1 : 0) }

  /// Writes all of a tree that has no collections. What was written before is forgotten.
  mutating func writeAll(_ tree: inout ValueTree, to formatter: inout PlainFormatter) {
    hasStarted = false
    _ = write(&tree, to: &formatter)
  }

  /// Writes on up to a collection's opening bracket, and says which it is; `nil` at the end.
  mutating func write(_ tree: inout ValueTree, to formatter: inout PlainFormatter) -> Int? {
    if !hasStarted {
      hasStarted = true
      open.removeAll(keepingCapacity: true)
      next = tree.root
      tree.pad()
    }
    return tree.withTokens { nodes, start in
      if isInCollection {
        formatter.endArray()
        isInCollection = false
        leave(nodes, &formatter)
      }
      while next >= 0 {
        let node = nodes[Int(next)]
        if node.key.count > 0 { formatter.key(ByteView(start + node.key.start, count: Int(node.key.count))) }
        switch node.kind {
        case .collection:
          formatter.beginArray()
          isInCollection = true
          return Int(node.collection)
        case .object, .array:
          if node.kind == .object { formatter.beginObject() } else { formatter.beginArray() }
          open.append(next)
          next = node.first
          if next < 0 { close(nodes, &formatter) }
        default:
          formatter.scalar(ByteView(start + node.token.start, count: Int(node.token.count)))
          leave(nodes, &formatter)
        }
      }
      return nil
    }
  }

  /// Moves on after the value at `next` has been written: to the following one, out of the containers that end with it.
  private mutating func leave(_ nodes: UnsafeBufferPointer<ValueTree.Node>, _ formatter: inout PlainFormatter) {
    // Nothing follows the root.
    next = open.isEmpty ? ValueTree.none : nodes[Int(next)].next
    if next < 0 { close(nodes, &formatter) }
  }

  private mutating func close(_ nodes: UnsafeBufferPointer<ValueTree.Node>, _ formatter: inout PlainFormatter) {
    while next < 0, let container = open.popLast() {
      if nodes[Int(container)].kind == .object { formatter.endObject() } else { formatter.endArray() }
      next = open.isEmpty ? ValueTree.none : nodes[Int(container)].next
    }
  }
}

extension ValueTree {
  /// Makes tokens readable in blocks of 16 bytes.
  fileprivate mutating func pad() { append(padding: 16) }

  fileprivate func withTokens<R>(_ body: (UnsafeBufferPointer<Node>, UnsafePointer<UInt8>) -> R) -> R {
    nodes.withUnsafeBufferPointer { nodes in
      bytes.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { preconditionFailure("it is padded") }
        return body(nodes, start)
      }
    }
  }
}
