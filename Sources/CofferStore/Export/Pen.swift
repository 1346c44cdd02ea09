/// Writes text to memory that grows. Whoever puts something has reserved room for it, and whoever made it frees it.
struct Pen {
  private var start: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = max(capacity, 4096)
    start = .allocate(capacity: self.capacity)
  }

  func free() { start.deallocate() }

  var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: start, count: count) }

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

  /// Puts a whole number: at most 20 bytes.
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

  /// Puts a string with its quotation marks: at most six bytes for one, and 16 more. What is no UTF-8 comes through as it is.
  ///
  /// Eight bytes are looked at together, and copied if none needs an escape.
  mutating func put(quoted text: UnsafeBufferPointer<UInt8>) {
    precondition(capacity - count >= 6 * text.count + 16, "no room was reserved")
    put(UInt8(ascii: "\""))
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
    put(UInt8(ascii: "\""))
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

  /// Whether one of eight bytes is below 0x20, a quotation mark or a reverse solidus; it may also say so of one beside such a byte.
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
