package import ByteStreams
import CJSONEvents

/// A growing buffer of bytes: readers fill it, slices keep it, and writers drain it in large pieces.
///
///     | bytes | room | padding |
///     0       count  capacity
///
/// `append` makes room itself. `put` does not check the capacity: the caller must `reserve` room for a token and the characters
/// around it. The padding may be read and written, because bytes are read and copied in blocks; its content means nothing.
package struct ByteBuffer: ~Copyable, @unchecked Sendable {
  // @unchecked: the memory has a single owner.
  @usableFromInline package internal(set) var start: UnsafeMutablePointer<UInt8>
  @usableFromInline package internal(set) var count = 0
  @usableFromInline package internal(set) var capacity: Int
  /// As much as the lane reads past the end of its input.
  private static let padding = Int(COFFER_LANE_PADDING)

  package init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    start = .allocate(capacity: self.capacity + Self.padding)
  }

  deinit { start.deallocate() }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  package var view: ByteView { ByteView(start, count: count) }

  package subscript(index: Int) -> UInt8 { view[index] }
}

// MARK: Writing

extension ByteBuffer {
  @inlinable @inline(__always)
  package mutating func reserve(_ length: Int) {
    if capacity - count < length { grow(length) }
  }

  @usableFromInline @inline(never)
  mutating func grow(_ length: Int) {
    capacity = max(count + length, capacity * 2)
    let new = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.padding)
    new.update(from: start, count: count)
    start.deallocate()
    start = new
  }

  @inlinable @inline(__always)
  package mutating func put(_ byte: UInt8) {
    assert(count < capacity, "no room was reserved")
    start[count] = byte
    count &+= 1
  }

  /// Writes bytes that are followed by 16 readable ones, like those of an `EventBatch`.
  @inline(__always)
  mutating func put(padded view: ByteView) {
    assert(capacity - count >= view.count, "no room was reserved")
    view.withUnsafeBytes { bytes in
      guard let from = bytes.baseAddress else { return }
      let to = UnsafeMutableRawPointer(start + count)
      if bytes.count <= 16 {
        to.storeBytes(of: from.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
      } else {
        to.copyMemory(from: from, byteCount: bytes.count)
      }
    }
    count &+= view.count
  }

  /// Writes a line break and `blanks` blanks.
  @inline(__always)
  mutating func putLineBreak(blanks: Int) {
    put(UInt8(ascii: "\n"))
    assert(capacity - count >= blanks, "no room was reserved")
    var rest = blanks
    var to = UnsafeMutableRawPointer(start + count)
    while rest > 0 {
      to.storeBytes(of: SIMD16(repeating: UInt8(ascii: " ")), as: SIMD16<UInt8>.self)
      to += 16
      rest -= 16
    }
    count &+= blanks
  }

  @inlinable @inline(__always)
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    put(byte)
  }

  @inlinable
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let from = bytes.baseAddress { UnsafeMutableRawPointer(start + count).copyMemory(from: from, byteCount: bytes.count) }
    count += bytes.count
  }
}

// MARK: Filling and draining

extension ByteBuffer {
  /// Reads up to `length` more bytes and returns their number; 0 at the source's end.
  mutating func fill(from source: inout any ByteSource, upTo length: Int) throws(CofferError) -> Int {
    reserve(length)
    let read = try source.read(into: UnsafeMutableRawBufferPointer(start: start + count, count: length))
    count += read
    return read
  }

  /// Drops all bytes after the first `length`.
  package mutating func truncate(to length: Int) {
    precondition(length >= 0 && length <= count, "exceeds the count")
    count = length
  }

  mutating func dropFirst(_ length: Int) {
    precondition(length >= 0 && length <= count, "exceeds the count")
    start.update(from: start + length, count: count - length)
    count -= length
  }

  /// Reorders the bytes from `start` according to `ranges`, which must cover exactly these bytes.
  mutating func rearrange(from start: Int, in ranges: some Sequence<Range<Int>>) {
    let end = count
    reserve(end - start)
    for range in ranges {
      precondition(range.lowerBound >= start && range.upperBound <= end, "a range is out of bounds")
      (self.start + count).update(from: self.start + range.lowerBound, count: range.count)
      count += range.count
    }
    precondition(count - end == end - start, "the ranges don't cover these bytes")
    (self.start + start).update(from: self.start + end, count: end - start)
    count = end
  }

  /// Writes all bytes to `sink` and removes them.
  package mutating func flush(to sink: inout some ByteSink) throws(CofferError) {
    if count > 0 { try sink.write(bytes) }
    count = 0
  }
}
