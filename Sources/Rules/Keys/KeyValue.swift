package import JSONEvents

/// The value of a key in 17 bytes.
///
/// Exact for 64-bit integers, other numbers of up to 18 digits, instants, UUIDs in one case and strings of up to 15 bytes: two
/// such values are equal if and only if their `KeyValue`s are. Other values, and keys of several fields, are keyed 128-bit
/// digests. Different digested values collide with a probability of 2⁻¹²⁸; for arrays and objects, see ``ValueDigest``.
package struct KeyValue: Sendable, Hashable, BitwiseCopyable {
  package enum Form: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    case integer, shortString, upperUUID, lowerUUID, digest, instant, decimal
  }

  package let form: Form
  package let low: UInt64
  package let high: UInt64

  init(_ form: Form, _ low: UInt64, _ high: UInt64) {
    self.form = form
    self.low = low
    self.high = high
  }

  /// A placeholder for a missing value.
  static let none = KeyValue(.digest, 0, 0)
  static let null = KeyValue(.digest, 2, 0x6e75_6c6c)

  package init(string text: ByteView, key: SipHash128.Key) {
    if text.count <= 15 {
      let low = text.leadingWord
      let high = text.count > 8 ? text.dropFirst(8).leadingWord : 0
      self.init(.shortString, low, high | UInt64(text.count) << 56)
    } else if text.count == 36, let uuid = UUIDText(text), let value = KeyValue(uuid) {
      self = value
    } else {
      let (low, high) = SipHash128.digest(of: text, key: key)
      self.init(.digest, low, high)
    }
  }

  /// Creates the same value for all strings that are equal in lower case.
  package init(string text: ByteView, ignoringCase key: SipHash128.Key) {
    if text.count == 36, let uuid = UUIDText(text) {
      self.init(ignoringCaseOf: uuid)
      return
    }
    // Most other strings that are compared without case are short ASCII.
    if text.count <= 64 {
      let folded = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { buffer -> KeyValue? in
        guard let base = buffer.baseAddress else { return nil }
        for index in 0..<text.count {
          let byte = text[index]
          if byte >= 0x80 { return nil }
          buffer[index] = byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
        }
        return KeyValue(string: ByteView(base, count: text.count), key: key)
      }
      if let folded {
        self = folded
        return
      }
    }
    self = ByteView.with(text.string.lowercased()) { KeyValue(string: $0, key: key) }
  }

  package init(integer: Int64) {
    self.init(.integer, UInt64(bitPattern: integer), 0)
  }

  package init(number text: ByteView, key: SipHash128.Key) {
    if let integer = IntegerText.value(text) {
      self.init(integer: integer)
      return
    }
    if let value = KeyValue(shortNumber: text) {
      self = value
      return
    }
    // 1e2 and 100.0 are the number 100: keys compare by value, not by spelling.
    guard let decimal = ExactDecimal(text) else { preconditionFailure("the parser passes only numbers") }
    if let integer = decimal.int64 {
      self.init(.integer, UInt64(bitPattern: integer), 0)
      return
    }
    if decimal.digitCount <= 18 {
      let digits = decimal.digits.reduce(0) { $0 * 10 + Int64($1) }
      self.init(.decimal, UInt64(bitPattern: decimal.isNegative ? -digits : digits), UInt64(bitPattern: Int64(decimal.exponent)))
      return
    }
    var canonical = Array("\(decimal.isNegative ? "-" : "")\(decimal.exponent):".utf8)
    canonical += decimal.digits
    // Use another key, so that no string equals a number.
    self.init(digestOf: canonical, key: SipHash128.Key(low: ~key.low, high: key.high))
  }

  /// Reads a number as `IntegerText.decimal` does.
  private init?(shortNumber text: ByteView) {
    guard var (digits, places) = IntegerText.decimal(text) else { return nil }
    while places > 0, digits % 10 == 0 {
      digits /= 10
      places -= 1
    }
    self.init(places > 0 ? .decimal : .integer, UInt64(bitPattern: digits), UInt64(bitPattern: Int64(-max(0, places))))
  }

  /// Differs from the value of any string that spells the instant.
  init(_ instant: Instant) {
    self.init(.instant, UInt64(bitPattern: instant.seconds), UInt64(bitPattern: instant.attoseconds))
  }

  /// The text that spells it if it is an integer, otherwise itself.
  func spelled(key: SipHash128.Key) -> KeyValue {
    form == .integer ? ByteView.with(String(integer)) { KeyValue(string: $0, key: key) } : self
  }

  package init(boolean: Bool) {
    self.init(.digest, boolean ? 1 : 0, 0x626f_6f6c)
  }

  /// Creates a key of several fields, or returns the value of a single field.
  package init(tuple values: [KeyValue], key: SipHash128.Key) {
    if values.count == 1 {
      self = values[0]
      return
    }
    var tuple = KeyTuple(key: key)
    for value in values { tuple.append(value) }
    self = tuple.value
  }

  /// Creates a key of two fields, without an array.
  init(tuple first: KeyValue, _ second: KeyValue, key: SipHash128.Key) {
    var tuple = KeyTuple(key: key)
    tuple.append(first)
    tuple.append(second)
    self = tuple.value
  }

  /// Combines a record's key and the record's digest.
  ///
  /// Digests are uniform, so two different records give the same value with a probability of 2⁻¹²⁸, in addition to that of equal
  /// digests. The factor distinguishes keys of different forms.
  init(_ key: KeyValue, combinedWith digest: KeyValue) {
    self.init(.digest, digest.low ^ key.low, digest.high ^ key.high ^ UInt64(key.form.rawValue) &* 0x9E37_79B9_7F4A_7C15)
  }

  package init(digestOf bytes: [UInt8], key: SipHash128.Key) {
    let (low, high) = bytes.withView { SipHash128.digest(of: $0, key: key) }
    self.init(.digest, low, high)
  }

  package var integer: Int64 { Int64(bitPattern: low) }

  /// Creates the value of a UUID from its bytes. Returns `nil` for mixed case, because case distinguishes UUIDs.
  init?(_ uuid: UUIDText) {
    if uuid.hasCapitals && uuid.hasSmallLetters { return nil }
    self.init(uuid.hasSmallLetters ? .lowerUUID : .upperUUID, uuid.high, uuid.low)
  }

  init(ignoringCaseOf uuid: UUIDText) {
    self.init(uuid.hasCapitals || uuid.hasSmallLetters ? .lowerUUID : .upperUUID, uuid.high, uuid.low)
  }

  /// The value as spelled in the document, as far as the form preserves it (`1.5` for `1.50`), or `nil` for digests and instants.
  package var text: String? {
    switch form {
    case .integer: return String(integer)
    case .shortString:
      let count = Int(high >> 56)
      let bytes = (0..<count).map { index -> UInt8 in
        let word = index < 8 ? low : high
        return UInt8(truncatingIfNeeded: word >> UInt64(index % 8 * 8))
      }
      return String(decoding: bytes, as: UTF8.self)
    case .upperUUID, .lowerUUID:
      var text = ""
      for index in 0..<32 {
        if index == 8 || index == 12 || index == 16 || index == 20 { text += "-" }
        let word = index < 16 ? low : high
        let digit = word >> UInt64(60 - index % 16 * 4) & 15
        text += String(digit, radix: 16, uppercase: form == .upperUUID)
      }
      return text
    case .decimal:
      let (digits, exponent) = (Int64(bitPattern: low), Int64(bitPattern: high))
      // Other numbers could have any number of zeros.
      guard -30..<0 ~= exponent else { return "\(digits)e\(exponent)" }
      let places = Int(-exponent)
      let text = String(digits.magnitude)
      let padded = String(repeating: "0", count: max(0, places + 1 - text.count)) + text
      return (digits < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    case .digest, .instant: return nil
    }
  }
}
