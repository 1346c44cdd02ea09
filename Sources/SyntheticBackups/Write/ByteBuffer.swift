/// A buffer for the bytes of a document before they reach a sink.
///
/// It owns its memory instead of using an array, whose uniqueness check for each byte took a tenth of the total time.
struct ByteBuffer: ~Copyable {
  private(set) var count = 0
  private var capacity: Int
  private var bytes: UnsafeMutablePointer<UInt8>

  init(capacity: Int = 128 << 10) {
    self.capacity = capacity
    bytes = .allocate(capacity: capacity)
  }

  deinit { bytes.deallocate() }

  var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: count) }

  func bytes(from start: Int) -> [UInt8] { Array(UnsafeBufferPointer(start: bytes + start, count: count - start)) }

  mutating func truncate(to count: Int) { self.count = min(count, self.count) }

  /// Makes room for `more` bytes.
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  @inline(never)
  private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.update(from: bytes, count: count)
    bytes.deallocate()
    bytes = larger
  }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    reserve(1)
    bytes[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func append(_ start: UnsafePointer<UInt8>, count more: Int) {
    reserve(more)
    (bytes + count).update(from: start, count: more)
    count += more
  }

  mutating func append(_ text: [UInt8]) {
    text.withUnsafeBufferPointer { text in
      if let start = text.baseAddress { append(start, count: text.count) }
    }
  }

  // MARK: Numbers

  /// Appends the last `digits` digits of a non-negative number.
  @inline(__always)
  mutating func append(_ number: Int64, digits: Int) {
    reserve(digits)
    var rest = UInt64(bitPattern: number)
    for place in stride(from: count + digits - 1, through: count, by: -1) {
      let next = rest / 10
      bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest - next * 10)
      rest = next
    }
    count += digits
  }

  mutating func append(_ number: Int64) {
    reserve(20)
    var rest = number.magnitude
    var digits = 1
    var bound: UInt64 = 10
    while digits < 19, rest >= bound {
      digits += 1
      bound *= 10
    }
    if number < 0 {
      bytes[count] = UInt8(ascii: "-")
      count += 1
    }
    for place in stride(from: count + digits - 1, through: count, by: -1) {
      let next = rest / 10
      bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest - next * 10)
      rest = next
    }
    count += digits
  }

  /// Appends a number of 10⁻ˢ: `31.42`, `31.4`, `31`, or always with a fraction, as Swift describes a `Double`: `24.0`.
  mutating func append(_ units: Int64, scale: Int, alwaysFraction: Bool = false) {
    guard scale > 0 else {
      append(units)
      if alwaysFraction {
        append(UInt8(ascii: "."))
        append(UInt8(ascii: "0"))
      }
      return
    }
    var unit: Int64 = 1
    for _ in 0..<scale { unit *= 10 }
    if units < 0 { append(UInt8(ascii: "-")) }
    let magnitude = Int64(units.magnitude)
    append(magnitude / unit)
    var fraction = magnitude % unit
    var digits = scale
    if fraction == 0 {
      if alwaysFraction {
        append(UInt8(ascii: "."))
        append(UInt8(ascii: "0"))
      }
      return
    }
    while fraction % 10 == 0 {
      fraction /= 10
      digits -= 1
    }
    append(UInt8(ascii: "."))
    append(fraction, digits: digits)
  }

  // MARK: Times

  /// Appends a date such as `2026-06-28`: civil-date arithmetic after Hinnant, "chrono-Compatible Low-Level Date Algorithms",
  /// `civil_from_days`.
  mutating func append(dayAt seconds: Int64) {
    let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    append(yearOfEra + era * 400 + (month <= 2 ? 1 : 0), digits: 4)
    append(UInt8(ascii: "-"))
    append(month, digits: 2)
    append(UInt8(ascii: "-"))
    append(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, digits: 2)
  }

  /// Appends a time such as `20:15:00Z`.
  mutating func append(timeAt seconds: Int64) {
    let second = (seconds % 86_400 + 86_400) % 86_400
    append(second / 3600, digits: 2)
    append(UInt8(ascii: ":"))
    append(second / 60 % 60, digits: 2)
    append(UInt8(ascii: ":"))
    append(second % 60, digits: 2)
    append(UInt8(ascii: "Z"))
  }

  // MARK: Identifiers

  /// Appends 128 bits as a UUID in uppercase.
  mutating func append(uuid high: UInt64, _ low: UInt64) {
    reserve(36)
    for place in 0..<32 {
      if place == 8 || place == 12 || place == 16 || place == 20 {
        bytes[count] = UInt8(ascii: "-")
        count += 1
      }
      let word = place < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (place & 15))) & 0xF
      bytes[count] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10
      count += 1
    }
  }
}
