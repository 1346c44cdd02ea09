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
/// Cells are written through a pointer: an array would check for unique ownership at each write.
struct RowBuilder: ~Copyable {
  private let table: TableLayout
  /// They point into `nameBytes`: a `KnownName` has an array, whose references all threads would count at each member.
  private let names: [KnownName.Words]
  private let nameBytes: ByteBuffer
  private let kinds: [ColumnLayout.Kind]
  private let exact: [Bool]
  private let columnCount: Int
  /// 1 if the first cell of a row is the record's name, which comes before the record.
  private let nameCount: Int

  private var cells: UnsafeMutablePointer<coffer_cell>
  private var cellCount = 0
  private var cellCapacity = 64
  private var text = ByteBuffer()
  private(set) var rowCount = 0
  private(set) var failure: (offset: Int, message: String)?

  /// The number of open brackets in the record.
  private var depth = 0
  /// True if the record's name has begun its row.
  private var hasName = false
  /// True in a record that is an array.
  private var isArray = false
  /// The column of the current member's value; `nil` if it is appended to `coffer_extra`, after its name.
  private var target: Int?
  private var guess = 0
  private var row = 0
  private var extra: [UInt8] = []
  private var compact = CompactText()
  /// The array or object of a column.
  private var inner: [UInt8] = []
  private var valueOffset = 0

  /// SQLite's default SQLITE_MAX_LENGTH.
  private static let longestText = 1_000_000_000

  init(_ table: TableLayout) {
    self.table = table
    var nameBytes = ByteBuffer()
    let ends = table.columns.map { column in
      nameBytes.append(column.name.utf8)
      return nameBytes.count
    }
    let start = nameBytes.start
    names = zip([0] + ends, ends).map { KnownName.Words(ByteView(start + $0, count: $1 - $0)) }
    self.nameBytes = nameBytes
    kinds = table.columns.map(\.kind)
    let keys = table.key + table.uniqueKeys.joined() + table.references.flatMap(\.columns)
    let exact = Set(table.isLenient ? [] : keys)
    self.exact = table.columns.map { exact.contains($0.name) }
    nameCount = table.kind == .object ? 1 : 0
    columnCount = nameCount + table.columns.count + 1
    cells = .allocate(capacity: cellCapacity)
  }

  deinit { cells.deallocate() }

  /// True if no record is open, nor its name before it.
  var isBetweenRecords: Bool { depth == 0 && !hasName }

  /// Returns the rows, and starts a new batch.
  mutating func takeBatch() -> RowBatch {
    // Slices have about the same length, unless a record is longer than a slice.
    var texts = ByteBuffer(capacity: max(min(text.count + text.count / 8, 1 << 20), 1024))
    swap(&texts, &text)
    let taken = RowBatch(memory: RowMemory(cells: cells, text: texts), rowCount: rowCount, failure: failure)
    cellCapacity = max(min(cellCount + cellCount / 8, 1 << 16), 64)
    cells = .allocate(capacity: cellCapacity)
    discard()
    return taken
  }

  /// Discards the rows.
  mutating func discard() {
    text.removeAll()
    (cellCount, rowCount, failure) = (0, 0, nil)
    (depth, target, hasName, isArray) = (0, nil, false, false)
  }

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
      if event.kind == .key { return takeRecordName(event, of: events) }
      guard event.kind == .objectStart else {
        if table.isLenient { return takeOtherRecord(event, of: events) }
        return fail(at: events.offset(of: event), "a record of \(table.title) is not an object, so it can't become a row")
      }
      return beginRow()
    }
    switch event.kind {
    case .key: takeName(event, of: events)
    case .objectEnd: endRow()
    case .objectStart, .arrayStart: beginInner(event, of: events)
    default:
      if let target { return takeScalar(event, of: events, target) }
      events.token(of: event).withUnsafeBytes { extra.append(contentsOf: $0) }
    }
  }

  /// Takes a record that is no object, or its opening bracket.
  private mutating func takeOtherRecord(_ event: Event, of events: EventBatch) {
    beginRow()
    target = nil
    if event.kind == .arrayStart {
      isArray = true
      beginInner(event, of: events)
    } else {
      events.token(of: event).withUnsafeBytes { extra.append(contentsOf: $0) }
      endOtherRecord()
    }
  }

  private mutating func endOtherRecord() {
    (depth, isArray) = (0, false)
    rowCount += 1
    set(columnCount - 1 - nameCount, to: extra)
  }

  private mutating func fail(at offset: Int, _ message: String) {
    failure = (offset, message)
  }

  // MARK: Rows

  private mutating func beginRow() {
    depth = 1
    guess = 0
    if !hasName { addCells() }
    hasName = false
    extra.removeAll(keepingCapacity: true)
  }

  private mutating func addCells() {
    if cellCapacity - cellCount < columnCount { growCells() }
    row = cellCount + nameCount
    (cells + cellCount).update(repeating: .null, count: columnCount)
    cellCount += columnCount
  }

  /// Begins the row of an object's record.
  private mutating func takeRecordName(_ event: Event, of events: EventBatch) {
    let name = events.text(of: event)
    valueOffset = events.offset(of: event)
    if event.isDuplicateKey, !table.isLenient {
      return fail(
        at: valueOffset, "\(table.title) has the member '\(name.prefix(64).string)' twice, but a table can hold it only once")
    }
    addCells()
    set(-1, toPadded: name)
    hasName = true
  }

  private mutating func endRow() {
    depth = 0
    rowCount += 1
    guard !extra.isEmpty else { return }
    extra.append(UInt8(ascii: "}"))
    set(columnCount - 1 - nameCount, to: extra)
  }

  @inline(__always)
  private func set(_ column: Int, to cell: coffer_cell) { cells[row + column] = cell }

  private mutating func growCells() {
    cellCapacity = max(cellCount + columnCount, cellCapacity * 2)
    let larger = UnsafeMutablePointer<coffer_cell>.allocate(capacity: cellCapacity)
    larger.update(from: cells, count: cellCount)
    cells.deallocate()
    cells = larger
  }

  private mutating func set(_ column: Int, to bytes: [UInt8]) {
    let start = text.count
    text.append(bytes)
    endText(column, from: start)
  }

  /// Sets a column to a text from the batch, which has 16 readable bytes after it.
  @inline(__always)
  private mutating func set(_ column: Int, toPadded view: ByteView) {
    let start = text.count
    text.reserve(view.count)
    text.put(padded: view)
    endText(column, from: start)
  }

  @inline(__always)
  private mutating func endText(_ column: Int, from start: Int) {
    let count = text.count - start
    if count > Self.longestText {
      return fail(
        at: valueOffset,
        "a value of \(count) bytes in a record of \(table.title) exceeds SQLite's limit of \(Self.longestText) bytes"
      )
    }
    set(column, to: .text(at: start, count: count))
  }

  // MARK: Members

  private mutating func takeName(_ event: Event, of events: EventBatch) {
    let name = events.text(of: event)
    valueOffset = events.offset(of: event)
    if event.isDuplicateKey, !table.isLenient {
      return fail(
        at: valueOffset,
        "a record of \(table.title) has the member '\(name.prefix(64).string)' twice, but a row can hold it only once"
      )
    }
    target = event.isDuplicateKey ? nil : column(named: name)
    if let target { guess = target + 1 } else { events.token(of: event).withUnsafeBytes { beginExtra($0) } }
  }

  @inline(__always)
  private func column(named name: ByteView) -> Int? {
    let words = KnownName.Words(name)
    if guess < names.count, names[guess].matches(words) { return guess }
    return names.indices.first { names[$0].matches(words) }
  }

  /// Begins a member of `coffer_extra`.
  private mutating func beginExtra(_ name: some Sequence<UInt8>) {
    extra.append(UInt8(ascii: extra.isEmpty ? "{" : ","))
    extra.append(contentsOf: name)
    extra.append(UInt8(ascii: ":"))
  }

  /// Moves a value that its column can't hold to `coffer_extra`.
  private mutating func moveToExtra(_ column: Int, _ event: Event, of events: EventBatch) {
    if exact[column], event.kind != .null {
      return fail(
        at: valueOffset,
        "the \(table.columns[column].name) of a record of \(table.title) is a key, but can't be stored as \(table.columns[column].kind.noun)"
      )
    }
    addToExtra(column, event, of: events)
  }

  private mutating func addToExtra(_ column: Int, _ event: Event, of events: EventBatch) {
    beginExtra(table.columns[column].quotedName)
    events.token(of: event).withUnsafeBytes { extra.append(contentsOf: $0) }
  }

  @inline(__always)
  private mutating func takeScalar(_ event: Event, of events: EventBatch, _ column: Int) {
    let text = events.text(of: event)
    switch (kinds[column], event.kind) {
    case (.text, .string): set(column, toPadded: text)
    case (.number, .number):
      if let value = RealText.value(ofPlain: text) {
        set(column, to: .real(value))
      } else {
        takeOddNumber(event, of: events, column)
      }
    case (.integer, .number):
      // Zero may be spelled -0.
      if let value = IntegerText.value(text), value != 0 || text.count == 1 {
        set(column, to: .integer(value))
      } else if let value = ExactDecimal(text)?.int64 {
        // 14.0 equals 14: the column holds the value, `coffer_extra` its spelling.
        set(column, to: .integer(value))
        if String(value) != text.string { addToExtra(column, event, of: events) }
      } else {
        moveToExtra(column, event, of: events)
      }
    case (.boolean, .true): set(column, to: .integer(1))
    case (.boolean, .false): set(column, to: .integer(0))
    case (_, .null): moveToExtra(column, event, of: events)
    case (.json, _): set(column, toPadded: events.token(of: event))
    default: moveToExtra(column, event, of: events)
    }
  }

  /// Takes a number whose text its double doesn't give.
  private mutating func takeOddNumber(_ event: Event, of events: EventBatch, _ column: Int) {
    let text = events.text(of: event)
    // A number beyond the range of doubles is infinite.
    guard let value = Double(text.string) else { return moveToExtra(column, event, of: events) }
    // A key's value must be that of its column: 1.50 is 1.5, but 0.1000000000000000055 is not 0.1.
    if exact[column], ExactDecimal(value.description) != ExactDecimal(text) { return moveToExtra(column, event, of: events) }
    set(column, to: .real(value))
    addToExtra(column, event, of: events)
  }

  // MARK: Values with brackets

  private mutating func beginInner(_ event: Event, of events: EventBatch) {
    compact = CompactText()
    if let column = target, kinds[column] != .json {
      moveToExtra(column, event, of: events)
      // `coffer_extra` has the bracket already; the rest of the value follows.
      target = nil
    } else {
      inner.removeAll(keepingCapacity: true)
      appendInner(event, of: events)
    }
    depth = 2
  }

  private mutating func takeInner(_ event: Event, of events: EventBatch) {
    appendInner(event, of: events)
    depth += event.kind.depthChange
    if depth > 1 { return }
    if isArray { endOtherRecord() } else if let target { set(target, to: inner) }
  }

  private mutating func appendInner(_ event: Event, of events: EventBatch) {
    if target == nil {
      compact.append(event, of: events, to: &extra)
    } else {
      compact.append(event, of: events, to: &inner)
    }
  }
}

extension ColumnLayout {
  /// The name as a JSON string.
  var quotedName: [UInt8] { ByteBuffer.quoted(name) }
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

/// Rows of one table, in the form that SQLite reads from memory (`coffer_rows`).
///
///     cells    row 0: integer 7 · text 0+5 · null … | row 1: …        16 bytes per cell, one cell per column
///     text     helloworld…                                            all texts, concatenated
struct RowBatch: Sendable {
  let memory: RowMemory
  let rowCount: Int
  /// The first record that can't become a row. The batch holds only the rows before it.
  let failure: (offset: Int, message: String)?

  /// Calls `body` with the rows, which are valid only during the call.
  func withRows<R>(columnCount: Int, _ body: (UnsafePointer<coffer_rows>) throws -> R) rethrows -> R {
    var rows = coffer_rows(
      cells: memory.cells, text: memory.text.bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
      row_count: Int64(rowCount), column_count: Int32(columnCount))
    return try withExtendedLifetime(memory) { try body(&rows) }
  }

  /// Returns the last integer of a column, or `nil` if its values don't ascend, or aren't all integers.
  func lastInteger(ofColumn column: Int, of columnCount: Int, ascendingFrom previous: Int64?) -> Int64? {
    var last = previous
    for row in 0..<rowCount {
      guard let value = memory.cells[row * columnCount + column].integer else { return nil }
      if let last, value <= last { return nil }
      last = value
    }
    return last
  }
}

extension coffer_cell {
  static let null = coffer_cell(kind: UInt8(COFFER_CELL_NULL), length: 0, value: 0)

  @inline(__always)
  static func integer(_ value: Int64) -> Self { Self(kind: UInt8(COFFER_CELL_INTEGER), length: 0, value: value) }

  @inline(__always)
  static func real(_ value: Double) -> Self {
    Self(kind: UInt8(COFFER_CELL_REAL), length: 0, value: Int64(bitPattern: value.bitPattern))
  }

  var integer: Int64? { kind == UInt8(COFFER_CELL_INTEGER) ? value : nil }

  /// - Parameter start: the place of the text's bytes in the batch's text.
  @inline(__always)
  static func text(at start: Int, count: Int) -> Self {
    Self(kind: UInt8(COFFER_CELL_TEXT), length: Int32(truncatingIfNeeded: count), value: Int64(start))
  }
}

/// The memory of one batch.
final class RowMemory: @unchecked Sendable {
  // @unchecked: a builder has written it, and it is only read.
  let cells: UnsafeMutablePointer<coffer_cell>
  let text: ByteBuffer

  /// - Parameter cells: becomes this value's.
  init(cells: UnsafeMutablePointer<coffer_cell>, text: consuming ByteBuffer) {
    self.cells = cells
    self.text = text
  }

  deinit { cells.deallocate() }
}
