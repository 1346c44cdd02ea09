package import JSONEvents

/// The value of a key in 17 bytes: equal values have equal forms, and only they.
///
/// Exact for 64-bit integers, strings of up to 15 bytes and UUIDs; other values and keys of several fields stand as a keyed 128-bit digest,
/// for which "only they" holds but for a chance of 2⁻¹²⁸ a pair.
package struct KeyValue: Sendable, Hashable, BitwiseCopyable {
  package enum Form: UInt8, Sendable, CaseIterable, BitwiseCopyable {
    case integer, shortString, upperUUID, lowerUUID, digest
  }

  package let form: Form
  package let low: UInt64
  package let high: UInt64

  init(_ form: Form, _ low: UInt64, _ high: UInt64) {
    self.form = form
    self.low = low
    self.high = high
  }

  /// Stands where there is no value.
  static let none = KeyValue(.digest, 0, 0)
  static let null = KeyValue(.digest, 2, 0x6e75_6c6c)

  package init(string text: ByteView, key: SipHash128.Key) {
    if text.count <= 15 {
      let low = text.leadingWord
      let high = text.count > 8 ? text.dropFirst(8).leadingWord : 0
      self.init(.shortString, low, high | UInt64(text.count) << 56)
    } else if text.count == 36, let uuid = Self.uuid(text) {
      self = uuid
    } else {
      let (low, high) = SipHash128.digest(of: text, key: key)
      self.init(.digest, low, high)
    }
  }

  /// The same for all strings whose small letters are the same.
  package init(string text: ByteView, ignoringCase key: SipHash128.Key) {
    // Most of what is compared so is short ASCII: names, UUIDs.
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
    // 1e2 and 100.0 are the number 100: the value is what counts, not its spelling.
    guard let decimal = ExactDecimal(text) else { preconditionFailure("yajl gives numbers only") }
    if let integer = decimal.int64 {
      self.init(.integer, UInt64(bitPattern: integer), 0)
      return
    }
    var canonical = Array("\(decimal.isNegative ? "-" : "")\(decimal.exponent):".utf8)
    canonical += decimal.digits
    // Under another key, so that no string is taken for a number.
    self.init(digestOf: canonical, key: SipHash128.Key(low: ~key.low, high: key.high))
  }

  /// Not the key of any text that spells it.
  init(_ instant: Instant, key: SipHash128.Key) {
    self.init(
      tuple: [KeyValue(integer: instant.seconds), KeyValue(integer: instant.attoseconds), .none],
      key: SipHash128.Key(low: key.low, high: ~key.high))
  }

  package init(boolean: Bool) {
    self.init(.digest, boolean ? 1 : 0, 0x626f_6f6c)
  }

  /// A key of several fields, or the one field's own value.
  package init(tuple values: [KeyValue], key: SipHash128.Key) {
    if values.count == 1 {
      self = values[0]
      return
    }
    var hash = SipHash128(key: key)
    for value in values {
      hash.absorb(UInt64(value.form.rawValue))
      hash.absorb(value.low)
      hash.absorb(value.high)
    }
    let (low, high) = hash.finish(tail: 0, count: values.count * 24)
    self.init(.digest, low, high)
  }

  package init(digestOf bytes: [UInt8], key: SipHash128.Key) {
    let (low, high) = bytes.withUnsafeBufferPointer { buffer -> (UInt64, UInt64) in
      guard let base = buffer.baseAddress else { return (0, 0) }
      return SipHash128.digest(of: ByteView(base, count: buffer.count), key: key)
    }
    self.init(.digest, low, high)
  }

  package var integer: Int64 { Int64(bitPattern: low) }

  /// The sixteen bytes of a UUID whose letters are all of one case: others would not be known by them.
  private static func uuid(_ text: ByteView) -> KeyValue? {
    guard let uuid = UUIDText(text), !(uuid.hasCapitals && uuid.hasSmallLetters) else { return nil }
    return KeyValue(uuid.hasSmallLetters ? .lowerUUID : .upperUUID, uuid.high, uuid.low)
  }

  /// The value as the document spells it, as far as the form still knows; `nil` for digests.
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
    case .digest: return nil
    }
  }
}

/// Integers as JSON spells most of them.
package enum IntegerText {
  /// The value of digits with an optional minus sign, if they are at most 18; longer ones, fractions and exponents are for `ExactDecimal`.
  @inline(__always)
  package static func value(_ text: ByteView) -> Int64? {
    // Eight digits at once: most ids and counters have no more.
    if text.count <= 8, text.count > 0, text[0] != UInt8(ascii: "-") { return digits(text.leadingWord, count: text.count) }
    return longValue(text)
  }

  /// - Parameter word: the digits' bytes, the first one lowest, zero behind the last.
  @inline(__always)
  package static func digits(_ word: UInt64, count: Int) -> Int64? {
    // Leading zeros in front: the last digit stands in the highest byte.
    let blank = UInt64(truncatingIfNeeded: 8 &- count) &* 8
    let aligned = blank == 0 ? word : word &<< blank | 0x3030_3030_3030_3030 &>> (64 &- blank)
    let isDigits =
      aligned & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
      && (aligned &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
    guard isDigits else { return nil }
    // Pairs of digits, then of pairs, then of quadruples (D. Lemire, "Quickly parsing eight digits").
    let pairs = ((aligned & 0x0F0F_0F0F_0F0F_0F0F) &* 2561) >> 8 & 0x00FF_00FF_00FF_00FF
    let quadruples = (pairs &* 6_553_601) >> 16 & 0x0000_FFFF_0000_FFFF
    return Int64((quadruples &* 42_949_672_960_001) >> 32)
  }

  private static func longValue(_ text: ByteView) -> Int64? {
    var index = 0
    let negative = text.count > 0 && text[0] == UInt8(ascii: "-")
    if negative { index = 1 }
    guard text.count > index, text.count - index <= 18 else { return nil }
    var result: Int64 = 0
    while index < text.count {
      let digit = text[index] &- 48
      guard digit < 10 else { return nil }
      result = result &* 10 &+ Int64(digit)
      index += 1
    }
    return negative ? -result : result
  }
}
