import ByteStreams
import JSONEvents
import SystemPackage

/// Comparisons that wait for places addressed from the root, in a temporary file if there are many.
///
///     log      | length, 8 bytes | count of rules, 8 | their numbers, 8 each | bytes of the log | log | …
struct WaitingComparisons: ~Copyable {
  private var sink: StoringSink
  private(set) var rules: [WaitingLog.Rule] = []

  /// - Parameter folder: the folder for the file, which is created when needed.
  init(in folder: FilePath) { sink = StoringSink(in: folder) }

  /// Appends the next comparisons.
  mutating func append(_ log: WaitingLog) throws(CofferError) {
    try append(log.bytes, rules: log.rules.map { add($0) })
  }

  /// Appends comparisons that wait elsewhere.
  mutating func append(_ other: borrowing WaitingComparisons) throws(CofferError) {
    let numbers = other.rules.map { add($0) }
    try other.forEachLog { rules, bytes throws(CofferError) in try append(bytes, rules: rules.map { numbers[$0] }) }
  }

  /// Appends the bytes of a log, whose rules have these numbers here.
  mutating func append(_ bytes: [UInt8], rules numbers: [Int]) throws(CofferError) {
    var header = RecordBuffer()
    for number in [bytes.count, numbers.count] + numbers { header.append(UInt64(number), length: 8) }
    try header.withBytes { (bytes) throws(CofferError) in try sink.write(bytes) }
    try sink.write(bytes)
  }

  /// Returns the number of a rule, and adds it if it is new.
  mutating func add(_ rule: WaitingLog.Rule) -> Int {
    if let known = rules.firstIndex(where: { $0.isSame(as: rule) }) {
      rules[known].add(rule.extremes)
      return known
    }
    rules.append(rule)
    return rules.count - 1
  }

  /// Calls `body` with the comparisons, log by log, in the order of appending.
  ///
  /// - Throws: an error of the temporary file.
  func forEach(_ body: (WaitingLog.Rule, DataValue, String, WaitingLog.Place) -> Void) throws(CofferError) {
    try forEachLog { numbers, bytes throws(CofferError) in
      let isWhole = WaitingLog.read(bytes) { number, value, excerpt, place in
        guard numbers.indices.contains(number) else { return false }
        body(rules[numbers[number]], value, excerpt, place)
        return true
      }
      if !isWhole { throw .damagedPartial }
    }
  }

  /// Calls `body` with the numbers of each log's rules, and its bytes, in the order of appending.
  ///
  /// - Throws: an error of the temporary file, or what `body` throws.
  func forEachLog(_ body: (_ rules: [Int], _ bytes: [UInt8]) throws(CofferError) -> Void) throws(CofferError) {
    var source = StoredSource(StoredBytes(sink, named: "waiting comparisons"))
    func words(_ count: Int) throws(CofferError) -> [Int] {
      let bytes = try source.readPrefix(8 * count)
      return stride(from: 0, to: bytes.count - 7, by: 8).map { start in
        Int(truncatingIfNeeded: bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
      }
    }
    while true {
      let header = try words(2)
      if header.isEmpty { return }
      guard header.count == 2, 0...rules.count ~= header[1] else { throw .damagedPartial }
      let numbers = try words(header[1])
      let bytes = try source.readPrefix(max(0, header[0]))
      guard numbers.count == header[1], bytes.count == header[0], numbers.allSatisfy({ 0..<rules.count ~= $0 }) else {
        throw .damagedPartial
      }
      try body(numbers, bytes)
    }
  }
}

/// Encoded comparisons of a stretch of a document with places, addressed from the root, that have not been read yet.
///
/// For example, if members are sorted, the export's date follows the records that are compared with it. Each comparison is
/// encoded as the difference from the one before, in 20 to 30 bytes. For each rule the least and greatest instants are kept as
/// well: if both satisfy the comparison, all values do, and the log is not decoded.
///
///     bytes    | rule | kind | container | index | member | offset | line | column | text | rule | …
struct WaitingLog: Sendable {
  /// The common part of many comparisons.
  struct Rule: Sendable {
    let check: RuleProgram.Check
    let cell: Int
    /// The least and greatest waiting values, or `nil` if some are not instants.
    var extremes: (least: Instant, greatest: Instant)?

    func isSame(as other: Rule) -> Bool {
      cell == other.cell && check.rule == other.check.rule && check.operand == other.check.operand
        && check.operation == other.check.operation && check.comparison == other.check.comparison
    }

    mutating func add(_ other: (least: Instant, greatest: Instant)?) {
      guard let mine = extremes, let other else { return extremes = nil }
      extremes = (min(mine.least, other.least), max(mine.greatest, other.greatest))
    }
  }

  /// The place of a value.
  struct Place {
    /// The pointer of the array that holds the value's record; or the value's own pointer, without an index.
    var container = ""
    var index = -1
    /// The program's member.
    var member: Int32 = -1
    var offset = 0
    var line = 0
    var column = 0
  }

  private(set) var rules: [Rule] = []
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0
  private var last = Place()
  /// The offset of the array of `last`.
  private var lastContainer = -1

  var isEmpty: Bool { count == 0 }

  /// Returns the pointer of the array that begins at `offset`, if it is the array of the previous comparison.
  func container(at offset: Int) -> String? { offset == lastContainer ? last.container : nil }

  /// - Parameters:
  ///   - instant: the value's instant, or `nil` if it isn't an instant.
  ///   - container: the offset of the array that the place is relative to, or -1 for none.
  mutating func append(_ rule: Rule, _ scalar: Scalar, instant: Instant?, at place: Place, in container: Int) {
    let extremes = instant.map { (least: $0, greatest: $0) }
    let number = rules.firstIndex { $0.isSame(as: rule) } ?? rules.count
    if number == rules.count {
      rules.append(rule)
      rules[number].extremes = extremes
    } else {
      rules[number].add(extremes)
    }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 96) { buffer in
      var header = Varints(buffer)
      header.append(UInt64(number))
      header.append(UInt64(scalar.kind.rawValue))
      let isSame = container >= 0 && container == lastContainer
      header.append(isSame ? 0 : UInt64(place.container.utf8.count) + 1)
      if !isSame {
        bytes += header.bytes
        bytes += place.container.utf8
        header.removeAll()
      }
      header.append(signed: place.index &- last.index)
      header.append(signed: Int(place.member))
      header.append(signed: place.offset &- last.offset)
      header.append(signed: place.line &- last.line)
      header.append(UInt64(bitPattern: Int64(place.column)))
      header.append(UInt64(scalar.text.count))
      bytes += header.bytes
    }
    scalar.text.withUnsafeBytes { bytes += $0 }
    last = place
    lastContainer = container
    count += 1
  }

  /// Reads comparisons back, in the order of appending.
  ///
  /// - Returns: false if the bytes are damaged.
  static func read(_ bytes: [UInt8], _ body: (_ rule: Int, _ value: DataValue, _ excerpt: String, _ place: Place) -> Bool) -> Bool
  {
    bytes.withUnsafeBufferPointer { buffer -> Bool in
      guard let base = buffer.baseAddress else { return true }
      var cursor = RecordCursor(ByteView(base, count: buffer.count), at: 0)
      var place = Place()
      while cursor.position < buffer.count {
        let rule = Int(truncatingIfNeeded: cursor.varint())
        guard let kind = ValueKind(rawValue: Int(truncatingIfNeeded: cursor.varint())) else { return false }
        let length = cursor.varint()
        if length > 0 { place.container = cursor.view(length - 1).string }
        place.index &+= cursor.signed()
        place.member = Int32(truncatingIfNeeded: cursor.signed())
        place.offset &+= cursor.signed()
        place.line &+= cursor.signed()
        place.column = Int(truncatingIfNeeded: cursor.varint())
        let text = cursor.view(cursor.varint())
        if cursor.hasFailed || !body(rule, DataValue(kind, text), RuleEvaluator.excerpt(of: text), place) { return false }
      }
      return true
    }
  }
}

/// Numbers with seven bits per byte, the lowest first; the highest bit says that more follow (LEB128).
private struct Varints {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private var count = 0

  init(_ buffer: UnsafeMutableBufferPointer<UInt8>) { self.buffer = buffer }

  var bytes: UnsafeMutableBufferPointer<UInt8>.SubSequence { buffer[..<count] }

  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func append(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      buffer[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      count += 1
      rest >>= 7
    }
    buffer[count] = UInt8(truncatingIfNeeded: rest)
    count += 1
  }

  /// Appends a signed number with zigzag encoding: small numbers of either sign stay small.
  @inline(__always)
  mutating func append(signed value: Int) { append(UInt64(bitPattern: Int64(value &<< 1 ^ value &>> (Int.bitWidth - 1)))) }
}

extension RecordCursor {
  fileprivate mutating func signed() -> Int {
    let word = varint()
    return Int(truncatingIfNeeded: word &>> 1 ^ (0 &- (word & 1)))
  }
}
