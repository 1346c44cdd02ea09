/// Secret factors for the digests of objects, different for each member name and form of value. They are derived from the key by
/// SipHash. The last 512 are kept.
///
/// A value of two words v and w becomes (v + a)(w + b). The halves of that product are scattered and become (v + c)(w + d). Both
/// steps are NH, the universal hash of UMAC (Black et al., "UMAC: Fast and Secure Message Authentication", 1999). An object's
/// digest has two sums of such products, with different factors. If the names in each object are distinct, two different objects
/// have the same sums with a probability below 2⁻¹²⁵. For members with the same name NH guarantees nothing, because they share
/// their factors. Scattering keeps their products from adding up: `{"a": 1, "a": 4}` isn't `{"a": 2, "a": 3}`.
///
/// Memory: 48 KiB, once there is a member.
struct MemberFactors {
  struct Pair: BitwiseCopyable {
    fileprivate var a, b, c, d: UInt64

    @inline(__always)
    func product(_ v: UInt64, _ w: UInt64) -> (high: UInt64, low: UInt64) {
      let product = (v &+ a).multipliedFullWidth(by: w &+ b)
      return (Self.scattered(product.low) &+ c).multipliedFullWidth(by: Self.scattered(product.high) &+ d)
    }

    /// The finalizer of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014): a bijection.
    @inline(__always)
    private static func scattered(_ word: UInt64) -> UInt64 {
      var word = word
      word = (word ^ word &>> 30) &* 0xBF58_476D_1CE4_E5B9
      word = (word ^ word &>> 27) &* 0x94D0_49BB_1331_11EB
      return word ^ word &>> 31
    }
  }

  struct Entry: BitwiseCopyable {
    fileprivate var name: KeyValue
    fileprivate var form: KeyValue.Form
    fileprivate(set) var first: Pair
    fileprivate(set) var second: Pair
  }

  private static let count = 512
  private let key: SipHash128.Key
  /// The entries, by a hash of name and form; empty before the first member.
  private var entries: [Entry] = []

  init(key: SipHash128.Key) {
    // Use a different key from those for strings and numbers.
    self.key = SipHash128.Key(low: key.low &+ 1, high: ~key.high)
  }

  @inline(__always)
  subscript(name: KeyValue, form: KeyValue.Form) -> Entry {
    mutating get {
      let mixed = (name.low ^ name.high &* 31 &+ UInt64(form.rawValue)) &* 0x9E37_79B9_7F4A_7C15
      let index = Int(truncatingIfNeeded: mixed &>> 55)
      if index < entries.count, entries[index].form == form, entries[index].name == name { return entries[index] }
      return make(name, form, at: index)
    }
  }

  @inline(never)
  private mutating func make(_ name: KeyValue, _ form: KeyValue.Form, at index: Int) -> Entry {
    func pair(_ number: UInt64) -> Pair {
      let (a, b) = words(name, form, number)
      let (c, d) = words(name, form, number + 1)
      return Pair(a: a, b: b, c: c, d: d)
    }
    let entry = Entry(name: name, form: form, first: pair(0), second: pair(2))
    if entries.isEmpty { entries = Array(repeating: entry, count: Self.count) }
    entries[index] = entry
    return entry
  }

  private func words(_ name: KeyValue, _ form: KeyValue.Form, _ number: UInt64) -> (UInt64, UInt64) {
    var hash = SipHash128(key: key)
    hash.absorb(name.low)
    hash.absorb(name.high)
    return hash.finish(tail: UInt64(name.form.rawValue) | UInt64(form.rawValue) << 8 | number << 16, count: 19)
  }
}
