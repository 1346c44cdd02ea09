/// A key of several fields, built one field at a time.
struct KeyTuple: BitwiseCopyable {
  private var hash: SipHash128
  private var count = 0

  init(key: SipHash128.Key) { hash = SipHash128(key: key) }

  @inline(__always)
  mutating func append(_ value: KeyValue) {
    hash.absorb(UInt64(value.form.rawValue))
    hash.absorb(value.low)
    hash.absorb(value.high)
    count += 1
  }

  var value: KeyValue {
    var hash = hash
    let (low, high) = hash.finish(tail: 0, count: count * 24)
    return KeyValue(.digest, low, high)
  }
}
