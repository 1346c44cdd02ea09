import CSQLiteRows
import JSONEvents
import Rules

/// Makes rows of the events of records.
///
///     {"id": 7, "carId": 2, "tags": ["a", "b"], "new": {"x": 1.0}}
///     columns   id 7 · carId 2 · tags ["a","b"] · more {"new":{"x":1.0}}
///
/// Time: a name is looked for where it stood in the record before, so that it costs one comparison; a text is copied once.
struct RowBuilder {
  private let table: TableLayout
  private let names: [NameKey]
  private let kinds: [ColumnLayout.Kind]
  private let exact: [Bool]
  private let columnCount: Int
  private(set) var batch = RowBatch()

  /// How many brackets are open in the record.
  private var depth = 0
  private var target = Target.none
  private var guess = 0
  private var row = 0
  private var more: [UInt8] = []
  private var compact = CompactText()
  private var textStart = 0
  private var valueOffset = 0

  private enum Target {
    case none
    case column(Int)
    /// The value goes to `more`; its name is there already.
    case more
  }

  init(_ table: TableLayout) {
    self.table = table
    names = table.columns.map { NameKey($0.name) }
    kinds = table.columns.map(\.kind)
    let exact = table.exactColumns
    self.exact = table.columns.indices.map(exact.contains)
    columnCount = table.columns.count + 1
  }

  /// Whether the last event closed a record, or none has come.
  var isBetweenRecords: Bool { depth == 0 }

  mutating func reserve(rows: Int) {
    batch.cells.reserveCapacity(rows * columnCount)
  }

  /// Hands the rows over and begins anew.
  mutating func takeBatch() -> RowBatch {
    let taken = batch
    batch = RowBatch()
    // Slices are much the same in length, unless a record is longer than a slice.
    batch.text.reserveCapacity(min(taken.text.count + taken.text.count / 8, 1 << 20))
    depth = 0
    target = .none
    return taken
  }

  mutating func take(_ events: EventBatch, _ range: Range<Int>) {
    if batch.failure != nil { return }
    for index in range {
      take(events[index], of: events)
      if batch.failure != nil { return }
    }
  }

  private mutating func take(_ event: Event, of events: EventBatch) {
    if depth > 1 { return takeInner(event, of: events) }
    if depth == 0 {
      guard event.kind == .objectStart else {
        return fail(at: events.offset(of: event), "a record of \(table.title) is no object, so it can't be a row")
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
    batch.failure = RowBatch.Failure(offset: offset, message: message)
  }

  // MARK: Rows

  private mutating func beginRow() {
    depth = 1
    guess = 0
    row = batch.cells.count
    batch.cells.append(contentsOf: repeatElement(.null, count: columnCount))
    more.removeAll(keepingCapacity: true)
  }

  private mutating func endRow() {
    depth = 0
    batch.rowCount += 1
    guard !more.isEmpty else { return }
    more.append(UInt8(ascii: "}"))
    let start = batch.text.count
    batch.text.append(contentsOf: more)
    setText(columnCount - 1, from: start)
  }

  private mutating func setText(_ column: Int, from start: Int) {
    batch.cells[row + column] = .text(start..<batch.text.count)
  }

  // MARK: Members

  private mutating func takeName(_ event: Event, of events: EventBatch) {
    let name = events.text(of: event)
    valueOffset = events.offset(of: event)
    if event.isDuplicateKey {
      return fail(
        at: valueOffset, "a record of \(table.title) has the member '\(name.prefix(64).string)' twice, and a row can hold it once"
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

  /// The value of a column that can't hold it.
  private mutating func moveToMore(_ column: Int, _ event: Event, of events: EventBatch) {
    if exact[column], event.kind != .null {
      return fail(
        at: valueOffset,
        "the \(table.columns[column].name) of a record of \(table.title) is a key, and SQLite can't hold it as \(table.columns[column].kind.noun)"
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
    guard case .column(let column) = target else {
      events.token(of: event).withUnsafeBytes { more.append(contentsOf: $0) }
      return
    }
    let text = events.text(of: event)
    switch (kinds[column], event.kind) {
    case (.text, .string), (.number, .number): append(text, to: column)
    case (.integer, .number):
      if let value = text.shortestInteger {
        batch.cells[row + column] = .integer(value)
      } else if let value = ExactDecimal(text)?.int64 {
        // 14.0 is 14: the column has the value, `more` how it is written.
        batch.cells[row + column] = .integer(value)
        addToMore(column, event, of: events)
      } else {
        moveToMore(column, event, of: events)
      }
    case (.boolean, .true): batch.cells[row + column] = .integer(1)
    case (.boolean, .false): batch.cells[row + column] = .integer(0)
    case (_, .null): moveToMore(column, event, of: events)
    case (.json, _): append(events.token(of: event), to: column)
    default: moveToMore(column, event, of: events)
    }
  }

  private mutating func append(_ text: ByteView, to column: Int) {
    let start = batch.text.count
    text.withUnsafeBytes { batch.text.append(contentsOf: $0) }
    setText(column, from: start)
  }

  // MARK: Values with brackets

  private mutating func beginInner(_ event: Event, of events: EventBatch) {
    if case .column(let column) = target, kinds[column] != .json {
      moveToMore(column, event, of: events)
      if batch.failure != nil { return }
      // The bracket is there; what follows it goes on.
      target = .more
      compact = CompactText()
    } else {
      compact = CompactText()
      textStart = batch.text.count
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
      if depth == 1, case .column(let column) = target { setText(column, from: textStart) }
    default: break
    }
  }

  private mutating func appendInner(_ event: Event, of events: EventBatch) {
    if case .column = target {
      compact.append(event, of: events, to: &batch.text)
    } else {
      compact.append(event, of: events, to: &more)
    }
  }
}

extension ColumnLayout {
  /// The name as JSON writes it.
  var quotedName: [UInt8] { JSONText.quoted(name) }
}

extension ColumnLayout.Kind {
  fileprivate var noun: String {
    switch self {
    case .integer: "a whole number of 64 bits"
    case .number: "a number"
    case .text: "a text"
    case .boolean: "true or false"
    case .json: "JSON"
    }
  }
}

extension ByteView {
  /// The number that these digits are, if that number is written with just these.
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
