import CJSONEvents

/// Asks a reader to mark the keys that an object has had before (`Event.isDuplicateKey`): the same bytes, escapes resolved.
///
/// A key is compared with the first 1 048 576 different ones of its object, or with the first 4096 in objects inside 8 or more other
/// brackets. A key of up to 16 bytes in an object of up to 64 keys is compared itself; of others, 64 bits or more of a hash are.
///
/// Cost: a comparison a key where objects repeat each other. Memory: some kilobytes a level of objects, and 16 to 32 bytes a key in an
/// object that has more than 64.
package struct KeyComparison: Sendable {
  private let seed: (low: UInt64, high: UInt64)
  private var depth = 0

  /// - Parameters low, high: whoever foretells them can make keys that pass for equal, or that take long to compare.
  package init(low: UInt64, high: UInt64) { seed = (low, high) }

  /// The same where so many brackets are open around what is read.
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
