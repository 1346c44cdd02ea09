import JSONEvents

/// The digest of an array or object while it is being read. Equal values have equal digests, regardless of the order of members
/// and the spelling of numbers. Others collide with a probability of 2⁻¹²⁵ per pair (see ``MemberFactors``). Duplicate keys in an
/// object all count.
///
/// Cost: SipHash of each name and scalar longer than 15 bytes, and of 24 bytes for each item of an array; four multiplications
/// for each member of an object whose name has occurred before.
struct ValueDigest: BitwiseCopyable {
  private let isObject: Bool
  /// The hash of an array's items so far.
  private var hash: SipHash128
  private var count = 0
  /// Sums over an object's members, which have no order.
  private var first = Sum128()
  private var second = Sum128()
  private var name = KeyValue.none

  init(isObject: Bool, key: SipHash128.Key) {
    self.isObject = isObject
    // Different keys from those for strings and numbers, so that no string equals an array.
    hash = SipHash128(key: SipHash128.Key(low: key.low, high: isObject ? ~key.high : key.high &+ 1))
  }

  /// Sets the name of the member whose value comes next.
  mutating func setName(_ name: KeyValue) { self.name = name }

  @inline(__always)
  mutating func add(_ value: KeyValue, _ factors: inout MemberFactors) {
    count += 1
    guard isObject else { return hash.absorb(value) }
    let factors = factors[name, value.form]
    first.add(factors.first.product(value.low, value.high))
    second.add(factors.second.product(value.low, value.high))
  }

  func finished() -> KeyValue {
    var hash = hash
    if isObject {
      hash.absorb(first.low)
      hash.absorb(first.high)
      hash.absorb(second.low)
      hash.absorb(second.high)
    }
    hash.absorb(UInt64(truncatingIfNeeded: count))
    let (low, high) = hash.finish(tail: 2, count: 8)
    return KeyValue(.digest, low, high)
  }
}

private struct Sum128: BitwiseCopyable {
  var low: UInt64 = 0
  var high: UInt64 = 0

  @inline(__always)
  mutating func add(_ number: (high: UInt64, low: UInt64)) {
    let (sum, carry) = low.addingReportingOverflow(number.low)
    low = sum
    high = high &+ number.high &+ (carry ? 1 : 0)
  }
}

extension SipHash128 {
  fileprivate mutating func absorb(_ value: KeyValue) {
    absorb(UInt64(value.form.rawValue))
    absorb(value.low)
    absorb(value.high)
  }
}

extension KeyValue {
  /// Creates the digest of a value in a rule document.
  init(_ value: JSONValue, key: SipHash128.Key) {
    var factors = MemberFactors(key: key)
    self.init(value, key: key, &factors)
  }

  private init(_ value: JSONValue, key: SipHash128.Key, _ factors: inout MemberFactors) {
    switch value {
    case .null: self = .null
    case .boolean(let boolean): self.init(boolean: boolean)
    case .number(let text): self = ByteView.with(text) { KeyValue(number: $0, key: key) }
    case .string(let text): self = ByteView.with(text) { KeyValue(string: $0, key: key) }
    case .array(let items):
      var digest = ValueDigest(isObject: false, key: key)
      for item in items { digest.add(KeyValue(item.value, key: key, &factors), &factors) }
      self = digest.finished()
    case .object(let members):
      var digest = ValueDigest(isObject: true, key: key)
      for member in members {
        digest.setName(ByteView.with(member.key) { KeyValue(string: $0, key: key) })
        digest.add(KeyValue(member.value.value, key: key, &factors), &factors)
      }
      self = digest.finished()
    }
  }

  init(_ scalar: Scalar, key: SipHash128.Key) {
    switch scalar.kind {
    case .null: self = .null
    case .boolean: self.init(boolean: scalar.isTrue)
    case .number: self = scalar.isInteger ? KeyValue(integer: scalar.integer) : KeyValue(number: scalar.text, key: key)
    default: self.init(string: scalar.text, key: key)
    }
  }
}
