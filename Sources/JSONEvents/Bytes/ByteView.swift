/// A view of bytes that another object owns; valid as long as the owner guarantees it.
///
/// Apart from the owners, only this type holds a pointer: all higher layers read through it, and its subscript is checked.
@_documentation(visibility: internal)
@frozen
public struct ByteView {
  @usableFromInline let base: UnsafePointer<UInt8>
  /// The number of bytes.
  public let count: Int

  /// A view of the `count` bytes from `base` on.
  @inlinable @inline(__always)
  public init(_ base: UnsafePointer<UInt8>, count: Int) {
    self.base = base
    self.count = count
  }

  /// The byte at `index`, which must be in the view.
  @inlinable @inline(__always)
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "index outside the view")
    return base[index]
  }

  /// Returns the bytes from `index`.
  @inlinable @inline(__always)
  public func dropFirst(_ index: Int) -> ByteView {
    precondition(index >= 0 && index <= count, "index outside the view")
    return ByteView(base + index, count: count - index)
  }

  /// Returns the first `length` bytes, or all if there are fewer.
  @inlinable @inline(__always)
  public func prefix(_ length: Int) -> ByteView {
    precondition(length >= 0)
    return ByteView(base, count: min(length, count))
  }

  /// Runs `body` on the bytes, which it must not keep.
  @inlinable @inline(__always)
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  /// Returns the eight bytes from `index` as one little-endian number. `index + 8` must not exceed `count`.
  @inlinable @inline(__always)
  public func word(at index: Int) -> UInt64 {
    precondition(index >= 0 && index + 8 <= count, "word outside the view")
    return UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
  }

  /// The first eight bytes as one little-endian number; missing bytes are zero.
  @inlinable @inline(__always)
  public var leadingWord: UInt64 {
    if count >= 8 { return word(at: 0) }
    var result: UInt64 = 0
    if count >= 4 {
      // Two overlapping halves, instead of a loop over bytes.
      let raw = UnsafeRawPointer(base)
      let low = UInt64(UInt32(littleEndian: raw.loadUnaligned(as: UInt32.self)))
      let high = UInt64(UInt32(littleEndian: (raw + (count - 4)).loadUnaligned(as: UInt32.self)))
      return low | high << UInt64((count - 4) * 8)
    }
    var index = 0
    while index < count {
      result |= UInt64(base[index]) << UInt64(index * 8)
      index += 1
    }
    return result
  }

  /// Like ``leadingWord``, for a view that is followed by eight readable bytes of any content: one load instead of a few
  /// branches.
  ///
  /// This holds for the texts of an `EventBatch`, whose memory is padded.
  @inlinable @inline(__always)
  public var leadingWordOfPadded: UInt64 {
    let word = UInt64(littleEndian: UnsafeRawPointer(base).loadUnaligned(as: UInt64.self))
    return count >= 8 ? word : word & ~(~0 &<< UInt64(truncatingIfNeeded: count &* 8))
  }

  /// The first sixteen bytes as two little-endian numbers. Sixteen bytes from the start must be readable; those past the view's end
  /// are arbitrary.
  @inlinable @inline(__always)
  package var unmaskedLeadingWords: (UInt64, UInt64) {
    let raw = UnsafeRawPointer(base)
    return (
      UInt64(littleEndian: raw.loadUnaligned(as: UInt64.self)),
      UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  /// Returns the bytes of a range.
  package subscript(range: Range<Int>) -> ByteView { prefix(range.upperBound).dropFirst(range.lowerBound) }

  /// Returns true if both contain the same bytes.
  @inlinable @inline(__always)
  public func elementsEqual(_ other: ByteView) -> Bool {
    guard count == other.count else { return false }
    if count < 8 { return leadingWord == other.leadingWord }
    var index = 0
    while index + 8 <= count {
      if word(at: index) != other.word(at: index) { return false }
      index += 8
    }
    return word(at: count - 8) == other.word(at: count - 8)
  }

  /// Returns true if the other view is part of this one's memory.
  package func contains(_ other: ByteView) -> Bool { other.base >= base && other.base + other.count <= base + count }

  /// The bytes as text; invalid UTF-8 is replaced.
  public var string: String {
    String(decoding: UnsafeBufferPointer(start: base, count: count), as: UTF8.self)
  }

  /// The bytes, copied.
  package var array: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }
}
