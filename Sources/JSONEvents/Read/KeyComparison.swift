import ByteStreams
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
  /// As the lane returns them: the length of each, 4 bytes, the lowest first, and its text; with 16 bytes after them.
  private var bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Reads names that `packed` gave; `nil` if the bytes are something else.
  package init?(packed: [UInt8]) {
    var rest = packed[...]
    while !rest.isEmpty {
      let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      guard rest.count - 4 >= length else { return nil }
      rest = rest.dropFirst(4 + length)
    }
    bytes = packed + Array(repeating: 0, count: 16)
  }

  /// The bytes of the names, for another process.
  package var packed: [UInt8] { Array(bytes.dropLast(16)) }

  package mutating func append(_ other: MemberNames) {
    bytes.removeLast(16)
    bytes += other.bytes
  }

  /// Adds them to the innermost open object of a parser. Returns false, and adds none, if the object has one of them already.
  fileprivate func areNew(inParser parser: OpaquePointer) -> Bool {
    switch coffer_parser_take_names(parser, bytes, bytes.count - 16) {
    case 1: true
    case 0: false
    default: fatalError("out of memory")
    }
  }
}

/// The innermost open object of a reader. Valid until the reader reads on.
package struct OpenObject {
  let parser: OpaquePointer

  /// Adds names of members that are skipped, so that further keys are compared with them, too. Returns false, and adds none, if one
  /// of them is a duplicate: then the members must be read.
  ///
  /// - Parameter names: different ones.
  package func takeNames(_ names: MemberNames) -> Bool { names.areNew(inParser: parser) }
}

/// Finds names that occur twice among the members of an object whose parts are read elsewhere.
///
/// Memory: about that of the names.
package struct MemberNameSet: ~Copyable {
  /// A document of an open brace.
  private var reader: JSONEventReader

  /// - Parameter names: the first ones, which must be different.
  package init(_ names: MemberNames, comparedBy comparison: KeyComparison) {
    reader = JSONEventReader(MemorySource("{".utf8), keys: comparison)
    do throws(CofferError) { _ = try reader.next() } catch { preconditionFailure("an open brace is no error before its end") }
    _ = insert(names)
  }

  /// Adds the names of the members that follow. Returns false, and adds none, if one of them is a duplicate.
  package mutating func insert(_ next: MemberNames) -> Bool { reader.openObject?.takeNames(next) == true }
}
