import BackupFormats
import ByteStreams
import JSONEvents
package import Rules

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
  mutating func consume(_ event: Event, of batch: EventBatch) -> Bool {
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
  mutating func holdCollection(_ number: Int) {
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

/// Finds and changes the members of a held object.
extension ValueTree {
  enum Member {
    case none
    case one(Index)
    /// The object has the member more than once. It is ambiguous which one counts, so none is changed.
    case several
  }

  func member(_ name: KnownName, of object: Index) -> Member {
    var found = Self.none
    var child = self[object].first
    while child >= 0 {
      let node = nodes[Int(child)]
      if Int(node.key.contentCount) == name.bytes.count, says(node.key, name.bytes) {
        if found >= 0 { return .several }
        found = child
      }
      child = node.next
    }
    return found >= 0 ? .one(found) : .none
  }

  /// Returns true if the text has this content.
  func says(_ text: Text, _ content: [UInt8]) -> Bool {
    withContent(of: text) { view in
      guard view.count == content.count else { return false }
      return content.withUnsafeBufferPointer { other in
        other.baseAddress.map { view.elementsEqual(ByteView($0, count: other.count)) } ?? true
      }
    }
  }

  mutating func append(_ child: Index, as name: KnownName, to object: Index) {
    self[child].key = storeString(name.bytes)
    link(child, to: object)
  }

  /// Removes all members of a name in one walk; returns false if there is none.
  mutating func unlinkMembers(_ name: KnownName, of object: Index) -> Bool {
    var (before, child, found) = (Self.none, self[object].first, false)
    while child >= 0 {
      let next = self[child].next
      if says(self[child].key, name.bytes) {
        unlink(child, after: before, from: object)
        found = true
      } else {
        before = child
      }
      child = next
    }
    return found
  }

  mutating func rename(_ member: Index, to name: KnownName) { self[member].key = storeString(name.bytes) }

  /// Replaces a node's value in place.
  mutating func replace(_ index: Index, with value: JSONValue) {
    let new = make(value)
    replace(index, withNode: new)
  }

  mutating func replace(_ index: Index, withNode new: Index) {
    let (key, next) = (self[index].key, self[index].next)
    self[index] = self[new]
    self[index].key = key
    self[index].next = next
  }

  /// Creates the nodes of a value from a descriptor.
  mutating func make(_ value: JSONValue) -> Index {
    switch value {
    case .null: return make(.null, token: "null")
    case .boolean(let boolean): return make(boolean ? .true : .false, token: boolean ? "true" : "false")
    case .number(let text): return make(.number, token: text)
    case .string(let text): return makeString(Array(text.utf8))
    case .array(let items):
      let array = make(Node(kind: .array))
      for item in items { link(make(item.value), to: array) }
      return array
    case .object(let members):
      let object = make(Node(kind: .object))
      for member in members { append(make(member.value.value), as: KnownName(member.key), to: object) }
      return object
    }
  }

  mutating func make(_ kind: Kind, token: String) -> Index {
    var node = Node(kind: kind)
    node.token = storeToken(Array(token.utf8))
    return make(node)
  }

  mutating func makeString(_ content: [UInt8]) -> Index {
    var node = Node(kind: .string)
    node.token = storeString(content)
    return make(node)
  }

  private mutating func storeToken(_ token: [UInt8]) -> Text {
    token.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return Text.empty }
      return store(ByteView(base, count: buffer.count), ByteView(base, count: buffer.count))
    }
  }

  /// Stores a string in JSON syntax.
  private mutating func storeString(_ content: [UInt8]) -> Text {
    ByteBuffer.quoted(content).withUnsafeBufferPointer { token in
      content.withUnsafeBufferPointer { content in
        guard let start = token.baseAddress else { return Text.empty }
        return store(
          ByteView(start, count: token.count), ByteView(content.baseAddress ?? start, count: content.count))
      }
    }
  }

  /// Returns true if a value equals the descriptor's, with the same digits.
  func isEqual(_ index: Index, _ value: JSONValue) -> Bool {
    let node = self[index]
    switch (node.kind, value) {
    case (.null, .null), (.true, .boolean(true)), (.false, .boolean(false)): return true
    case (.number, .number(let text)), (.string, .string(let text)): return says(node.token, Array(text.utf8))
    case (.array, .array(let items)):
      var child = node.first
      for item in items {
        guard child >= 0, isEqual(child, item.value) else { return false }
        child = self[child].next
      }
      return child < 0
    case (.object, .object(let members)):
      var child = node.first
      for member in members {
        guard child >= 0, says(self[child].key, Array(member.key.utf8)), isEqual(child, member.value.value) else { return false }
        child = self[child].next
      }
      return child < 0
    default: return false
    }
  }
}

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

/// A small document that is held as text, so that single values can be changed.
///
/// For example:
///
///     var settings = EditableJSON(Array(#"{"theme":"dark","size":1.0}"#.utf8))
///     settings.set(.string("light"), at: ["theme"])       // {"theme":"light","size":1.0}
package struct EditableJSON {
  package private(set) var bytes: [UInt8]

  /// - Parameter bytes: a JSON text.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Sets the value at a path, and creates missing objects. All other values keep their text, except for white space.
  ///
  /// - Returns: false, without changing anything, if the text isn't JSON, or a value other than an object is in the way.
  @discardableResult
  package mutating func set(_ value: JSONValue, at names: [String]) -> Bool {
    guard var tree = tree(), tree.set(value, at: names) else { return false }
    var formatter = PlainFormatter(layout: .compact, at: .start)
    var walk = TreeWalk()
    walk.writeAll(&tree, to: &formatter)
    bytes = formatter.bytes
    return true
  }

  /// Returns true if there is a value at the path.
  package func has(_ names: [String]) -> Bool {
    guard let tree = tree() else { return false }
    var node = tree.root
    for name in names {
      guard node >= 0, tree[node].kind == .object, case .one(let child) = tree.member(KnownName(name), of: node) else {
        return false
      }
      node = child
    }
    return node >= 0
  }

  private func tree() -> ValueTree? {
    var tree = ValueTree()
    var reader = JSONEventReader(MemorySource(bytes))
    do {
      while try reader.next() {
        for index in 0..<reader.batch.count { _ = tree.consume(reader.batch[index], of: reader.batch) }
      }
    } catch {
      return nil
    }
    return tree
  }
}
