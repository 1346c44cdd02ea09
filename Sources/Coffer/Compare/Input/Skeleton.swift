import BackupFormats
import JSONEvents
import Rules

/// The containers of a document whose contents are compared one by one: collections by record, and the objects around them by
/// member.
///
///     {"metadata": {…}, "cars": [{…}, {…}], "data": {"expenses": [{…}]}}
///
///     node 0    holds the document itself
///     node 1    the root: metadata is compared as a whole, cars and data are nodes
///     node 2    /cars: its records
///     node 3    /data
///     node 4    /data/expenses: its records
struct Skeleton: Sendable {
  struct Collection: Sendable {
    let pointer: String
    let title: String
    /// Without fields, records are compared as whole values.
    var fields: RecordDigester.Fields
    /// True if it is an object of records: their names identify them.
    var isObject = false
  }

  struct Node: Sendable {
    /// The path of names from the root.
    let path: [String]
    var children: [(name: [UInt8], node: Int)] = []
    /// The collection that is here.
    var collection: Collection?
    /// It is not compared.
    var isLeftOut = false

    var pointer: String { path.pointer }
    /// An object here is compared member by member.
    var holdsMembers: Bool { path.isEmpty || !children.isEmpty || holdsNamedRecords }
    /// The members of an object here are records.
    var holdsNamedRecords: Bool { collection?.isObject ?? false }
  }

  static let holder = 0
  static let root = 1

  private(set) var nodes = [Node(path: []), Node(path: [])]
  /// Members without a node are not compared.
  private(set) var leavesMembersOut = false

  init(_ collections: [Collection]) {
    for collection in collections {
      guard let path = collection.pointer.pointerTokens else { continue }
      let node = path.indices.reduce(Self.root) { node, index in child(of: node, path.prefix(index + 1)) }
      nodes[node].collection = collection
    }
  }

  private mutating func child(of node: Int, _ path: ArraySlice<String>) -> Int {
    let name = Array((path.last ?? "").utf8)
    if let known = nodes[node].children.first(where: { $0.name == name }) { return known.node }
    nodes.append(Node(path: Array(path)))
    nodes[node].children.append((name, nodes.count - 1))
    return nodes.count - 1
  }

  /// The nodes of the collections, in the order in which they were given.
  var collectionNodes: [Int] { nodes.indices.filter { nodes[$0].collection != nil } }

  /// Returns true if an entry is a record of a collection: an item of an array, or a member of an object of records.
  func isRecord(_ entry: RecordEntry) -> Bool {
    !entry.isMember || !entry.isNode && nodes[Int(entry.node)].holdsNamedRecords
  }

  func node(at path: [String]) -> Int? { nodes.indices.first { $0 != Self.holder && nodes[$0].path == path } }

  /// Excludes collections, and all members that are compared as a whole.
  mutating func leaveOut(_ pointers: [String]) {
    for node in nodes.indices {
      if let collection = nodes[node].collection, pointers.contains(collection.pointer) { nodes[node].isLeftOut = true }
    }
    leavesMembersOut = true
  }
}

/// Follows the events of a document's envelope along a skeleton.
struct SkeletonCursor {
  /// The meaning of an event.
  enum Role {
    /// The name of a member of this node.
    case key(of: Int)
    /// The bracket that opens a node, and the one that closes it.
    case opening(Int)
    case closing(Int)
    /// Part of a value in this node that is compared as a whole; it may be the first event, the last, both or neither.
    case value(in: Int, isFirst: Bool, isLast: Bool)
    /// Part of a value that is left out.
    case leftOut
  }

  private let skeleton: Skeleton
  /// The open nodes.
  private(set) var stack: [Int] = []
  /// The number of open brackets in a value that is compared as a whole, or left out.
  private var innerDepth = 0
  private var isLeftOut = false
  /// The node that the next value may be.
  private(set) var next: Int?

  init(_ skeleton: Skeleton) {
    self.skeleton = skeleton
    next = Skeleton.root
  }

  /// The innermost open node.
  var node: Int { stack.last ?? Skeleton.holder }

  /// The relation to records of an array, or an object, whose last event was its bracket or the end of an item.
  enum ArrayKind { case records(Int), whole, leftOut }

  var innermostArray: ArrayKind { isLeftOut ? .leftOut : innerDepth > 0 ? .whole : .records(node) }

  /// True in an object of records, between two of them.
  var isInNamedRecords: Bool {
    guard case .records(let node) = innermostArray else { return false }
    return skeleton.nodes[node].holdsNamedRecords && skeleton.nodes[node].children.isEmpty
  }

  mutating func consume(_ event: Event, of batch: EventBatch) -> Role {
    let kind = event.kind
    let isStart = kind == .objectStart || kind == .arrayStart
    let isEnd = kind == .objectEnd || kind == .arrayEnd
    if innerDepth > 0 {
      innerDepth += isStart ? 1 : isEnd ? -1 : 0
      if isLeftOut {
        isLeftOut = innerDepth > 0
        return .leftOut
      }
      return .value(in: node, isFirst: false, isLast: innerDepth == 0)
    }
    if kind == .key {
      let name = batch.text(of: event)
      next = skeleton.nodes[node].children.first { $0.name.elementsEqual(name) }?.node
      return .key(of: node)
    }
    if isEnd { return .closing(stack.removeLast()) }
    let node = self.node
    defer { next = nil }
    if let next {
      let known = skeleton.nodes[next]
      if known.isLeftOut {
        innerDepth = isStart ? 1 : 0
        isLeftOut = isStart
        return .leftOut
      }
      if kind == .objectStart && known.holdsMembers || kind == .arrayStart && known.collection != nil {
        stack.append(next)
        return .opening(next)
      }
    }
    innerDepth = isStart ? 1 : 0
    return .value(in: node, isFirst: true, isLast: !isStart)
  }
}

extension [UInt8] {
  fileprivate func elementsEqual(_ view: ByteView) -> Bool {
    count == view.count && view.withUnsafeBytes { bytes in self.withUnsafeBytes { $0.elementsEqual(bytes) } }
  }
}
