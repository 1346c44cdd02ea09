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

    @inlinable @inline(__always)
    package func matches(_ other: Words) -> Bool {
      head == other.head && name.count == other.name.count && tail == other.tail
        && (name.count <= 16 || name.elementsEqual(other.name))
    }
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
