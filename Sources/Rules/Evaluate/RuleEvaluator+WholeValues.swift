import ByteStreams
import JSONEvents

/// Values that are compared as a whole by their digests: with each other (`uniqueItems`), or with arrays and objects of the
/// rules.
extension RuleEvaluator {
  /// Handles the end of a value in a container that digests or compares its values.
  ///
  /// - Parameter scalar: The value, unless it is an array or an object.
  @inline(never)
  mutating func endDigest(_ value: KeyValue, _ scalar: Scalar? = nil, offset: Int, line: Int = 0, column: Int = 0) {
    let frame = frames[frames.count - 1]
    if frame.digest >= 0 { wholes.digests[Int(frame.digest)].add(value, &wholes.memberFactors) }
    if frame.hasUniqueItems { compareItem(value, scalar, frame, offset, line, column) }
  }

  /// Handles a scalar member of an object, given the program's member.
  @inline(never)
  mutating func digest(_ scalar: Event, of batch: EventBatch, member: Int) {
    while wholes.memberNameValues.count <= member {
      let next = program.members[wholes.memberNameValues.count]
      let name = program.memberNames.view(from: Int(next.nameStart), count: Int(next.nameLength))
      wholes.memberNameValues.append(KeyValue(string: name, key: options.key))
    }
    let index = Int(frames[frames.count - 1].digest)
    wholes.digests[index].setName(wholes.memberNameValues[member])
    wholes.digests[index].add(keyValue(of: Scalar(scalar, batch)), &wholes.memberFactors)
  }

  private mutating func compareItem(
    _ item: KeyValue, _ scalar: Scalar?, _ frame: Frame, _ offset: Int, _ line: Int, _ column: Int
  ) {
    for active in Int(frame.firstActive)..<Int(frame.firstActive + frame.activeCount) {
      let state = program.states[Int(activeStates[active].state)]
      for (number, row) in state.uniqueRules.indices.enumerated() {
        let rule = program.uniqueRules[row]
        var value = item
        if rule.ignoresCase, let scalar, scalar.kind == .string {
          value = KeyValue(string: scalar.text, ignoringCase: options.key)
        }
        guard rule.step < 0 else {
          claim(value, by: Int(program.plans[Int(state.plan)].steps.start + rule.step), frame, active, offset, line, column)
          continue
        }
        wholes.uniqueCount += 1
        if wholes.uniqueSets[Int(activeStates[active].uniqueSets) + number].insert(value).inserted { continue }
        fail(at: offset, by: rule.rule, active: active, slot: Int(rule.slot)) {
          let position = line == 0 ? $0.position(at: offset) : TextPosition(offset: offset, line: line, column: column)
          let subject = FindingSubject(pointer: $0.pointer(depth: $0.frames.count), position: position)
          return (subject, "duplicate item: an earlier item is equal")
        }
      }
    }
    // These sets can't spill to disk.
    if wholes.uniqueCount > options.memoryLimit / 64 {
      // The start of an array or object may no longer be in the buffer.
      exceed(
        "too many items in memory for uniqueItems below anyOf, oneOf, not or if for the memory limit",
        at: line == 0 ? self.position(at: offset) : TextPosition(offset: offset, line: line, column: column))
    }
  }

  private mutating func claim(
    _ value: KeyValue, by row: Int, _ frame: Frame, _ active: Int, _ offset: Int, _ line: Int, _ column: Int
  ) {
    let depth = frames.count - 1
    if loggedContainer.offset != frame.offset || loggedContainer.depth != depth {
      loggedContainer = (frame.offset, depth, partial.keys.container(pointer(depth: depth)))
    }
    let site = KeySite(container: loggedContainer.number, index: frame.index, offset: offset, line: line, column: column)
    partial.keys.claim(
      value, in: .scope(activeStates[active].scopedSets + program.steps[row].keySet), step: Int32(row), at: site)
  }

  /// Returns the digests of the arrays and objects that a value may equal.
  mutating func containerSet(_ index: Int) -> Set<KeyValue> {
    if let known = wholes.containerSets[index] { return known }
    let made = Set(program.constants.containerSets[index].map { KeyValue($0.value, key: options.key) })
    wholes.containerSets[index] = made
    return made
  }
}

/// What is known of values that are compared as a whole.
struct WholeValues: ~Copyable {
  /// Digests of open arrays and objects, and of the last one that ended.
  var digests = UniqueArray<ValueDigest>()
  var lastDigest = KeyValue.none
  var memberFactors: MemberFactors
  /// The names of the program's members as values, filled from the first one as far as needed.
  var memberNameValues = UniqueArray<KeyValue>()
  /// The program's sets of arrays and objects, digested on first use.
  var containerSets: [Set<KeyValue>?]
  /// Sets of items whose uniqueness decides branches, and the total number of items in them.
  var uniqueSets: [Set<KeyValue>] = []
  var uniqueCount = 0

  init(_ program: RuleProgram, _ options: EvaluationOptions) {
    memberFactors = MemberFactors(key: options.key)
    containerSets = Array(repeating: nil, count: program.constants.containerSets.count)
  }
}

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
  private var first: UInt128 = 0
  private var second: UInt128 = 0
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
    first &+= factors.first.product(value.low, value.high)
    second &+= factors.second.product(value.low, value.high)
  }

  func finished() -> KeyValue {
    var hash = hash
    if isObject {
      for sum in [first, second] {
        hash.absorb(UInt64(truncatingIfNeeded: sum))
        hash.absorb(UInt64(truncatingIfNeeded: sum >> 64))
      }
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
    func product(_ v: UInt64, _ w: UInt64) -> UInt128 {
      let inner = (v &+ a).multipliedFullWidth(by: w &+ b)
      let outer = (inner.low.scattered &+ c).multipliedFullWidth(by: inner.high.scattered &+ d)
      return UInt128(outer.high) << 64 | UInt128(outer.low)
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
