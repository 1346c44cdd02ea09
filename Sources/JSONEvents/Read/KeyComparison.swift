import CJSONEvents

/// Makes a reader mark duplicate keys of an object (`Event.isDuplicateKey`): the same bytes, with escapes resolved.
///
/// A key is compared with the first 1 048 576 different ones of its object, or with the first 4096 in objects inside 8 or more
/// other brackets. A key of up to 16 bytes in an object of up to 64 keys is compared directly, others by 64 bits or more of a
/// hash.
///
/// Cost: one comparison per key if objects resemble each other. Memory: a few kilobytes per level of objects, and 16 to 32 bytes
/// per key in an object with more than 64.
package struct KeyComparison: Sendable {
  private let seed: (low: UInt64, high: UInt64)
  private var depth = 0

  /// - Parameters low, high: must be unpredictable; otherwise keys can be crafted that count as equal, or that take long to
  ///   compare.
  package init(low: UInt64, high: UInt64) { seed = (low, high) }

  /// Returns the comparison for input inside `depth` open brackets.
  func inside(_ depth: Int) -> KeyComparison {
    var result = self
    result.depth = depth
    return result
  }

  func start(inParser parser: OpaquePointer) {
    guard coffer_parser_compare_keys(parser, seed.low, seed.high, UInt32(clamping: depth)) != 0 else {
      fatalError("out of memory")
    }
  }

  func start(inLane lane: OpaquePointer) {
    coffer_lane_compare_keys(lane, seed.low, seed.high, UInt32(clamping: depth))
  }
}

/// The names of members of an object that are read elsewhere, to compare them with those of its other parts.
package struct MemberNames: Sendable {
  /// As the lane returns them, with 16 bytes after them.
  let bytes: [UInt8]

  /// Adds them to the innermost open object of a parser. Returns false, and adds none, if the object has one of them already.
  func areNew(inParser parser: OpaquePointer) -> Bool {
    switch coffer_parser_take_names(parser, bytes, bytes.count - 16) {
    case 1: true
    case 0: false
    default: fatalError("out of memory")
    }
  }
}
