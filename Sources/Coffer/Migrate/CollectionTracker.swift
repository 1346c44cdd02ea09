import JSONEvents

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
