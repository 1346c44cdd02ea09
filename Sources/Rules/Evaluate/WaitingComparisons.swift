import ByteStreams
import JSONEvents
import SystemPackage

/// Comparisons that wait for places addressed from the root, in a temporary file if there are many.
///
///     log      | frame: the numbers of its rules | frame: its bytes | log | …
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
    var rules = ByteBuffer(capacity: 64)
    for number in numbers { rules.append(varint: UInt64(number)) }
    try sink.writeFrame(rules.bytes)
    try sink.writeFrame(bytes)
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
    while let numbers = try source.readFrame() {
      guard let bytes = try source.readFrame(), let numbers = Self.numbers(numbers), numbers.allSatisfy(rules.indices.contains)
      else { throw .damagedPartial }
      try body(numbers, bytes)
    }
  }

  private static func numbers(_ bytes: [UInt8]) -> [Int]? {
    bytes.withView { view in
      var cursor = RecordCursor(view, at: 0)
      var numbers: [Int] = []
      while cursor.position < view.count, !cursor.hasFailed { numbers.append(Int(truncatingIfNeeded: cursor.varint())) }
      return cursor.hasFailed ? nil : numbers
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
  mutating func append(
    _ rule: Rule, _ scalar: Scalar, instant: Instant?, at place: Place, in container: Int, through buffer: inout ByteBuffer
  ) {
    let extremes = instant.map { (least: $0, greatest: $0) }
    let number = rules.firstIndex { $0.isSame(as: rule) } ?? rules.count
    if number == rules.count {
      rules.append(rule)
      rules[number].extremes = extremes
    } else {
      rules[number].add(extremes)
    }
    buffer.removeAll()
    buffer.append(varint: UInt64(number))
    buffer.append(varint: UInt64(scalar.kind.rawValue))
    if container >= 0, container == lastContainer {
      buffer.append(varint: 0)
    } else {
      buffer.append(varint: UInt64(place.container.utf8.count) + 1)
      buffer.append(place.container.utf8)
    }
    buffer.append(signed: place.index &- last.index)
    buffer.append(signed: Int(place.member))
    buffer.append(signed: place.offset &- last.offset)
    buffer.append(signed: place.line &- last.line)
    buffer.append(varint: UInt64(bitPattern: Int64(place.column)))
    buffer.append(varint: UInt64(scalar.text.count))
    scalar.text.withUnsafeBytes { buffer.append($0) }
    bytes += buffer.bytes
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
        guard let kind = JSONKind(rawValue: Int(truncatingIfNeeded: cursor.varint())) else { return false }
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
