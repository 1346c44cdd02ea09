package import ByteStreams

/// Text that is being put together: memory of its own, which grows, and is handed over in large pieces.
///
/// `put` writes without looking whether there is room: whoever puts a token has `reserve`d for it and what stands around it.
package struct OutputBuffer: ~Copyable, @unchecked Sendable {
  // @unchecked: the memory has this one owner.
  private var start: UnsafeMutablePointer<UInt8>
  package private(set) var count = 0
  private var capacity: Int
  /// Short texts are copied in blocks of this size: there is so much more memory than `capacity`.
  private static let block = 16

  package init(capacity: Int = 0) {
    self.capacity = max(capacity, 4096)
    start = .allocate(capacity: self.capacity + Self.block)
  }

  deinit { start.deallocate() }

  package var isEmpty: Bool { count == 0 }

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  @inline(__always)
  mutating func reserve(_ length: Int) {
    if capacity - count < length { grow(length) }
  }

  @inline(never)
  private mutating func grow(_ length: Int) {
    capacity = max(count + length, capacity * 2)
    let new = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.block)
    new.update(from: start, count: count)
    start.deallocate()
    start = new
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    assert(count < capacity, "no room was reserved")
    start[count] = byte
    count &+= 1
  }

  /// Puts bytes that 16 readable ones follow, as they do in an `EventBatch`.
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

  /// Puts a line break and `blanks` blanks.
  @inline(__always)
  mutating func putLineBreak(blanks: Int) {
    put(UInt8(ascii: "\n"))
    assert(capacity - count >= blanks, "no room was reserved")
    var rest = blanks
    var to = UnsafeMutableRawPointer(start + count)
    while rest > 0 {
      to.storeBytes(of: SIMD16(repeating: UInt8(ascii: " ")), as: SIMD16<UInt8>.self)
      to += Self.block
      rest -= Self.block
    }
    count &+= blanks
  }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    reserve(bytes.count)
    if let from = bytes.baseAddress { UnsafeMutableRawPointer(start + count).copyMemory(from: from, byteCount: bytes.count) }
    count += bytes.count
  }

  /// Drops all but the first `length` bytes.
  mutating func truncate(to length: Int) {
    precondition(length >= 0 && length <= count, "more than there is")
    count = length
  }

  mutating func dropFirst(_ length: Int) {
    precondition(length >= 0 && length <= count, "more than there is")
    start.update(from: start + length, count: count - length)
    count -= length
  }

  /// Puts the bytes from `start` on into another order: that of `ranges`, which together are those bytes.
  mutating func rearrange(from start: Int, in ranges: some Sequence<Range<Int>>) {
    let end = count
    reserve(end - start)
    for range in ranges {
      precondition(range.lowerBound >= start && range.upperBound <= end, "a range outside")
      (self.start + count).update(from: self.start + range.lowerBound, count: range.count)
      count += range.count
    }
    precondition(count - end == end - start, "the ranges are not those bytes")
    (self.start + start).update(from: self.start + end, count: end - start)
    count = end
  }

  /// Hands all bytes over and forgets them.
  package mutating func flush(to sink: inout some ByteSink) throws(ByteStreamError) {
    if count > 0 { try sink.write(bytes) }
    count = 0
  }
}
