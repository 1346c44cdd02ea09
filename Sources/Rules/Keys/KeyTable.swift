import Platform

/// An exact set of key values, for one collection's key.
///
/// Memory: a third of a byte per integer in long consecutive runs, 20 to 25 bytes for any other key.
struct KeyTable: ~Copyable {
  private var integers = OrderedTable<IntegerBlock>()
  private var shortStrings = OrderedTable<WideKey>()
  private var upperUUIDs = OrderedTable<WideKey>()
  private var lowerUUIDs = OrderedTable<WideKey>()
  private var digests = OrderedTable<WideKey>()
  private var instants = OrderedTable<WideKey>()
  private var decimals = OrderedTable<WideKey>()
  /// One bit per form: set if the key that scatters to zero is a member. No table can hold that key.
  private var zeros: UInt8 = 0
  private let seed: UInt64

  /// - Parameter seed: the seed of the hashes of keys. It must be random, so that no document can force collisions.
  init(seed: UInt64) { self.seed = seed }

  /// The bytes that insertions took from their budgets.
  var memory: Int {
    integers.memory + shortStrings.memory + upperUUIDs.memory + lowerUUIDs.memory + digests.memory + instants.memory
      + decimals.memory
  }

  @inline(__always)
  func contains(_ key: KeyValue) -> Bool {
    let wide = WideKey(key, seed: seed)
    return switch key.form {
    case .integer: integers.includes(IntegerBlock(key.integer, seed: seed))
    case _ where wide.isFree: zeros & 1 << key.form.rawValue != 0
    case .shortString: shortStrings.includes(wide)
    case .upperUUID: upperUUIDs.includes(wide)
    case .lowerUUID: lowerUUIDs.includes(wide)
    case .digest: digests.includes(wide)
    case .instant: instants.includes(wide)
    case .decimal: decimals.includes(wide)
    }
  }

  @inline(__always)
  mutating func insert(_ key: KeyValue, within budget: inout MemoryBudget) -> KeyInsertion {
    let wide = WideKey(key, seed: seed)
    switch key.form {
    case .integer: return integers.insert(IntegerBlock(key.integer, seed: seed), within: &budget)
    case _ where wide.isFree:
      defer { zeros |= 1 << key.form.rawValue }
      return contains(key) ? .known : .new
    case .shortString: return shortStrings.insert(wide, within: &budget)
    case .upperUUID: return upperUUIDs.insert(wide, within: &budget)
    case .lowerUUID: return lowerUUIDs.insert(wide, within: &budget)
    case .digest: return digests.insert(wide, within: &budget)
    case .instant: return instants.insert(wide, within: &budget)
    case .decimal: return decimals.insert(wide, within: &budget)
    }
  }

  /// Queues the memory that a search for `key` will read.
  @inline(__always)
  func fetch(_ key: KeyValue, through fetches: inout MemoryFetches) {
    switch key.form {
    case .integer: integers.fetch(IntegerBlock(key.integer, seed: seed), through: &fetches)
    case .shortString: shortStrings.fetch(WideKey(key, seed: seed), through: &fetches)
    case .upperUUID: upperUUIDs.fetch(WideKey(key, seed: seed), through: &fetches)
    case .lowerUUID: lowerUUIDs.fetch(WideKey(key, seed: seed), through: &fetches)
    case .digest: digests.fetch(WideKey(key, seed: seed), through: &fetches)
    case .instant: instants.fetch(WideKey(key, seed: seed), through: &fetches)
    case .decimal: decimals.fetch(WideKey(key, seed: seed), through: &fetches)
    }
  }
}

/// An element of an `OrderedTable`: one member, or several neighbours.
protocol TableSlot: BitwiseCopyable {
  /// An empty slot.
  static var free: Self { get }
  var isFree: Bool { get }

  /// The hash, uniform over all 64 bits.
  var hash: UInt64 { get }
  /// Returns whether `other` belongs in this slot; false if this slot is free.
  func isPlace(of other: Self) -> Bool
  /// Returns whether this slot, which must be the place of `other`, holds the members of `other`.
  func includes(_ other: Self) -> Bool
  /// Adds the members of `other`.
  mutating func formUnion(_ other: Self)
}

/// Up to 64 neighbouring integers, such as database ids, in 16 bytes.
///
///     | key >> 6, scattered | mask: bit (key & 63) set for each member |
///
/// Consecutive ids cost a third of a byte each. A scattered id takes a whole block.
struct IntegerBlock: TableSlot {
  let hash: UInt64
  private var mask: UInt64

  /// Creates the block with `key` as its only member.
  init(_ key: Int64, seed: UInt64) {
    hash = KeyScatter.scatter(UInt64(bitPattern: key >> 6), seed: seed)
    mask = 1 &<< UInt64(truncatingIfNeeded: key)
  }

  private init() { (hash, mask) = (0, 0) }

  static var free: IntegerBlock { IntegerBlock() }
  var isFree: Bool { mask == 0 }

  func isPlace(of other: IntegerBlock) -> Bool { hash == other.hash && !isFree }
  func includes(_ other: IntegerBlock) -> Bool { mask & other.mask == other.mask }
  mutating func formUnion(_ other: IntegerBlock) { mask |= other.mask }
}

/// The scattered 16 bytes of a key whose form is known. Never zero: zero marks a free slot.
struct WideKey: TableSlot {
  private let low: UInt64
  private let high: UInt64

  init(_ key: KeyValue, seed: UInt64) { (low, high) = KeyScatter.scatter(key.low, key.high, seed: seed) }

  private init() { (low, high) = (0, 0) }

  static var free: WideKey { WideKey() }
  var isFree: Bool { low | high == 0 }

  var hash: UInt64 { high }
  func isPlace(of other: WideKey) -> Bool { low == other.low && high == other.high }
  func includes(_ other: WideKey) -> Bool { true }
  mutating func formUnion(_ other: WideKey) {}
}

/// An array with one owner: no reference counts, no copies; the elements can be noncopyable, too.
///
/// Reference counts would cost more than their instructions. Each is a fence that keeps the processor from looking ahead for the
/// next memory access, and a table larger than the caches depends on many accesses in parallel.
///
/// Indices come from the owner, never from the document; debug builds check them.
struct UniqueArray<Element: ~Copyable>: ~Copyable {
  private var buffer: UnsafeMutableBufferPointer<Element>
  private(set) var count = 0

  init() { buffer = UnsafeMutableBufferPointer(start: nil, count: 0) }

  init(capacity: Int) {
    self.init()
    reserve(capacity)
  }

  deinit {
    buffer.extracting(..<count).deinitialize()
    free(buffer.baseAddress)
  }

  var isEmpty: Bool { count == 0 }

  @inline(__always)
  subscript(index: Int) -> Element {
    _read {
      assert(index >= 0 && index < count, "index outside the array")
      yield buffer[index]
    }
    _modify {
      assert(index >= 0 && index < count, "index outside the array")
      yield &buffer[index]
    }
  }

  mutating func append(_ element: consuming Element) {
    if count == buffer.count { reserve(max(4, count * 2)) }
    buffer.initializeElement(at: count, to: element)
    count += 1
  }

  /// `realloc` can remap a large array instead of copying it.
  private mutating func reserve(_ capacity: Int) {
    let size = max(1, capacity * MemoryLayout<Element>.stride)
    guard let memory = realloc(buffer.baseAddress, size) else { fatalError("out of memory: \(size) bytes") }
    buffer = UnsafeMutableBufferPointer(start: memory.assumingMemoryBound(to: Element.self), count: capacity)
  }

  /// Queues the memory of the element at `index`.
  @inline(__always)
  func fetch(_ index: Int, through fetches: inout MemoryFetches) {
    assert(index >= 0 && index < count, "index outside the array")
    guard let base = buffer.baseAddress else { return }
    fetches.append(UnsafeRawPointer(base + index))
  }

  mutating func removeLast() -> Element {
    precondition(count > 0, "the array is empty")
    count -= 1
    return buffer.moveElement(from: count)
  }
}

extension UniqueArray where Element: BitwiseCopyable {
  /// Appends `element` until there are `count` elements. Allocates no more memory than they need.
  mutating func append(_ element: Element, until count: Int) {
    reserve(count)
    buffer.extracting(self.count...).initialize(repeating: element)
    self.count = count
  }
}
