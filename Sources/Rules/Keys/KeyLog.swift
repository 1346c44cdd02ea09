/// What the records of a stretch of a document did with keys, in document order.
///
/// Whoever evaluates the stretch only writes down; a `KeyIndex` that is given all stretches in order decides.
///
/// For example, a record that has a key of its own and refers to another:
///
///     let cars = log.container("/cars")
///     log.claim(id, in: .document(0), step: 4, at: KeySite(container: cars, index: 17, offset: 2048))
///     log.refer(to: tariff, in: 1, step: 5, at: KeySite(container: cars, index: 17, offset: 2071))
///
/// Memory: 64 bytes an operation, 120 more for one that says more than key and place.
package struct KeyLog: Sendable {
  /// A set that keys are claimed in.
  package enum SetName: Sendable, BitwiseCopyable {
    /// One of the document's, by its number.
    case document(Int32)
    /// One on the stack of scoped sets, by its height.
    case scope(Int32)
  }

  /// What a reference leads to: a key of one of the document's sets.
  package struct Target: Sendable, Hashable, BitwiseCopyable {
    package var set: Int32
    package var key: KeyValue

    package init(set: Int32, key: KeyValue) {
      self.set = set
      self.key = key
    }
  }

  enum Operation: BitwiseCopyable {
    case claim(set: Int32)
    case claimInScope(height: Int32)
    case define(set: Int32)
    case refer(set: Int32)
    case openScopes(count: Int32)
    case closeScopes(height: Int32)
  }

  struct Entry: BitwiseCopyable {
    let key: KeyValue
    let index: Int
    let offset: Int
    let container: Int32
    let step: Int32
    /// An index into `companions`; -1: the entry says all.
    let companion: Int32
    let operation: Operation
  }

  /// What few operations say.
  struct Companion: BitwiseCopyable {
    var line: Int
    var column: Int
    var excerpt: KeyValue?
    var base: Target?
  }

  private(set) var entries: [Entry] = []
  private(set) var companions: [Companion] = []
  private(set) var containers: [String] = []

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// How many operations it holds.
  package var count: Int { entries.count }

  /// Reserves memory for `count` operations and their companions.
  package mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(count)
    companions.reserveCapacity(count)
  }

  /// Forgets everything, but keeps the memory for the next stretch.
  package mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    companions.removeAll(keepingCapacity: true)
    containers.removeAll(keepingCapacity: true)
  }

  /// The number of an array for `KeySite.container`.
  ///
  /// - Parameter pointer: its JSON Pointer. To be asked for once an array rather than once a record.
  package mutating func container(_ pointer: String) -> Int32 {
    if containers.last != pointer { containers.append(pointer) }
    return Int32(containers.count - 1)
  }

  /// `key` must be new in its set.
  ///
  /// - Parameters:
  ///   - step: whose rule it is; handed back in a violation.
  ///   - excerpt: the value of the field that a finding would point at, where that isn't the key.
  @inline(__always)
  package mutating func claim(_ key: KeyValue, in set: SetName, step: Int32, at site: KeySite, excerpt: KeyValue? = nil) {
    let operation: Operation =
      switch set {
      case .document(let number): .claim(set: number)
      case .scope(let height): .claimInScope(height: height)
      }
    append(operation, key, step, site, excerpt, nil)
  }

  /// `key` is in the document's set from now on, whether or not it was.
  @inline(__always)
  package mutating func define(_ key: KeyValue, in set: Int32) {
    append(.define(set: set), key, -1, KeySite(container: -1, index: 0, offset: 0), nil, nil)
  }

  /// `key` must be in the document's set when the document ends.
  ///
  /// - Parameter base: a reference of the same record that this one refines: where that key is in no record, this reference says nothing.
  @inline(__always)
  package mutating func refer(
    to key: KeyValue, in set: Int32, step: Int32, at site: KeySite, excerpt: KeyValue? = nil, refining base: Target? = nil
  ) {
    append(.refer(set: set), key, step, site, excerpt, base)
  }

  /// Pushes empty sets on the stack of scoped sets.
  package mutating func openScopes(_ count: Int32) { append(.openScopes(count: count)) }

  /// Drops the scoped sets from `height` on.
  package mutating func closeScopes(downTo height: Int32) { append(.closeScopes(height: height)) }

  private mutating func append(_ operation: Operation) {
    append(operation, .none, -1, KeySite(container: -1, index: 0, offset: 0), nil, nil)
  }

  @inline(__always)
  private mutating func append(
    _ operation: Operation, _ key: KeyValue, _ step: Int32, _ site: KeySite, _ excerpt: KeyValue?, _ base: Target?
  ) {
    var companion: Int32 = -1
    if site.line != 0 || excerpt != nil || base != nil {
      companion = Int32(companions.count)
      companions.append(Companion(line: site.line, column: site.column, excerpt: excerpt, base: base))
    }
    entries.append(
      Entry(
        key: key, index: site.index, offset: site.offset, container: site.container, step: step, companion: companion,
        operation: operation))
  }
}
