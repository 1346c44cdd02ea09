import JSONEvents

/// Writes a tree from collection to collection; the caller writes the collections' items in between.
struct TreeWalk {
  /// The containers that are open, innermost last.
  private var open: [ValueTree.Index] = []
  private var next = ValueTree.none
  /// True if a collection is open whose items the caller writes.
  private var isInCollection = false
  private var hasStarted = false

  /// The number of open brackets, including a collection's.
  var depth: Int { open.count + (isInCollection ? 1 : 0) }

  /// Writes a whole tree without collections, and discards the state of earlier writes.
  mutating func writeAll(_ tree: inout ValueTree, to formatter: inout PlainFormatter) {
    hasStarted = false
    _ = write(&tree, to: &formatter)
  }

  /// Continues up to a collection's opening bracket, and returns the collection's number. Returns `nil` at the end.
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

  /// Advances after the value at `next` was written: to the following value, closing the containers that end.
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
        guard let start = bytes.baseAddress else { preconditionFailure("the bytes are padded") }
        return body(nodes, start)
      }
    }
  }
}
