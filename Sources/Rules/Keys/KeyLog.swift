import ByteStreams
import JSONEvents

/// The key operations of a stretch of a document, in document order.
///
/// The evaluator of a stretch only records operations. A `KeyIndex` that gets all stretches in order decides about them.
///
/// For example, a record with a key and a reference to another record:
///
///     let cars = log.container("/cars")
///     log.claim(id, in: .document(0), step: 4, at: KeySite(container: cars, index: 17, offset: 2048))
///     log.refer(to: tariff, in: 1, step: 5, at: KeySite(container: cars, index: 17, offset: 2071))
///
/// Memory: 64 bytes per operation, 120 more for one with a companion.
package struct KeyLog: Sendable {
  /// A set for key claims.
  package enum SetName: Sendable, BitwiseCopyable {
    /// A set of the document, by its number.
    case document(Int32)
    /// A set on the stack of scoped sets, by its height.
    case scope(Int32)
  }

  /// The target of a reference: a key of one of the document's sets.
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
    /// An index into `companions`, or -1 if there is none.
    let companion: Int32
    let operation: Operation
  }

  /// The data that only a few operations have.
  struct Companion: BitwiseCopyable {
    var line: Int
    var column: Int
    var excerpt: KeyValue?
    var base: Target?
  }

  private(set) var entries: [Entry] = []
  private(set) var companions: [Companion] = []
  private(set) var containers: [String] = []
  /// The bytes of their pointers, which may be much longer than the arrays.
  private var containerSize = 0
  /// The names of records in objects, one after the other, and the end of each.
  private var names: [UInt8] = []
  private var nameEnds: [Int] = []
  /// The values of keys of several fields, by the entry, if they were noted.
  private(set) var parts: [Int: [KeyValue]] = [:]

  package init() {}

  package var isEmpty: Bool { entries.isEmpty }

  /// The memory that it takes, in bytes.
  var size: Int {
    entries.count * MemoryLayout<Entry>.stride + companions.count * MemoryLayout<Companion>.stride + containerSize
      + names.count + nameEnds.count * MemoryLayout<Int>.stride
  }

  /// Reserves memory for `count` operations and their companions.
  package mutating func reserveCapacity(_ count: Int) {
    entries.reserveCapacity(count)
    companions.reserveCapacity(count)
  }

  /// Removes everything, but keeps the memory for the next stretch.
  package mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    companions.removeAll(keepingCapacity: true)
    containers.removeAll(keepingCapacity: true)
    containerSize = 0
    names.removeAll(keepingCapacity: true)
    nameEnds.removeAll(keepingCapacity: true)
    parts = [:]
  }

  /// Returns the number of a collection for `KeySite.container`. Call it once per collection, not once per record.
  ///
  /// - Parameter pointer: the collection's JSON Pointer.
  package mutating func container(_ pointer: String) -> Int32 {
    if containers.last != pointer {
      containers.append(pointer)
      containerSize += pointer.utf8.count + MemoryLayout<String>.stride
    }
    return Int32(containers.count - 1)
  }

  /// Returns the `KeySite.index` of a record in an object. Call it once per record.
  ///
  /// - Parameter name: the member's name as reports show it, without escapes.
  mutating func index(ofName name: UnsafeBufferPointer<UInt8>) -> Int {
    names.append(contentsOf: name)
    nameEnds.append(names.count)
    return -1 - nameEnds.count
  }

  /// Returns the record's name as a token of a pointer, or `nil` if the operation has none.
  private func token(of entry: Entry) -> String? {
    guard entry.index < -1 else { return nil }
    let number = -2 - entry.index
    let start = number == 0 ? 0 : nameEnds[number - 1]
    return String(decoding: names[start..<nameEnds[number]], as: UTF8.self).pointerToken
  }

  /// Notes the values of the fields of the next operation's key.
  mutating func note(parts values: [KeyValue]) { parts[entries.count] = values }

  /// Requires `key` to be new in its set.
  ///
  /// - Parameters:
  ///   - step: identifies the rule; passed on to a violation.
  ///   - excerpt: the value of the field that a finding would point at, if that isn't the key.
  @inline(__always)
  package mutating func claim(_ key: KeyValue, in set: SetName, step: Int32, at site: KeySite, excerpt: KeyValue? = nil) {
    let operation: Operation =
      switch set {
      case .document(let number): .claim(set: number)
      case .scope(let height): .claimInScope(height: height)
      }
    append(operation, key, step, site, excerpt, nil)
  }

  /// Adds `key` to the document's set if it isn't there yet.
  @inline(__always)
  package mutating func define(_ key: KeyValue, in set: Int32) {
    append(.define(set: set), key, -1, KeySite(container: -1, index: 0, offset: 0), nil, nil)
  }

  /// Requires `key` to be in the document's set when the document ends.
  ///
  /// - Parameter base: a reference of the same record that this one refines. If no record has that key, this reference isn't
  ///   reported.
  @inline(__always)
  package mutating func refer(
    to key: KeyValue, in set: Int32, step: Int32, at site: KeySite, excerpt: KeyValue? = nil, refining base: Target? = nil
  ) {
    append(.refer(set: set), key, step, site, excerpt, base)
  }

  /// Returns the violation to report if an operation fails.
  ///
  /// - Parameter lines: finds the lines of places in the log's stretch.
  func violation(_ kind: KeyViolation.Kind, _ entry: Entry, _ lines: inout LineCursor) -> KeyViolation {
    var container = entry.container < 0 ? "" : containers[Int(entry.container)]
    if let token = token(of: entry) { container += "/" + token }
    var violation = KeyViolation(
      kind: kind, step: entry.step, key: entry.key, container: container, index: max(entry.index, -1), offset: entry.offset,
      line: 0, column: 0)
    if entry.companion >= 0 {
      let companion = companions[Int(entry.companion)]
      (violation.line, violation.column) = (companion.line, companion.column)
      violation.excerpt = companion.excerpt
    }
    // Looked up now, because the bytes will be gone later. Definitions have no place.
    if violation.line == 0, entry.container >= 0 {
      let position = lines.position(at: entry.offset)
      (violation.line, violation.column) = (position.line, position.column)
    }
    return violation
  }

  /// Returns the reference that an operation refines.
  func base(of entry: Entry) -> Target? { entry.companion < 0 ? nil : companions[Int(entry.companion)].base }

  /// Pushes empty sets onto the stack of scoped sets.
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

/// The place that a finding about a key operation would point at.
package struct KeySite: Sendable, Hashable, BitwiseCopyable {
  /// The collection that holds the record: an index into `KeyLog.containers`.
  package var container: Int32
  /// The record's index in that array; for an object, what `KeyLog.index(ofName:)` returned, or -1 if `container` is the record.
  package var index: Int
  /// The offset from the document's start, in bytes.
  package var offset: Int
  /// The line, from 1, or 0 if it hasn't been looked up yet.
  package var line: Int
  package var column: Int

  package init(container: Int32, index: Int, offset: Int, line: Int = 0, column: Int = 0) {
    self.container = container
    self.index = index
    self.offset = offset
    self.line = line
    self.column = column
  }
}

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

/// The scoped sets that are open: each has a number of its own, in the order of opening.
struct ScopeNumbers {
  /// The numbers of the open sets, the outermost first.
  private(set) var open: [Int] = []
  private var next: Int

  /// - Parameter setCount: the number of the document's sets, which have the first numbers.
  init(setCount: Int) { next = setCount }

  mutating func open(_ count: Int) {
    open += next..<next + count
    next += count
  }

  mutating func close(downTo height: Int) { open.removeLast(max(0, open.count - height)) }
}

extension KeyLog {
  /// Calls `body` with each operation on a key, in order.
  ///
  /// - Parameter lines: finds the lines of places in the log's stretch.
  func forEachRecord(
    _ scopes: inout ScopeNumbers, _ lines: inout LineCursor, _ body: (KeyRecord) throws(CofferError) -> Void
  ) throws(CofferError) {
    for entry in entries {
      let (operation, set): (KeyRecord.Operation, Int)
      switch entry.operation {
      case .claim(let number): (operation, set) = (.claim, Int(number))
      case .claimInScope(let height): (operation, set) = (.claim, scopes.open[Int(height)])
      case .define(let number): (operation, set) = (.define, Int(number))
      case .refer(let number): (operation, set) = (.refer, Int(number))
      case .openScopes(let count):
        scopes.open(Int(count))
        continue
      case .closeScopes(let height):
        scopes.close(downTo: Int(height))
        continue
      }
      let violation = violation(operation == .refer ? .dangling : .duplicate, entry, &lines)
      try body(KeyRecord(operation: operation, set: set, violation: violation, base: base(of: entry)))
    }
  }

  /// Opens and closes the sets that the log opens and closes.
  func count(_ scopes: inout ScopeNumbers) {
    for entry in entries {
      if case .openScopes(let count) = entry.operation { scopes.open(Int(count)) }
      if case .closeScopes(let height) = entry.operation { scopes.close(downTo: Int(height)) }
    }
  }
}
