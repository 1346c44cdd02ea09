import JSONEvents

/// A value that is held as a whole, so that it can be changed: its nodes, and their tokens with the document's spelling.
///
///     bytes    "id" 7 "name" "Ann"                 one after another
///     nodes    object ─▶ number (key "id") ─▶ string (key "name")     its first child, and the next of each
///
/// Changes relink nodes and add tokens; all other values keep their text, digit for digit.
///
/// Memory: the tokens' bytes, and 64 bytes per value. The tree is cleared and refilled for each record.
struct ValueTree {
  /// The kind of a value. A collection is an array whose items are not held, because they are streamed.
  enum Kind: UInt8 { case null, `false`, `true`, number, string, array, object, collection }

  /// A node's place in `nodes`; negative: none.
  typealias Index = Int32
  static let none: Index = -1

  struct Node {
    var kind: Kind
    /// A member's name.
    var key = Text.empty
    /// A scalar's token.
    var token = Text.empty
    var first = ValueTree.none
    var last = ValueTree.none
    var next = ValueTree.none
    /// The number of the collection in the document.
    var collection: Int32 = -1
  }

  /// A token and its content, which is stored separately only if the token has escapes.
  struct Text {
    var start = 0
    var count: Int32 = 0
    /// The content's offset from `start`, and its length.
    var contentOffset: Int32 = 0
    var contentCount: Int32 = 0

    static let empty = Text()
  }

  private(set) var nodes: [Node] = []
  private(set) var bytes: [UInt8] = []
  var root = ValueTree.none
  private var open: [Index] = []
  private var pendingKey = Text.empty

  var isEmpty: Bool { nodes.isEmpty }

  /// The approximate memory use in bytes.
  var size: Int { bytes.count + nodes.count * MemoryLayout<Node>.stride }

  subscript(index: Index) -> Node {
    get { nodes[Int(index)] }
    set { nodes[Int(index)] = newValue }
  }

  mutating func clear() {
    // The memory of one large record is not kept.
    let keeps = size < 1 << 20
    nodes.removeAll(keepingCapacity: keeps)
    bytes.removeAll(keepingCapacity: keeps)
    open.removeAll(keepingCapacity: true)
    root = Self.none
    pendingKey = .empty
  }

  // MARK: Filling

  /// Takes the next event; returns true if the value is now complete.
  @inline(__always)
  mutating func take(_ event: Event, of batch: EventBatch) -> Bool {
    switch event.kind {
    case .key: pendingKey = store(batch.token(of: event), batch.text(of: event))
    case .objectStart: begin(.object)
    case .arrayStart: begin(.array)
    case .objectEnd, .arrayEnd: open.removeLast()
    case .null: addScalar(.null, event, batch)
    case .false: addScalar(.false, event, batch)
    case .true: addScalar(.true, event, batch)
    case .number: addScalar(.number, event, batch)
    case .string: addScalar(.string, event, batch)
    }
    return open.isEmpty && root >= 0
  }

  /// Takes an array that begins as a collection, whose items are not passed to the tree.
  mutating func takeCollection(_ number: Int) {
    let index = add(Node(kind: .collection))
    self[index].collection = Int32(clamping: number)
  }

  private mutating func begin(_ kind: Kind) { open.append(add(Node(kind: kind))) }

  private mutating func addScalar(_ kind: Kind, _ event: Event, _ batch: EventBatch) {
    var node = Node(kind: kind)
    node.token = store(batch.token(of: event), batch.text(of: event))
    _ = add(node)
  }

  private mutating func add(_ node: Node) -> Index {
    let index = make(node)
    self[index].key = pendingKey
    pendingKey = .empty
    if let parent = open.last { link(index, to: parent) } else { root = index }
    return index
  }

  /// Stores a token with the given content.
  mutating func store(_ token: ByteView, _ content: ByteView) -> Text {
    var text = Text(start: bytes.count, count: Int32(clamping: token.count))
    token.withUnsafeBytes { bytes.append(contentsOf: $0) }
    text.contentCount = Int32(clamping: content.count)
    if content.count + 2 == token.count {
      text.contentOffset = 1
    } else if content.count != token.count {
      text.contentOffset = text.count
      content.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }
    return text
  }

  /// Adds bytes that belong to no token.
  mutating func append(padding count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

  // MARK: Nodes

  mutating func make(_ node: Node) -> Index {
    nodes.append(node)
    return Index(nodes.count - 1)
  }

  /// Makes a node the last child of another.
  mutating func link(_ child: Index, to parent: Index) {
    let last = self[parent].last
    if last >= 0 { self[last].next = child } else { self[parent].first = child }
    self[parent].last = child
  }

  /// Removes a child from its parent.
  mutating func unlink(_ child: Index, from parent: Index) {
    var before = Self.none
    var node = self[parent].first
    while node >= 0, node != child {
      before = node
      node = self[node].next
    }
    if node >= 0 { unlink(child, after: before, from: parent) }
  }

  /// Removes a child from its parent, given the preceding child.
  mutating func unlink(_ child: Index, after before: Index, from parent: Index) {
    let next = self[child].next
    if before >= 0 { self[before].next = next } else { self[parent].first = next }
    if self[parent].last == child { self[parent].last = before }
    self[child].next = Self.none
  }

  /// Returns the content of a scalar or a key, with its escapes resolved.
  @inline(__always)
  func withContent<R>(of text: Text, _ body: (ByteView) -> R) -> R {
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return ByteView.with("", body) }
      let end = text.start + Int(text.contentOffset) + Int(text.contentCount)
      precondition(end <= buffer.count, "the text is outside the tree's bytes")
      return body(ByteView(base + text.start + Int(text.contentOffset), count: Int(text.contentCount)))
    }
  }
}
