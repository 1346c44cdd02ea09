import JSONEvents
import Rules

/// A value that was drawn, before it has a text: a bound needs its number, a document its bytes.
///
///     recipe ─▶ drawn ─▶ bytes         most values
///                   └──▶ JSONValue     those of records that are edited, and those that other values depend on
enum Drawn {
  case json(JSONValue)
  /// That many 10⁻ˢ. As a string it always has a fraction: `"24.0"`.
  case number(Int64, scale: Int, isString: Bool)
  /// A point in time, in seconds since 1970.
  case time(Int64, StringFormat)
  case uuid(UInt64, UInt64)
  case array([Drawn])
  case object(Drawer.Scope)
}

// MARK: Text

extension Drawn {
  /// Appends the text of a scalar to an empty buffer.
  ///
  /// - Returns: True if it is a string.
  func append(to text: inout ByteBuffer) -> Bool {
    switch self {
    case .json, .array, .object: preconditionFailure("only scalars have a text")
    case .number(let units, let scale, let isString):
      text.append(units: units, scale: scale, alwaysFraction: isString)
      return isString
    case .time(let seconds, let format):
      if format.appliesToNumbers {
        text.append(decimal: (seconds - format.epoch) * (format == .unixTimeMilliseconds ? 1000 : 1))
        return false
      }
      Instant(seconds: seconds).append(to: &text)
      if format == .date { text.truncate(to: 10) }
      if format == .time {
        let time = Array(text.bytes.dropFirst(11))
        text.removeAll()
        text.append(time)
      }
      return true
    case .uuid(let high, let low):
      // In uppercase, with the version and the variant of random ones.
      let words = [high & ~0xF000 | 0x4000, low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000]
      text.reserve(36)
      for place in 0..<32 {
        if place == 8 || place == 12 || place == 16 || place == 20 { text.put(UInt8(ascii: "-")) }
        let digit = UInt8(truncatingIfNeeded: words[place / 16] >> UInt64(60 - 4 * (place & 15))) & 0xF
        text.put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
      }
      return true
    }
  }

  /// The value of a scalar.
  var scalar: JSONValue {
    var text = ByteBuffer(capacity: 64)
    let isString = append(to: &text)
    let string = String(decoding: text.bytes, as: UTF8.self)
    return isString ? .string(string) : .number(string)
  }
}

extension StringFormat {
  /// The start of a count of seconds.
  var epoch: Int64 { self == .appleReferenceTime ? 978_307_200 : 0 }

  /// True if its texts have both a date and a time of day.
  fileprivate var isDateTime: Bool { self == .dateTime || self == .dateTimeSeconds || self == .appleDateTime }

  /// Returns a point in time in this format.
  func value(of seconds: Int64) -> JSONValue { Drawn.time(seconds, self).scalar }
}

extension Int64 {
  /// Returns 10ˢ.
  static func unit(scale: Int) -> Int64 { (0..<scale).reduce(1) { unit, _ in unit * 10 } }

  /// Returns the text of that many 10⁻ˢ: `31.42`, `31.4`, `31`.
  func decimalText(scale: Int) -> String {
    var text = ByteBuffer(capacity: 64)
    text.append(units: self, scale: scale, alwaysFraction: false)
    return String(decoding: text.bytes, as: UTF8.self)
  }
}

extension ByteBuffer {
  /// Appends that many 10⁻ˢ, without zeros at the end, or always with a fraction, as Swift describes a `Double`: `24.0`.
  fileprivate mutating func append(units: Int64, scale: Int, alwaysFraction: Bool) {
    let unit = Int64.unit(scale: scale).magnitude
    append(decimal: units.magnitude / unit, isNegative: units < 0)
    var (rest, digits) = (units.magnitude % unit, scale)
    if rest == 0, !alwaysFraction { return }
    while digits > 1, rest % 10 == 0 { (rest, digits) = (rest / 10, digits - 1) }
    append(UInt8(ascii: "."))
    append(decimal: rest, width: digits)
  }
}

// MARK: Bounds

extension Numbers {
  /// Returns a value in the units of these numbers, rounded towards those that a comparison with it allows.
  func units(of value: Drawn, _ comparison: Comparison) -> Int64? {
    switch value {
    case .number(let units, scale, _) where format?.isTemporal != true && units.magnitude < 1_000_000_000_000_000: return units
    case .time(let seconds, let other) where other == format && other.isDateTime: return seconds
    case .array, .object: return nil
    case .json(let value): return units(of: value, comparison)
    case .number, .time, .uuid: return units(of: value.scalar, comparison)
    }
  }

  private func units(of value: JSONValue, _ comparison: Comparison) -> Int64? {
    switch value {
    case .string(let text), .number(let text):
      if let format, format.isTemporal {
        let instant = ByteView.with(text) { format.instant($0) } ?? Instant(text)
        return instant.map { $0.seconds + (comparison.isLower && $0.attoseconds > 0 ? 1 : 0) }
      }
      return ExactDecimal(text)?.units(scale: scale, roundingUp: comparison.isLower)
    default: return nil
    }
  }
}
