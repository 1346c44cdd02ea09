package import ByteStreams
import CJSONEvents
import Platform

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
    start = Self.allocate(nil, self.capacity)
  }

  deinit { free(start) }

  /// Moves bytes to more memory. Large ones aren't copied, so that only one of them takes memory: the system moves their pages.
  private static func allocate(_ bytes: UnsafeMutablePointer<UInt8>?, _ capacity: Int) -> UnsafeMutablePointer<UInt8> {
    guard let memory = realloc(bytes, capacity + padding) else { fatalError("out of memory") }
    return memory.assumingMemoryBound(to: UInt8.self)
  }

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
    start = Self.allocate(start, capacity)
  }

  @inlinable @inline(__always)
  package mutating func put(_ byte: UInt8) {
    assert(count < capacity, "no room was reserved")
    start[count] = byte
    count &+= 1
  }

  /// Writes bytes that are followed by 16 readable ones, like those of an `EventBatch`.
  @inlinable @inline(__always)
  package mutating func put(padded view: ByteView) {
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

  package mutating func append(_ bytes: some Collection<UInt8>) {
    if bytes.withContiguousStorageIfAvailable({ append(UnsafeRawBufferPointer($0)) }) == nil {
      for byte in bytes { append(byte) }
    }
  }

  package mutating func append(decimal value: Int64) { append(decimal: value.magnitude, isNegative: value < 0) }

  /// Appends the decimal digits of an integer, after zeros if there are fewer than `width`.
  package mutating func append(decimal magnitude: UInt64, isNegative: Bool = false, width: Int = 1) {
    reserve(21 + width)
    if isNegative { put(UInt8(ascii: "-")) }
    let first = count
    var rest = magnitude
    repeat {
      put(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0 || count - first < width
    var digits = UnsafeMutableBufferPointer(start: start + first, count: count - first)
    digits.reverse()
  }
}

// MARK: Binary numbers

extension ByteBuffer {
  /// Appends the lowest `length` bytes of `word`, up to eight, the lowest first.
  @inlinable @inline(__always)
  package mutating func append(_ word: UInt64, length: Int) {
    reserve(8)
    UnsafeMutableRawPointer(start + count).storeBytes(of: word.littleEndian, as: UInt64.self)
    count &+= length
  }

  /// Appends a number with seven bits per byte, the lowest first; the highest bit says that more follow (LEB128).
  @inlinable @inline(__always)
  package mutating func append(varint value: UInt64) {
    reserve(10)
    var rest = value
    while rest >= 0x80 {
      put(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    put(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a signed number with zigzag encoding: small numbers of either sign stay small.
  @inlinable @inline(__always)
  package mutating func append(signed value: Int) {
    append(varint: UInt64(bitPattern: Int64(value &<< 1 ^ value &>> (Int.bitWidth - 1))))
  }
}

// MARK: Strings

extension ByteBuffer {
  /// Returns a string in quotation marks, with its escapes.
  package static func quoted(_ text: String) -> [UInt8] { quoted(Array(text.utf8)) }

  package static func quoted(_ text: [UInt8]) -> [UInt8] {
    var buffer = ByteBuffer()
    text.withUnsafeBytes { buffer.append(quoting: $0) }
    return Array(buffer.bytes)
  }

  /// Appends a string in quotation marks, with the escapes that JSON requires (RFC 8259, section 7). Invalid UTF-8 is copied
  /// unchanged.
  package mutating func append(quoting text: UnsafeRawBufferPointer) {
    append(UInt8(ascii: "\""))
    var index = 0
    while index < text.count {
      // Few strings need escapes, so room for the worst case is reserved for only one piece.
      let end = min(text.count, index + 4096)
      reserve(6 * (end - index) + 8)
      while index < end {
        if index + 8 <= end {
          let word = text.loadUnaligned(fromByteOffset: index, as: UInt64.self)
          if !Self.needsEscape(word) {
            UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt64.self)
            count &+= 8
            index += 8
            continue
          }
        }
        put(escaping: text[index])
        index += 1
      }
    }
    append(UInt8(ascii: "\""))
  }

  @inline(__always)
  private mutating func put(escaping byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(escape: byte)
    case 0x20...: put(byte)
    case 0x08: put(escape: UInt8(ascii: "b"))
    case 0x09: put(escape: UInt8(ascii: "t"))
    case 0x0A: put(escape: UInt8(ascii: "n"))
    case 0x0C: put(escape: UInt8(ascii: "f"))
    case 0x0D: put(escape: UInt8(ascii: "r"))
    default:
      put(escape: UInt8(ascii: "u"))
      put(UInt8(ascii: "0"))
      put(UInt8(ascii: "0"))
      put(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let digit = byte & 0xF
      put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
    }
  }

  @inline(__always)
  private mutating func put(escape letter: UInt8) {
    put(UInt8(ascii: "\\"))
    put(letter)
  }

  /// Returns true if one of eight bytes is below 0x20, a quotation mark or a backslash. Bytes next to such a byte may be false
  /// positives.
  @inline(__always)
  private static func needsEscape(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    func below(_ word: UInt64, _ bound: UInt64) -> UInt64 { (word &- ones &* bound) & ~word }
    func equal(_ byte: UInt8) -> UInt64 { below(word ^ (ones &* UInt64(byte)), 1) }
    let found = below(word, 0x20) | equal(UInt8(ascii: "\"")) | equal(UInt8(ascii: "\\"))
    return found & (ones << 7) != 0
  }
}

// MARK: Filling and draining

extension ByteBuffer {
  /// Reads up to `length` more bytes and returns their number; 0 at the source's end.
  package mutating func fill(from source: inout any ByteSource, upTo length: Int) throws(CofferError) -> Int {
    reserve(length)
    let read = try source.read(into: UnsafeMutableRawBufferPointer(start: start + count, count: length))
    count += read
    return read
  }

  package mutating func removeAll() { count = 0 }

  /// Copies as many bytes as fit, starting at `position`, and advances it.
  package func copy(from position: inout Int, to target: UnsafeMutableRawBufferPointer) -> Int {
    let piece = UnsafeRawBufferPointer(rebasing: bytes[position...].prefix(target.count))
    target.copyMemory(from: piece)
    position += piece.count
    return piece.count
  }

  /// Drops all bytes after the first `length`.
  package mutating func truncate(to length: Int) {
    precondition(length >= 0 && length <= count, "exceeds the count")
    count = length
  }

  package mutating func dropFirst(_ length: Int) {
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
