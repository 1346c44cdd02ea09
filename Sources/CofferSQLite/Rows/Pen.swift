import ByteStreams

/// Writes text to a growing buffer. Callers reserve room first, unless the method does so itself.
struct Pen: ~Copyable {
  private var start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = max(capacity, 4096)
    start = .allocate(capacity: self.capacity)
  }

  deinit { start.deallocate() }

  mutating func removeAll() { count = 0 }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

  /// Copies as many bytes as fit, starting at `position`, and advances it.
  func copy(from position: inout Int, to target: UnsafeMutableRawBufferPointer) -> Int {
    let piece = UnsafeBufferPointer(rebasing: bytes[position...].prefix(target.count))
    target.copyMemory(from: UnsafeRawBufferPointer(piece))
    position += piece.count
    return piece.count
  }

  @inline(__always)
  mutating func reserve(_ length: Int) {
    if capacity - count < length { grow(length) }
  }

  @inline(never)
  private mutating func grow(_ length: Int) {
    capacity = max(count + length, capacity * 2)
    let new = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    new.update(from: start, count: count)
    start.deallocate()
    start = new
  }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    precondition(count < capacity, "no room was reserved")
    start[count] = byte
    count &+= 1
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let from = bytes.baseAddress else { return }
    precondition(capacity - count >= bytes.count, "no room was reserved")
    (start + count).update(from: from, count: bytes.count)
    count &+= bytes.count
  }

  /// Appends bytes. Reserves room itself.
  mutating func put(_ bytes: [UInt8]) {
    reserve(bytes.count)
    bytes.withUnsafeBufferPointer { put($0) }
  }

  /// Appends an integer: at most 20 bytes.
  mutating func put(_ value: Int64) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var rest = value.magnitude
      var first = digits.count
      repeat {
        first -= 1
        digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      if value < 0 {
        first -= 1
        digits[first] = UInt8(ascii: "-")
      }
      put(UnsafeBufferPointer(rebasing: digits[first...]))
    }
  }

  /// Appends a string with its quotation marks. Reserves room itself. Invalid UTF-8 is copied unchanged.
  mutating func put(quoted text: UnsafeBufferPointer<UInt8>) {
    // Few strings need escapes, so room for the worst case is reserved for only one piece.
    reserve(text.count + 5 * min(text.count, Self.pieceSize) + 16)
    put(UInt8(ascii: "\""))
    var rest = text[...]
    while !rest.isEmpty {
      let piece = UnsafeBufferPointer(rebasing: rest.prefix(Self.pieceSize))
      reserve(6 * piece.count + 16)
      put(escaping: piece)
      rest = rest.dropFirst(piece.count)
    }
    put(UInt8(ascii: "\""))
  }

  private static let pieceSize = 4096

  /// Appends the content of a string: at most six bytes for each byte. Checks eight bytes at a time, and copies them if none
  /// needs an escape.
  @inline(__always)
  private mutating func put(escaping text: UnsafeBufferPointer<UInt8>) {
    let raw = UnsafeRawBufferPointer(text)
    var index = 0
    while index < text.count {
      if index + 8 <= text.count {
        let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if !Self.needsEscape(word) {
          UnsafeMutableRawPointer(start + count).storeBytes(of: word, as: UInt64.self)
          count &+= 8
          index += 8
          continue
        }
      }
      put(escaped: text[index])
      index += 1
    }
  }

  private mutating func put(escaped byte: UInt8) {
    if byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { return put(byte) }
    put(UInt8(ascii: "\\"))
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte)
    case 0x08: put(UInt8(ascii: "b"))
    case 0x09: put(UInt8(ascii: "t"))
    case 0x0A: put(UInt8(ascii: "n"))
    case 0x0C: put(UInt8(ascii: "f"))
    case 0x0D: put(UInt8(ascii: "r"))
    default:
      for digit in [UInt8(ascii: "u"), 0x30, 0x30, Self.hexDigit(byte >> 4), Self.hexDigit(byte & 15)] { put(digit) }
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  /// Returns true if one of eight bytes is below 0x20, a quotation mark or a backslash. Bytes next to such a byte may be false
  /// positives.
  @inline(__always)
  private static func needsEscape(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let high: UInt64 = 0x8080_8080_8080_8080
    let quotes = word ^ (ones &* 0x22)
    let solidi = word ^ (ones &* 0x5C)
    let below = (word &- ones &* 0x20) & ~word
    let found = below | ((quotes &- ones) & ~quotes) | ((solidi &- ones) & ~solidi)
    return found & high != 0
  }
}

/// Writes strings as JSON: quotation marks, backslashes and control characters are escaped, all else is unchanged.
enum JSONText {
  static func quoted(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes in
      var pen = Pen(capacity: bytes.count)
      pen.put(quoted: bytes)
      return Array(pen.bytes)
    }
  }
}

/// Bytes owned by the caller.
struct BorrowedBytes: ByteSource {
  var rest: UnsafeBufferPointer<UInt8>

  mutating func read(into target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = min(target.count, rest.count)
    target.copyMemory(from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: rest.prefix(count))))
    rest = UnsafeBufferPointer(rebasing: rest.dropFirst(count))
    return count
  }
}
