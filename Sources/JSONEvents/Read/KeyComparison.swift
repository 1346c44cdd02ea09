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

/// The name of a member, for comparisons with the names of an `EventBatch`.
///
/// Names are compared as two words, their first and last eight bytes; only names longer than sixteen bytes are compared byte by byte.
package struct KnownName: Sendable, Hashable {
  package let bytes: [UInt8]
  @usableFromInline let head: UInt64
  @usableFromInline let tail: UInt64
  @usableFromInline let count: Int

  package init(_ name: String) { self.init(Array(name.utf8)) }

  package init(_ bytes: [UInt8]) {
    (head, tail) = bytes.withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return (0, 0) }
      let view = ByteView(start, count: buffer.count)
      return (view.leadingWord, Words.tail(of: view))
    }
    count = bytes.count
    self.bytes = bytes
  }

  package var string: String { String(decoding: bytes, as: UTF8.self) }

  /// A name of an `EventBatch`, prepared for comparisons.
  package struct Words {
    @usableFromInline let name: ByteView
    @usableFromInline let head: UInt64
    @usableFromInline let tail: UInt64

    @inlinable @inline(__always)
    package init(_ name: ByteView) {
      self.name = name
      head = name.leadingWordOfPadded
      tail = Self.tail(of: name)
    }

    @inlinable @inline(__always)
    package static func tail(of name: ByteView) -> UInt64 { name.count > 8 ? name.word(at: name.count - 8) : 0 }
  }

  @inlinable @inline(__always)
  package func matches(_ other: Words) -> Bool {
    head == other.head && count == other.name.count && tail == other.tail && (count <= 16 || matchesInside(other.name))
  }

  @usableFromInline
  func matchesInside(_ name: ByteView) -> Bool {
    bytes.withUnsafeBufferPointer { known in
      known.baseAddress.map { ByteView($0, count: known.count).elementsEqual(name) } ?? false
    }
  }
}
