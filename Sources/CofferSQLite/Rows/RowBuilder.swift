import CSQLiteRows
import JSONEvents
import Rules

/// Builds rows from the events of records.
///
///     {"id": 7, "carId": 2, "tags": ["a", "b"], "new": {"x": 1.0}}
///     columns   id 7 · carId 2 · tags ["a","b"] · coffer_extra {"new":{"x":1.0}}
///
/// Time: each name is first compared with the next column's, so names in column order take one comparison; a string is copied
/// once.
///
/// Rows are written through pointers into the batch's memory: an array would check for unique ownership at each write.
struct RowBuilder {
  private let table: TableLayout
  private let names: [NameKey]
  private let kinds: [ColumnLayout.Kind]
  private let exact: [Bool]
  private let columnCount: Int

  private var memory = RowMemory(cellCapacity: 0, textCapacity: 0)
  /// Copies of `memory`'s pointers.
  private var cells: UnsafeMutablePointer<coffer_cell>
  private var text: UnsafeMutablePointer<UInt8>
  private var cellCount = 0
  private var textCount = 0
  private(set) var rowCount = 0
  private(set) var failure: RowBatch.Failure?

  /// The number of open brackets in the record.
  private var depth = 0
  private var target = Target.none
  private var guess = 0
  private var row = 0
  private var more: [UInt8] = []
  private var compact = CompactText()
  /// The array or object of a column.
  private var inner: [UInt8] = []
  private var valueOffset = 0

  private enum Target {
    case none
    case column(Int)
    /// The value is appended to `coffer_extra`, after its name.
    case more
  }

  /// SQLite's default SQLITE_MAX_LENGTH.
  private static let longestText = 1_000_000_000

  init(_ table: TableLayout) {
    self.table = table
    names = table.columns.map { NameKey($0.name) }
    kinds = table.columns.map(\.kind)
    let exact = table.exactColumns
    self.exact = table.columns.indices.map(exact.contains)
    columnCount = table.columns.count + 1
    (cells, text) = (memory.cells, memory.text)
  }

  /// True if no record is open.
  var isBetweenRecords: Bool { depth == 0 }

  /// Returns the rows, and starts a new batch.
  mutating func takeBatch() -> RowBatch {
    let taken = RowBatch(memory: memory, rowCount: rowCount, failure: failure)
    // Slices have about the same length, unless a record is longer than a slice.
    use(
      RowMemory(
        cellCapacity: min(cellCount + cellCount / 8, 1 << 16), textCapacity: min(textCount + textCount / 8, 1 << 20)))
    discard()
    return taken
  }

  /// Discards the rows.
  mutating func discard() {
    (cellCount, textCount, rowCount, failure) = (0, 0, 0, nil)
    depth = 0
    target = .none
  }

  private mutating func use(_ memory: RowMemory) { (self.memory, cells, text) = (memory, memory.cells, memory.text) }

  mutating func take(_ events: EventBatch, _ range: Range<Int>) {
    var index = range.lowerBound
    while index < range.upperBound, failure == nil {
      if depth == 1, index + 1 < range.upperBound, takeMember(events[index], events[index + 1], of: events) {
        index += 2
      } else {
        take(events[index], of: events)
        index += 1
      }
    }
  }

  /// Takes a name together with the scalar after it, by far the most frequent case. Otherwise does nothing, and returns false.
  @inline(__always)
  private mutating func takeMember(_ key: Event, _ value: Event, of events: EventBatch) -> Bool {
    guard key.kind == .key, !key.isDuplicateKey, value.kind.rawValue <= Event.Kind.string.rawValue,
      let column = column(named: events.text(of: key))
    else { return false }
    guess = column + 1
    valueOffset = events.offset(of: key)
    takeScalar(value, of: events, column)
    return true
  }

  private mutating func take(_ event: Event, of events: EventBatch) {
    if depth > 1 { return takeInner(event, of: events) }
    if depth == 0 {
      guard event.kind == .objectStart else {
        return fail(at: events.offset(of: event), "a record of \(table.title) is not an object, so it can't become a row")
      }
      return beginRow()
    }
    switch event.kind {
    case .key: takeName(event, of: events)
    case .objectEnd: endRow()
    case .objectStart, .arrayStart: beginInner(event, of: events)
    default: takeScalar(event, of: events)
    }
  }

  private mutating func fail(at offset: Int, _ message: String) {
    failure = RowBatch.Failure(offset: offset, message: message)
  }

  // MARK: Rows

  private mutating func beginRow() {
    depth = 1
    guess = 0
    if memory.cellCapacity - cellCount < columnCount {
      memory.growCells(cellCount, by: columnCount)
      use(memory)
    }
    row = cellCount
    (cells + row).update(repeating: .null, count: columnCount)
    cellCount += columnCount
    more.removeAll(keepingCapacity: true)
  }

  private mutating func endRow() {
    depth = 0
    rowCount += 1
    guard !more.isEmpty else { return }
    more.append(UInt8(ascii: "}"))
    set(columnCount - 1, to: more)
  }

  @inline(__always)
  private func set(_ column: Int, to cell: coffer_cell) { cells[row + column] = cell }

  private mutating func set(_ column: Int, to bytes: [UInt8]) {
    bytes.withUnsafeBytes { bytes in
      let start = reserveText(bytes.count)
      if let from = bytes.baseAddress { UnsafeMutableRawPointer(start).copyMemory(from: from, byteCount: bytes.count) }
    }
    endText(column, bytes.count)
  }

  /// Sets a column to a text from the batch, which has 16 readable bytes after it.
  @inline(__always)
  private mutating func set(_ column: Int, toPadded view: ByteView) {
    let to = UnsafeMutableRawPointer(reserveText(view.count))
    view.withUnsafeBytes { bytes in
      guard let from = bytes.baseAddress else { return }
      if bytes.count <= 16 {
        to.storeBytes(of: from.loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
      } else {
        to.copyMemory(from: from, byteCount: bytes.count)
      }
    }
    endText(column, view.count)
  }

  @inline(__always)
  private mutating func reserveText(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    if memory.textCapacity - textCount < count {
      memory.growText(textCount, by: count)
      use(memory)
    }
    return text + textCount
  }

  @inline(__always)
  private mutating func endText(_ column: Int, _ count: Int) {
    if count > Self.longestText {
      return fail(
        at: valueOffset,
        "a value of \(count) bytes in a record of \(table.title) exceeds SQLite's limit of \(Self.longestText) bytes"
      )
    }
    set(column, to: .text(textCount..<textCount + count))
    textCount += count
  }

  // MARK: Members

  private mutating func takeName(_ event: Event, of events: EventBatch) {
    let name = events.text(of: event)
    valueOffset = events.offset(of: event)
    if event.isDuplicateKey {
      return fail(
        at: valueOffset,
        "a record of \(table.title) has the member '\(name.prefix(64).string)' twice, but a row can hold it only once"
      )
    }
    if let column = column(named: name) {
      guess = column + 1
      target = .column(column)
    } else {
      beginMore(events.token(of: event))
    }
  }

  @inline(__always)
  private func column(named name: ByteView) -> Int? {
    if guess < names.count, matches(guess, name) { return guess }
    return names.indices.first { matches($0, name) }
  }

  @inline(__always)
  private func matches(_ column: Int, _ name: ByteView) -> Bool {
    let key = names[column]
    guard key.matchesEnds(of: name) else { return false }
    return name.count <= 16 || name.withUnsafeBytes { $0.elementsEqual(table.columns[column].name.utf8) }
  }

  private mutating func beginMore(_ nameToken: ByteView) {
    more.append(UInt8(ascii: more.isEmpty ? "{" : ","))
    nameToken.withUnsafeBytes { more.append(contentsOf: $0) }
    more.append(UInt8(ascii: ":"))
    target = .more
  }

  /// Moves a value that its column can't hold to `coffer_extra`.
  private mutating func moveToMore(_ column: Int, _ event: Event, of events: EventBatch) {
    if exact[column], event.kind != .null {
      return fail(
        at: valueOffset,
        "the \(table.columns[column].name) of a record of \(table.title) is a key, but can't be stored as \(table.columns[column].kind.noun)"
      )
    }
    addToMore(column, event, of: events)
  }

  private mutating func addToMore(_ column: Int, _ event: Event, of events: EventBatch) {
    more.append(UInt8(ascii: more.isEmpty ? "{" : ","))
    more.append(contentsOf: table.columns[column].quotedName)
    more.append(UInt8(ascii: ":"))
    events.token(of: event).withUnsafeBytes { more.append(contentsOf: $0) }
  }

  private mutating func takeScalar(_ event: Event, of events: EventBatch) {
    if case .column(let column) = target { return takeScalar(event, of: events, column) }
    events.token(of: event).withUnsafeBytes { more.append(contentsOf: $0) }
  }

  @inline(__always)
  private mutating func takeScalar(_ event: Event, of events: EventBatch, _ column: Int) {
    let text = events.text(of: event)
    switch (kinds[column], event.kind) {
    case (.text, .string), (.number, .number): set(column, toPadded: text)
    case (.integer, .number):
      if let value = text.shortestInteger {
        set(column, to: .integer(value))
      } else if let value = ExactDecimal(text)?.int64 {
        // 14.0 equals 14: the column holds the value, `coffer_extra` its spelling.
        set(column, to: .integer(value))
        addToMore(column, event, of: events)
      } else {
        moveToMore(column, event, of: events)
      }
    case (.boolean, .true): set(column, to: .integer(1))
    case (.boolean, .false): set(column, to: .integer(0))
    case (_, .null): moveToMore(column, event, of: events)
    case (.json, _): set(column, toPadded: events.token(of: event))
    default: moveToMore(column, event, of: events)
    }
  }

  // MARK: Values with brackets

  private mutating func beginInner(_ event: Event, of events: EventBatch) {
    if case .column(let column) = target, kinds[column] != .json {
      moveToMore(column, event, of: events)
      if failure != nil { return }
      // `coffer_extra` has the bracket already; the rest of the value follows.
      target = .more
      compact = CompactText()
    } else {
      compact = CompactText()
      inner.removeAll(keepingCapacity: true)
      appendInner(event, of: events)
    }
    depth = 2
  }

  private mutating func takeInner(_ event: Event, of events: EventBatch) {
    appendInner(event, of: events)
    switch event.kind {
    case .objectStart, .arrayStart: depth += 1
    case .objectEnd, .arrayEnd:
      depth -= 1
      if depth == 1, case .column(let column) = target { set(column, to: inner) }
    default: break
    }
  }

  private mutating func appendInner(_ event: Event, of events: EventBatch) {
    if case .column = target {
      compact.append(event, of: events, to: &inner)
    } else {
      compact.append(event, of: events, to: &more)
    }
  }
}

extension ColumnLayout {
  /// The name as a JSON string.
  var quotedName: [UInt8] { JSONText.quoted(name) }
}

extension ColumnLayout.Kind {
  fileprivate var noun: String {
    switch self {
    case .integer: "a 64-bit integer"
    case .number: "a number"
    case .text: "a string"
    case .boolean: "true or false"
    case .json: "JSON"
    }
  }
}

extension ByteView {
  /// The integer, if this is its shortest spelling.
  @inline(__always)
  var shortestInteger: Int64? {
    guard count > 0, count <= 20 else { return nil }
    let isNegative = self[0] == UInt8(ascii: "-")
    var index = isNegative ? 1 : 0
    guard index < count, !(isNegative && self[1] == UInt8(ascii: "0")) else { return nil }
    var value: Int64 = 0
    while index < count {
      let digit = Int64(self[index]) - 0x30
      guard digit >= 0, digit <= 9 else { return nil }
      let (product, overflows) = value.multipliedReportingOverflow(by: 10)
      let (next, passes) = isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflows || passes { return nil }
      value = next
      index += 1
    }
    return value
  }
}

/// The length of a column's name, and its first and last eight bytes.
private struct NameKey: BitwiseCopyable {
  private let count: Int
  private let head: UInt64
  private let tail: UInt64

  init(_ name: String) {
    (count, head, tail) = ByteView.with(name) { ($0.count, $0.leadingWord, $0.count >= 8 ? $0.word(at: $0.count - 8) : 0) }
  }

  @inline(__always)
  func matchesEnds(of name: ByteView) -> Bool {
    guard name.count == count, name.leadingWordOfPadded == head else { return false }
    return count <= 8 || name.word(at: count - 8) == tail
  }
}
