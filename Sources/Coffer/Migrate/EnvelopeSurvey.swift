import BackupFormats
import JSONEvents
import Rules

/// Reads the document's envelope before anything is written: the version may be at the end, and a step may need a later value.
///
/// Slices are skipped: the next pass checks every byte of them.
struct EnvelopeSurvey: DocumentConsumer, ~Copyable {
  private(set) var tree = ValueTree()
  private(set) var tracker = CollectionTracker()
  private let sizeLimit: Int

  init(sizeLimit: Int) { self.sizeLimit = sizeLimit }

  mutating func consume(_ batch: EventBatch, lines: LineCursor) throws {
    for index in 0..<batch.count {
      let event = batch[index]
      switch tracker.role(of: event) {
      case .envelope: _ = tree.consume(event, of: batch)
      case .collectionStart(let number): tree.holdCollection(number)
      case .item, .collectionEnd: continue
      }
    }
    if tree.size > sizeLimit {
      throw CofferError(
        .sizeLimit,
        "the document has more than \(sizeLimit >> 20) MiB outside its collections, too much to hold in memory")
    }
  }

  // Skips slices.
  func workers(depth: Int, recordsBefore: Int) -> (@Sendable () -> (Slice, Void) -> Void?)? {
    guard tracker.isBetweenItems else { return nil }
    return { { _, _ in () } }
  }

  mutating func merge(_ partial: Void, of slice: Slice) {}
}

extension ValueTree {
  /// Returns the version that a document declares.
  func declaredVersion(by policy: BackupFormat.VersionPolicy) -> FormatVersion {
    var node = root
    for token in policy.pointer.pointerTokens ?? [] {
      guard node >= 0, self[node].kind == .object else { return .absent }
      switch member(KnownName(token), of: node) {
      case .none: return .absent
      case .several: return .several
      case .one(let child): node = child
      }
    }
    guard node >= 0 else { return .absent }
    let kind = self[node].kind.valueKind
    return withContent(of: self[node].token) { FormatVersion(kind, $0, by: policy) }
  }

  /// Sets the document's version and creates the objects around it; returns false if another value is in the way.
  mutating func declare(_ version: Int, by policy: BackupFormat.VersionPolicy) -> Bool {
    if case .number(version) = declaredVersion(by: policy) { return true }
    let value = policy.takesStrings ? JSONValue.string(String(version)) : .number(String(version))
    guard let tokens = policy.pointer.pointerTokens else { return false }
    return set(value, at: tokens)
  }

  /// Sets the value at a path and creates the objects around it; returns false if another value is in the way.
  mutating func set(_ value: JSONValue, at tokens: [String]) -> Bool {
    let names = tokens.map { KnownName($0) }
    guard let last = names.last, root >= 0 else { return false }
    var node = root
    for name in names.dropLast() {
      guard self[node].kind == .object else { return false }
      switch member(name, of: node) {
      case .none:
        let new = make(Node(kind: .object))
        append(new, as: name, to: node)
        node = new
      case .one(let child): node = child
      case .several: return false
      }
    }
    guard self[node].kind == .object else { return false }
    switch member(last, of: node) {
    case .none: append(make(value), as: last, to: node)
    case .one(let child): replace(child, with: value)
    case .several: return false
    }
    return true
  }

  /// The collections, in output order.
  var collections: [Int] {
    var found: [Int] = []
    guard root >= 0 else { return found }
    var waiting = [root]
    while let index = waiting.popLast() {
      let node = self[index]
      if index != root, node.next >= 0 { waiting.append(node.next) }
      if node.kind == .collection { found.append(Int(node.collection)) }
      if node.first >= 0 { waiting.append(node.first) }
    }
    return found
  }
}

extension ValueTree.Kind {
  var valueKind: JSONKind {
    switch self {
    case .null: .null
    case .true, .false: .boolean
    case .number: .number
    case .string: .string
    case .array, .collection: .array
    case .object: .object
    }
  }
}

/// Separates a document's collections, whose items are streamed, from everything that is held in memory until the end.
///
///     { "cars": [ {…} , {…} ], "data": { "trips": [ {…} ] }, "settings": { "colours": { "day": { "sky": [1, 2] } } } }
///               collection 0                     collection 1                    held: too deep to be sliced
///
/// Collections are the arrays that the slicer may slice, large or not: those inside at most two objects and no other array.
struct CollectionTracker {
  enum Role {
    case envelope
    case collectionStart(Int)
    case item
    case collectionEnd
  }

  private var depth = 0
  /// The number of open brackets around the items.
  private(set) var itemDepth: Int?
  /// The number of collections that have begun.
  private(set) var count = 0

  private static let deepest = 3

  @inline(__always)
  mutating func role(of event: Event) -> Role {
    switch event.kind {
    case .objectStart, .arrayStart: depth += 1
    case .objectEnd, .arrayEnd: depth -= 1
    default: break
    }
    if let itemDepth {
      guard depth < itemDepth else { return .item }
      self.itemDepth = nil
      return .collectionEnd
    }
    guard event.kind == .arrayStart, depth <= Self.deepest else { return .envelope }
    itemDepth = depth
    count += 1
    return .collectionStart(count - 1)
  }

  /// True if the last event ended an item or began a collection.
  var isBetweenItems: Bool { depth == itemDepth }
}
