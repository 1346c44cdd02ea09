/// A byte buffer with its own memory. Appending an integer checks the capacity once for all of its bytes.
struct RecordBuffer: ~Copyable {
  private var base: UnsafeMutablePointer<UInt8>
  private var capacity = 256
  private(set) var count = 0

  init() { base = .allocate(capacity: capacity) }

  deinit { base.deallocate() }

  /// Calls `body` with the content.
  func withBytes<Failure>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
    try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    base[count] = byte
    count += 1
  }

  /// Appends the lowest `length` bytes of `word`, the lowest first.
  @inline(__always)
  mutating func append(_ word: UInt64, length: Int) {
    reserve(8)
    UnsafeMutableRawPointer(base + count).storeBytes(of: word.littleEndian, as: UInt64.self)
    count += length
  }

  /// Appends a number with seven bits per byte, the lowest first; the highest bit says that more follow (LEB128).
  @inline(__always)
  mutating func append(varint value: UInt64) {
    reserve(10)
    var rest = value
    while rest >= 0x80 {
      base[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count += 1
      rest >>= 7
    }
    base[count] = UInt8(truncatingIfNeeded: rest)
    count += 1
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { utf8 in
      append(varint: UInt64(utf8.count))
      reserve(utf8.count)
      if let start = utf8.baseAddress { (base + count).update(from: start, count: utf8.count) }
      count += utf8.count
    }
  }

  /// Appends the length of the prefix that `bytes` share with `last`, then the other bytes.
  mutating func append(_ bytes: [UInt8], after last: [UInt8]) {
    let shared = zip(bytes, last).prefix { $0 == $1 }.count
    append(varint: UInt64(shared))
    append(varint: UInt64(bytes.count - shared))
    for byte in bytes[shared...] { append(byte) }
  }

  @inline(__always)
  private mutating func reserve(_ added: Int) {
    if count + added > capacity { grow(by: added) }
  }

  @inline(never)
  private mutating func grow(by added: Int) {
    let larger = max(capacity * 2, count + added)
    let new = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    new.update(from: base, count: count)
    base.deallocate()
    base = new
    capacity = larger
  }
}
