import JSONEvents

/// The digest of an array or object while it is being read: equal values have equal digests, whatever the order of members and the
/// spelling of numbers; others don't, but for a chance of 2⁻¹²⁸ a pair.
///
/// Cost: SipHash of each name and scalar that is longer than 15 bytes, and of 24 bytes for each item or 35 for each member. Of equal keys in an object each
/// counts.
struct ValueDigest: BitwiseCopyable {
  private let isObject: Bool
  private let key: SipHash128.Key
  private var hash: SipHash128
  private var count = 0
  /// Of an object: the sum of its members' digests, which has no order.
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  private var name = KeyValue.none

  init(isObject: Bool, key: SipHash128.Key) {
    self.isObject = isObject
    // Other keys than those of strings and numbers, so that no text can be taken for an array.
    self.key = SipHash128.Key(low: key.low, high: isObject ? ~key.high : key.high &+ 1)
    hash = SipHash128(key: self.key)
  }

  /// The name of the member whose value comes next.
  mutating func setName(_ name: KeyValue) { self.name = name }

  mutating func add(_ value: KeyValue) {
    count += 1
    guard isObject else { return hash.absorb(value) }
    var member = SipHash128(key: key)
    member.absorb(name.low)
    member.absorb(name.high)
    member.absorb(value.low)
    member.absorb(value.high)
    // The forms of both: a tail has room for seven bytes.
    let digest = member.finish(tail: 1 | UInt64(name.form.rawValue) << 8 | UInt64(value.form.rawValue) << 16, count: 35)
    let (sum, carry) = low.addingReportingOverflow(digest.0)
    low = sum
    high = high &+ digest.1 &+ (carry ? 1 : 0)
  }

  func finished() -> KeyValue {
    var hash = hash
    if isObject {
      hash.absorb(low)
      hash.absorb(high)
    }
    hash.absorb(UInt64(truncatingIfNeeded: count))
    let (low, high) = hash.finish(tail: 2, count: 8)
    return KeyValue(.digest, low, high)
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
  /// The digest of a value of a rule document.
  init(_ value: JSONValue, key: SipHash128.Key) {
    switch value {
    case .null: self = .null
    case .boolean(let boolean): self.init(boolean: boolean)
    case .number(let text): self = ByteView.with(text) { KeyValue(number: $0, key: key) }
    case .string(let text): self = ByteView.with(text) { KeyValue(string: $0, key: key) }
    case .array(let items):
      var digest = ValueDigest(isObject: false, key: key)
      for item in items { digest.add(KeyValue(item.value, key: key)) }
      self = digest.finished()
    case .object(let members):
      var digest = ValueDigest(isObject: true, key: key)
      for member in members {
        digest.setName(ByteView.with(member.key) { KeyValue(string: $0, key: key) })
        digest.add(KeyValue(member.value.value, key: key))
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
