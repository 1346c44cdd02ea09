package import JSONEvents

/// The digest of a value for comparisons with others.
package struct RecordDigest: Sendable, BitwiseCopyable {
  /// The value's start and end (exclusive), from the document's start.
  package var offset: Int
  package var end: Int
  /// The record's key, or `nil` if one of its fields is missing, null or not a scalar, or if it has no fields.
  package var key: KeyValue?
  /// The digest. Equal values have equal digests, however they are spelled. Others collide with a probability of 2⁻¹²⁸ per pair.
  package var value = KeyValue.none
  /// The value of the time field.
  package var time: Instant?

  package init(offset: Int, end: Int = 0) {
    self.offset = offset
    self.end = end
  }
}

/// Computes digests of values, one after another, from their events: of members of the envelope, or of a collection's records.
///
/// The order of members, escapes and the spelling of numbers don't matter: `1.0` is `1` and `1e2` is `100`, but 9007199254740993
/// isn't 9007199254740992. A null member differs from a missing one.
///
/// Cost: see ``ValueDigest``. Memory: one frame per open bracket.
package struct RecordDigester {
  /// The fields to extract from records in addition to their digest.
  package struct Fields: Sendable {
    /// The key fields, each a path of names.
    package var key: [[String]]
    package var ignoresCase: Bool
    /// The path of the time field.
    package var time: [String]?
    package var timeFormat: StringFormat?

    package init(key: [[String]] = [], ignoresCase: Bool = false, time: [String]? = nil, timeFormat: StringFormat? = nil) {
      self.key = key
      self.ignoresCase = ignoresCase
      self.time = time
      self.timeFormat = timeFormat
    }
  }

  /// A node on the path to a requested field.
  private struct Way {
    var next: [(name: [UInt8], way: Int)] = []
    /// The parts of the key at this node.
    var parts: [Int] = []
    var isTime = false
  }

  private struct Frame {
    var digest: ValueDigest
    /// The node, or -1 if no field in here is requested.
    var way: Int
  }

  private let fields: Fields
  package let key: SipHash128.Key
  /// The nodes; the first one is the record itself.
  private var ways: [Way] = [Way()]
  private var frames: [Frame] = []
  /// The node of the next value.
  private var way = 0
  private var parts: [KeyValue?]
  private var record = RecordDigest(offset: 0)
  private var factors: MemberFactors

  package init(_ fields: Fields = Fields(), key: SipHash128.Key) {
    self.fields = fields
    self.key = key
    factors = MemberFactors(key: key)
    parts = Array(repeating: nil, count: fields.key.count)
    for (part, path) in fields.key.enumerated() {
      let way = addWay(path)
      ways[way].parts.append(part)
    }
    if let time = fields.time, fields.timeFormat != nil { ways[addWay(time)].isTime = true }
  }

  private mutating func addWay(_ path: [String]) -> Int {
    path.reduce(0) { way, name in
      let bytes = Array(name.utf8)
      if let known = ways[way].next.first(where: { $0.name == bytes }) { return known.way }
      ways.append(Way())
      ways[way].next.append((bytes, ways.count - 1))
      return ways.count - 1
    }
  }

  /// Takes a number whose value is ignored.
  package mutating func consumeAnyNumber(_ event: Event, of batch: EventBatch, completed: (RecordDigest) -> Void) {
    let offset = batch.offset(of: event)
    if frames.isEmpty { begin(at: offset) }
    way = -1
    add(.none, end: offset + batch.token(of: event).count, completed)
  }

  /// Takes the events in `range`, and calls `completed` with each complete value.
  package mutating func consume(_ batch: EventBatch, _ range: Range<Int>, completed: (RecordDigest) -> Void) {
    for index in range {
      let event = batch[index]
      switch event.kind {
      case .key:
        let text = batch.text(of: event)
        frames[frames.count - 1].digest.setName(KeyValue(string: text, key: key))
        way = way(from: frames[frames.count - 1].way, to: text)
      case .objectStart, .arrayStart:
        if frames.isEmpty { begin(at: batch.offset(of: event)) }
        // Requested fields are scalars, unlike this value.
        if way >= 0 { clear(way) }
        let isObject = event.kind == .objectStart
        frames.append(Frame(digest: ValueDigest(isObject: isObject, key: key), way: isObject ? way : -1))
        way = -1
      case .objectEnd, .arrayEnd:
        let value = frames.removeLast().digest.finished()
        add(value, end: batch.offset(of: event) + 1, completed)
      case .null, .false, .true, .number, .string:
        let scalar = Scalar(event, batch)
        if frames.isEmpty { begin(at: scalar.offset) }
        let value = self.value(of: scalar)
        if way >= 0 { capture(scalar, value) }
        way = -1
        add(value, end: scalar.offset + (frames.isEmpty ? batch.token(of: event).count : 0), completed)
      }
    }
  }

  /// Adds items, digested elsewhere, to the innermost open array.
  package mutating func add(items: [KeyValue]) {
    for item in items { frames[frames.count - 1].digest.add(item, &factors) }
  }

  /// Discards the incomplete value, which will never be completed.
  package mutating func reset() {
    frames.removeAll()
    way = -1
  }

  private mutating func begin(at offset: Int) {
    record = RecordDigest(offset: offset)
    for part in parts.indices { parts[part] = nil }
    way = 0
  }

  private mutating func add(_ value: KeyValue, end: Int, _ completed: (RecordDigest) -> Void) {
    guard frames.isEmpty else { return frames[frames.count - 1].digest.add(value, &factors) }
    record.value = value
    record.end = end
    let known = parts.compactMap(\.self)
    if !known.isEmpty, known.count == parts.count { record.key = KeyValue(tuple: known, key: key) }
    completed(record)
  }

  // MARK: Fields

  @inline(__always)
  private func way(from way: Int, to name: ByteView) -> Int {
    if way < 0 { return -1 }
    for next in ways[way].next where next.name.count == name.count {
      if next.name.withView({ $0.elementsEqual(name) }) { return next.way }
    }
    return -1
  }

  private mutating func clear(_ way: Int) {
    for part in ways[way].parts { parts[part] = nil }
    if ways[way].isTime { record.time = nil }
  }

  /// If members have the same name, the last one counts, as it does for readers of the document.
  private mutating func capture(_ scalar: Scalar, _ value: KeyValue) {
    clear(way)
    if scalar.kind == .null { return }
    var value = value
    if fields.ignoresCase, scalar.kind == .string {
      value = KeyValue(string: scalar.text, ignoringCase: key)
    }
    for part in ways[way].parts { parts[part] = value }
    if ways[way].isTime, let format = fields.timeFormat, (scalar.kind == .number) == format.appliesToNumbers {
      record.time = format.instant(scalar.text)
    }
  }

  private func value(of scalar: Scalar) -> KeyValue {
    // `ExactDecimal` clamps extreme exponents. Such numbers are only equal here if they are spelled alike.
    if scalar.kind == .number, !scalar.isInteger, scalar.text.count > 12, let decimal = ExactDecimal(scalar.text),
      !decimal.isZero, decimal.exponent.magnitude >= 1 << 39
    {
      return KeyValue(digestOf: scalar.text.array, key: SipHash128.Key(low: ~key.low, high: ~key.high))
    }
    return KeyValue(scalar, key: key)
  }
}
