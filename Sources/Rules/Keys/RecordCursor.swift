import JSONEvents

/// Reads the content of a `RecordBuffer`.
///
/// Reading past the end returns zeros and sets `hasFailed`, so that one check at a record's end covers all of its parts.
struct RecordCursor {
  private let bytes: ByteView
  private(set) var position: Int
  /// True after a read past the end, or of invalid data.
  private(set) var hasFailed = false

  init(_ bytes: ByteView, at position: Int) {
    self.bytes = bytes
    self.position = position
  }

  mutating func fail() { hasFailed = true }

  @inline(__always)
  mutating func byte() -> UInt8 {
    guard position < bytes.count else {
      hasFailed = true
      return 0
    }
    position += 1
    return bytes[position - 1]
  }

  @inline(__always)
  mutating func word(length: Int) -> UInt64 {
    guard length <= 8, position + length <= bytes.count else {
      hasFailed = true
      return 0
    }
    position += length
    return bytes.dropFirst(position - length).prefix(length).leadingWord
  }

  @inline(__always)
  mutating func varint() -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let next = byte()
      result |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return result }
      shift += 7
      if shift > 63 {
        hasFailed = true
        return 0
      }
    }
  }

  mutating func text() -> String { view(varint()).string }

  /// Reads the next `length` bytes.
  mutating func view(_ length: UInt64) -> ByteView {
    guard length <= UInt64(bytes.count - position) else {
      hasFailed = true
      return bytes.prefix(0)
    }
    position += Int(length)
    return bytes.dropFirst(position - Int(length)).prefix(Int(length))
  }

  /// Reads the result of ``RecordBuffer/append(_:after:)``.
  mutating func bytes(after last: [UInt8]) -> [UInt8] {
    let shared = varint()
    let length = varint()
    guard shared <= UInt64(last.count), length <= UInt64(bytes.count - position) else {
      hasFailed = true
      return []
    }
    position += Int(length)
    return last[..<Int(shared)] + bytes.dropFirst(position - Int(length)).prefix(Int(length)).array
  }
}
