import ByteStreams
import JSONEvents
import SystemPackage

/// Comparisons that wait for places addressed from the root, spilled to a temporary file if there are many.
///
///     log      | length, 8 bytes | count of rules, 8 | their numbers, 8 each | bytes of the log | log | …
struct WaitingComparisons: ~Copyable {
  private let folder: FilePath
  private var file: SpillFile?
  private var chain: SpillFile.Chain?
  private(set) var rules: [WaitingLog.Rule] = []

  /// - Parameter folder: the folder for the file, which is created when needed.
  init(in folder: FilePath) { self.folder = folder }

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
    let file: SpillFile
    if let known = self.file { file = known } else { file = try SpillFile(in: folder) }
    let chain = self.chain ?? file.makeChain()
    (self.file, self.chain) = (file, chain)
    var header = RecordBuffer()
    header.append(UInt64(bytes.count), length: 8)
    header.append(UInt64(numbers.count), length: 8)
    for number in numbers { header.append(UInt64(number), length: 8) }
    try header.withBytes { (bytes) throws(CofferError) in try file.append(bytes, to: chain) }
    var result: Result<Void, CofferError> = .success(())
    bytes.withUnsafeBytes { bytes in
      do throws(CofferError) { try file.append(bytes, to: chain) } catch { result = .failure(error) }
    }
    try result.get()
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
      if !isWhole, let file { throw file.damaged }
    }
  }

  /// Calls `body` with the numbers of each log's rules, and its bytes, in the order of appending.
  ///
  /// - Throws: an error of the temporary file, or what `body` throws.
  func forEachLog(_ body: (_ rules: [Int], _ bytes: [UInt8]) throws(CofferError) -> Void) throws(CofferError) {
    guard let file, let chain else { return }
    var offset = 0
    while true {
      let header = try Self.read(16, of: chain, at: offset, from: file)
      if header.isEmpty { break }
      guard header.count == 16, let length = Int(exactly: Self.word(header[..<8])),
        let count = Int(exactly: Self.word(header[8...])),
        count <= rules.count
      else { throw file.damaged }
      let numbers = try Self.read(8 * count, of: chain, at: offset + 16, from: file)
      let bytes = try Self.read(length, of: chain, at: offset + 16 + 8 * count, from: file)
      guard bytes.count == length, numbers.count == 8 * count else { throw file.damaged }
      let rows = (0..<count).map { Self.word(numbers[(8 * $0)..<(8 * $0 + 8)]) }
      guard rows.allSatisfy({ $0 < UInt64(rules.count) }) else { throw file.damaged }
      try body(rows.map { Int($0) }, bytes)
      offset += 16 + 8 * count + length
    }
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }

  private static func read(
    _ count: Int, of chain: SpillFile.Chain, at offset: Int, from file: SpillFile
  ) throws(CofferError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      var result: Result<Int, CofferError> = .success(0)
      bytes.withUnsafeMutableBytes { buffer in
        do throws(CofferError) {
          result = .success(
            try file.read(chain, at: offset + filled, into: UnsafeMutableRawBufferPointer(rebasing: buffer.dropFirst(filled))))
        } catch { result = .failure(error) }
      }
      let next = try result.get()
      if next == 0 { break }
      filled += next
    }
    return Array(bytes.prefix(filled))
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
