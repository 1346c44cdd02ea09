import JSONEvents

/// A short text while it is put together. One buffer serves all values of a document, so that none of them allocates.
///
/// Its bytes stand in memory of its own instead of an array, whose check for a unique owner at each byte took a tenth of all time.
struct TextBuffer: ~Copyable {
  /// No value is longer: all are fixed phrases, numbers and dates.
  private static let capacity = 512

  private let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: TextBuffer.capacity)
  private var count = 0

  deinit { bytes.deallocate() }

  var string: String { String(decoding: written, as: UTF8.self) }

  func writeString(to json: inout JSONEventWriter) { json.string(utf8: written) }

  func writeNumber(to json: inout JSONEventWriter) { json.number(utf8: written) }

  private var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }

  mutating func removeAll() { count = 0 }

  mutating func append(_ byte: UInt8) {
    precondition(count < Self.capacity)
    bytes[count] = byte
    count += 1
  }

  mutating func append(_ text: StaticString) {
    let length = text.utf8CodeUnitCount
    precondition(length <= Self.capacity - count)
    (bytes + count).initialize(from: text.utf8Start, count: length)
    count += length
  }

  /// A number of 0 to 99 with its leading zero.
  mutating func append(twoDigits number: Int) {
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
  }

  /// A number that is not negative.
  mutating func append(_ number: Int) {
    if number >= 10 { append(number / 10) }
    append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
  }

  /// The number in capital hexadecimal digits: those in `range` of its sixteen, counted from the highest.
  mutating func append(hexadecimal number: UInt64, digits range: Range<Int>) {
    for place in range {
      let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 0xF
      append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
    }
  }
}
