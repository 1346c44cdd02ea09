import JSONEvents
import Rules

/// Keywords that check only the value: JSON Schema validation, section 6.
extension Application {
  func assertionsHold() throws(PlainError) -> Bool {
    // Checks all of them, so that a malformed keyword is found whatever the results of the others.
    let parts = [try typeHolds(), try numbersHold(), try textHolds(), try itemsHold(), try membersHold()]
    return !parts.contains(false)
  }

  /// Section 6.1.
  private func typeHolds() throws(PlainError) -> Bool {
    if case .array(let values)? = self["enum"], !values.contains(value) { return false }
    if let constant = self["const"], constant != value { return false }
    switch self["type"] {
    case nil: return true
    case .string(let name): return try isOfType(name)
    case .array(let names):
      for name in names {
        guard let name = name.text else { throw .malformed("type") }
        if try isOfType(name) { return true }
      }
      return false
    default: throw .malformed("type")
    }
  }

  private func isOfType(_ name: PlainText) throws(PlainError) -> Bool {
    switch (name.string, value) {
    case ("null", .null), ("boolean", .boolean), ("number", .number), ("string", .string), ("array", .array), ("object", .object):
      true
    case ("integer", .number(let number)): number.isInteger
    case ("null", _), ("boolean", _), ("number", _), ("integer", _), ("string", _), ("array", _), ("object", _): false
    default: throw .malformed("type")
    }
  }

  /// Section 6.2.
  private func numbersHold() throws(PlainError) -> Bool {
    guard case .number(let number) = value else { return true }
    if let divisor = try decimal("multipleOf"), try !number.isWholeMultiple(of: divisor) { return false }
    if let bound = try decimal("maximum"), number > bound { return false }
    if let bound = try decimal("exclusiveMaximum"), number >= bound { return false }
    if let bound = try decimal("minimum"), number < bound { return false }
    if let bound = try decimal("exclusiveMinimum"), number <= bound { return false }
    return true
  }

  /// Section 6.3.
  private func textHolds() throws(PlainError) -> Bool {
    guard case .string(let text) = value else { return true }
    if let most = try count("maxLength"), text.length > most { return false }
    if let least = try count("minLength"), text.length < least { return false }
    guard let pattern = self["pattern"] else { return true }
    guard let pattern = pattern.text else { throw .malformed("pattern") }
    return try text.matches(pattern)
  }

  /// Section 6.4; `contains` checks `minContains` and `maxContains`.
  private func itemsHold() throws(PlainError) -> Bool {
    guard case .array(let items) = value else { return true }
    if let most = try count("maxItems"), items.count > most { return false }
    if let least = try count("minItems"), items.count < least { return false }
    return self["uniqueItems"] != .boolean(true) || Set(items).count == items.count
  }

  /// Section 6.5.
  private func membersHold() throws(PlainError) -> Bool {
    guard case .object(let members) = value else { return true }
    if let most = try count("maxProperties"), members.count > most { return false }
    if let least = try count("minProperties"), members.count < least { return false }
    for name in try names(self["required"], of: "required") where members[name] == nil { return false }
    if let dependent = self["dependentRequired"] {
      guard case .object(let lists) = dependent else { throw .malformed("dependentRequired") }
      for (name, list) in lists {
        let required = try names(list, of: "dependentRequired")
        if members[name] != nil, required.contains(where: { members[$0] == nil }) { return false }
      }
    }
    return true
  }

  // MARK: Values of keywords

  private func decimal(_ keyword: PlainText) throws(PlainError) -> ExactDecimal? {
    guard let value = self[keyword] else { return nil }
    guard case .number(let number) = value else { throw .malformed(keyword.string) }
    return number
  }

  /// Returns a count, or `Int.max` if the number has more than 64 bits.
  func count(_ keyword: PlainText) throws(PlainError) -> Int? {
    guard let number = try decimal(keyword) else { return nil }
    guard number.isInteger, !number.isNegative else { throw .malformed(keyword.string) }
    return number.int64.map(Int.init) ?? .max
  }

  private func names(_ value: PlainValue?, of keyword: String) throws(PlainError) -> [PlainText] {
    guard let value else { return [] }
    guard case .array(let items) = value else { throw .malformed(keyword) }
    var names: [PlainText] = []
    for item in items {
      guard let name = item.text else { throw .malformed(keyword) }
      names.append(name)
    }
    return names
  }
}

extension PlainText {
  /// Returns whether the pattern matches anywhere: validation, section 6.3.3.
  func matches(_ pattern: PlainText) throws(PlainError) -> Bool {
    let compiled: Pattern
    do { compiled = try Pattern(pattern.string) } catch { throw .malformed("pattern") }
    // One more byte, so that empty text has an address, too.
    let outcome = (bytes + [0]).withUnsafeBufferPointer { bytes in
      bytes.baseAddress.map { Pattern.Matcher().match(compiled, in: ByteView($0, count: bytes.count - 1)) }
    }
    guard let outcome, outcome != .tooCostly else { throw .tooCostly }
    return outcome == .match
  }
}

extension ExactDecimal {
  /// Returns whether a long division leaves no remainder (validation, section 6.2.1).
  fileprivate func isWholeMultiple(of divisor: ExactDecimal) throws(PlainError) -> Bool {
    guard !divisor.isZero, !divisor.isNegative else { throw .malformed("multipleOf") }
    if isZero { return true }
    // Both as integers, in units of the smaller exponent. With fewer than 0 zeros to append it isn't a multiple: its last digit is
    // not 0.
    let zeros = exponent - divisor.exponent
    if zeros < 0 { return false }
    guard zeros <= 10_000 else { throw .tooCostly }
    var rest: [UInt8] = []
    for digit in digits + Array(repeating: 0, count: zeros) {
      if digit > 0 || !rest.isEmpty { rest.append(digit) }
      while let difference = rest.subtracting(divisor.digits) { rest = difference }
    }
    return rest.isEmpty
  }
}

extension [UInt8] {
  /// Returns the difference of two whole numbers as digits without leading zeros, or `nil` if it is negative.
  fileprivate func subtracting(_ other: [UInt8]) -> [UInt8]? {
    if count < other.count || count == other.count && lexicographicallyPrecedes(other) { return nil }
    var difference = self
    var borrow: UInt8 = 0
    for place in 1...count {
      let subtrahend = (place <= other.count ? other[other.count - place] : 0) + borrow
      borrow = self[count - place] < subtrahend ? 1 : 0
      difference[count - place] = self[count - place] + 10 * borrow - subtrahend
    }
    return Array(difference.drop { $0 == 0 })
  }
}
