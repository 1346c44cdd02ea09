import ByteStreams
import GRDB
import GRDBSQLite
import JSONEvents
import Platform
import Rules

/// Writes the rows of a table as records, in order.
struct RowText: ~Copyable {
  let table: TableLayout
  private let statement: Statement
  private let columns: [Column]
  /// The parts of `columns` that the hot loop needs, without reference counting.
  private let kinds: [ColumnLayout.Kind]
  private var names: [Range<Int>] = []
  private var nameBytes: [UInt8] = []
  /// The number of rows written, plus those before the range.
  private(set) var count = 0
  /// The number of the last row written, if `isNumbered`.
  private(set) var lastRow = Int64.min
  private let numberColumn: CInt?
  private var isAtEnd = false
  /// True if a value that is invalid for its column is written as a string, instead of throwing an error.
  private let acceptsDamage: Bool
  /// Members of `coffer_extra`, rewritten for the current row.
  private var made = Pen(capacity: 0)

  private struct Column {
    let kind: ColumnLayout.Kind
    /// `"name":`
    let name: [UInt8]
    let title: String
    /// The statement's column that holds whether the value is JSON. An app may have written other text.
    let proof: CInt?
  }

  /// Writes all rows of a table, which may be missing.
  ///
  /// - Throws: `CofferError` if the table can't hold records; `DatabaseError`.
  init(_ table: TableLayout, in database: Database) throws {
    let present = try PresentTable(table.name, in: database)
    try present?.check(table)
    let from = present == nil ? "(SELECT 1) r WHERE FALSE" : "main.\(table.name.quotedIdentifier) r ORDER BY r.rowid"
    try self.init(table, columns: present.map { $0.has } ?? { _ in false }, from: from, in: database)
  }

  /// Writes ranges of a table's rows, given by ``seek(_:firstIndex:)``. The table must exist.
  ///
  /// - Throws: `DatabaseError`.
  init(rangesOf table: TableLayout, in database: Database) throws {
    let present = try PresentTable(table.name, in: database)
    try self.init(
      table, columns: present.map { $0.has } ?? { _ in false },
      from: "main.\(table.name.quotedIdentifier) r WHERE r.rowid BETWEEN ? AND ? ORDER BY r.rowid", isNumbered: true, in: database
    )
  }

  /// Moves to a range of rows.
  ///
  /// - Parameter firstIndex: the number of the table's rows before the range.
  mutating func seek(_ rows: ClosedRange<Int64>, firstIndex: Int) {
    let handle = statement.sqliteStatement
    sqlite3_reset(handle)
    sqlite3_bind_int64(handle, 1, rows.lowerBound)
    sqlite3_bind_int64(handle, 2, rows.upperBound)
    count = firstIndex
    isAtEnd = false
  }

  /// - Parameters:
  ///   - isThere: returns true if the rows have a column of this name.
  ///   - from: SQL for the source and order of the rows, named `r`.
  ///   - acceptsDamage: true to write a value that is invalid for its column as a string, for comparisons.
  ///   - isNumbered: true to provide ``lastRow``.
  /// - Throws: `DatabaseError`.
  init(
    _ table: TableLayout, columns isThere: (String) -> Bool, from: String, acceptsDamage: Bool = false, isNumbered: Bool = false,
    in database: Database
  ) throws {
    self.table = table
    self.acceptsDamage = acceptsDamage
    var expressions: [String] = []
    var columns: [Column] = []
    for column in table.columns {
      // A column of a later version of the format may be missing.
      expressions.append(isThere(column.name) ? "r.\(column.name.quotedIdentifier)" : "NULL")
      columns.append(
        Column(
          kind: column.kind, name: column.quotedName + [UInt8(ascii: ":")], title: column.name,
          proof: column.kind == .json ? CInt(table.columns.count + 2 + columns.count { $0.proof != nil }) : nil))
    }
    let more = isThere(TableLayout.extra) ? "r.\(TableLayout.extra)" : "NULL"
    expressions.append(more)
    expressions.append(Self.proof(more))
    for column in table.columns where column.kind == .json {
      expressions.append(Self.proof(isThere(column.name) ? "r.\(column.name.quotedIdentifier)" : "NULL"))
    }
    numberColumn = isNumbered ? CInt(truncatingIfNeeded: expressions.count) : nil
    if isNumbered { expressions.append("r.rowid") }
    self.columns = columns
    kinds = columns.map(\.kind)
    for column in columns {
      names.append(nameBytes.count..<nameBytes.count + column.name.count)
      nameBytes += column.name
    }
    statement = try database.makeStatement(sql: "SELECT \(expressions.joined(separator: ", ")) FROM \(from)")
  }

  /// Returns the SQL that is true if the value is JSON. It is null for a long value, for which SQLite would need several times
  /// its length in memory.
  private static func proof(_ value: String) -> String { "CASE WHEN length(\(value)) <= 65536 THEN json_valid(\(value)) END" }

  /// Appends records until the pen holds `size` bytes.
  ///
  /// - Returns: false after the last record.
  /// - Throws: `CofferError` for a value that is invalid for its column; `DatabaseError`.
  mutating func append(to pen: inout Pen, upTo size: Int) throws -> Bool {
    let handle = statement.sqliteStatement
    while pen.count < size {
      if isAtEnd { return false }
      let code = sqlite3_step(handle)
      if code == SQLITE_DONE {
        isAtEnd = true
        sqlite3_reset(handle)
        return false
      }
      if code != SQLITE_ROW {
        sqlite3_reset(handle)
        throw DatabaseError(resultCode: ResultCode(rawValue: code))
      }
      pen.reserve(2)
      if count > 0 { pen.put(UInt8(ascii: ",")) }
      try appendRecord(handle, to: &pen)
      if let numberColumn { lastRow = sqlite3_column_int64(handle, numberColumn) }
      count += 1
    }
    return true
  }

  /// Appends the current row. This hot loop gets each value once, and text as a blob: SQLite then neither locks for each access
  /// nor copies text to append a NUL.
  private mutating func appendRecord(_ handle: SQLiteStatement, to pen: inout Pen) throws {
    pen.put(UInt8(ascii: "{"))
    var isFirst = true
    let columnCount = kinds.count
    let more = try moreMembers(handle)
    for index in 0..<columnCount {
      if let more, more.spelled.contains(index) { continue }
      guard let value = sqlite3_column_value(handle, CInt(truncatingIfNeeded: index)) else { continue }
      let type = sqlite3_value_type(value)
      if type == SQLITE_NULL { continue }
      let name = names[index]
      pen.reserve(name.count + 32)
      if !isFirst { pen.put(UInt8(ascii: ",")) }
      isFirst = false
      nameBytes.withUnsafeBufferPointer { pen.put(UnsafeBufferPointer(rebasing: $0[name])) }
      switch (kinds[index], type) {
      case (.integer, SQLITE_INTEGER): pen.put(sqlite3_value_int64(value))
      case (.boolean, SQLITE_INTEGER):
        let text: StaticString = sqlite3_value_int64(value) == 0 ? "false" : "true"
        pen.put(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
      case (.text, SQLITE_TEXT):
        pen.put(quoted: Self.text(value))
      case (.number, SQLITE_TEXT):
        let text = Self.text(value)
        guard NumberText.isNumber(text) else {
          try put(damaged: value, of: columns[index], to: &pen)
          continue
        }
        pen.reserve(text.count)
        pen.put(text)
      case (.json, SQLITE_TEXT):
        let text = Self.text(value)
        if let proof = columns[index].proof, !Self.isJSON(text, proof, handle) {
          try put(damaged: value, of: columns[index], to: &pen)
          continue
        }
        pen.reserve(text.count)
        pen.put(text)
      default: try put(damaged: value, of: columns[index], to: &pen)
      }
    }
    if let more, !more.members.isEmpty {
      pen.reserve(more.members.count + 1)
      if !isFirst { pen.put(UInt8(ascii: ",")) }
      pen.put(more.members)
    }
    pen.reserve(2)
    pen.put(UInt8(ascii: "}"))
  }

  /// Returns the members of `coffer_extra` (`{"new":1}`) without its brackets, and the columns whose values it spells differently
  /// (`"id":14.0`).
  ///
  /// If an app has written to a column whose value was in `coffer_extra` (a null, for example), the column counts.
  private mutating func moreMembers(
    _ handle: SQLiteStatement
  ) throws -> (members: UnsafeBufferPointer<UInt8>, spelled: Set<Int>)? {
    let place = CInt(truncatingIfNeeded: kinds.count)
    guard let value = sqlite3_column_value(handle, place) else { return nil }
    let type = sqlite3_value_type(value)
    if type == SQLITE_NULL { return nil }
    let text = Self.text(value)
    guard type == SQLITE_TEXT, Self.isJSON(text, place + 1, handle),
      let open = text.firstIndex(where: { $0 > 0x20 }), text[open] == UInt8(ascii: "{"),
      let close = text.lastIndex(of: UInt8(ascii: "}"))
    else {
      // No staged record has a member of this name and value.
      if acceptsDamage { return (keep(Array(#""coffer_extra":"damaged""#.utf8)), []) }
      throw CofferError(
        .damagedDatabase, "record \(count) of \(table.title): its \(TableLayout.extra) is not a JSON object")
    }
    let members = UnsafeBufferPointer(rebasing: text[(open + 1)..<close])
    var hidden: Set<ExactText> = []
    var spelled: Set<Int> = []
    let mentioned = columns.indices.filter { members.holds(columns[$0].name.dropLast()) }
    if !mentioned.isEmpty {
      let integers = try MoreMembers(text).integers(named: Set(mentioned.map { ExactText(columns[$0].title) }))
      for index in mentioned {
        let name = ExactText(columns[index].title)
        guard let integer = integers[name], let there = sqlite3_column_value(handle, CInt(truncatingIfNeeded: index)),
          sqlite3_value_type(there) != SQLITE_NULL
        else { continue }
        if columns[index].kind == .integer, sqlite3_value_type(there) == SQLITE_INTEGER, integer == sqlite3_value_int64(there) {
          spelled.insert(index)
        } else {
          hidden.insert(name)
        }
      }
    }
    if !hidden.isEmpty { return (keep(try MoreMembers(text).text(without: hidden)), spelled) }
    // The object may contain only whitespace.
    return (members.contains(UInt8(ascii: ":")) ? members : UnsafeBufferPointer(start: nil, count: 0), spelled)
  }

  /// Stores rewritten members until the next row.
  private mutating func keep(_ members: [UInt8]) -> UnsafeBufferPointer<UInt8> {
    made.removeAll()
    members.withUnsafeBufferPointer {
      made.reserve($0.count)
      made.put($0)
    }
    return made.bytes
  }

  /// Returns true if a text is JSON. `proof` is the statement's column that may hold the answer.
  private static func isJSON(_ text: UnsafeBufferPointer<UInt8>, _ proof: CInt, _ handle: SQLiteStatement) -> Bool {
    if sqlite3_column_type(handle, proof) != SQLITE_NULL { return sqlite3_column_int64(handle, proof) != 0 }
    var reader = JSONEventReader(BorrowedBytes(rest: text), limits: .stored)
    do {
      while try reader.next() {}
      return true
    } catch { return false }
  }

  private func put(damaged value: OpaquePointer, of column: Column, to pen: inout Pen) throws {
    if acceptsDamage {
      return pen.put(quoted: Self.text(value))
    }
    throw CofferError(
      .damagedDatabase, "record \(count) of \(table.title): the value of \(column.title) is invalid for its column")
  }

  private static func text(_ value: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_value_blob(value)
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Returns true if the buffer contains `part`.
  fileprivate func holds(_ part: ArraySlice<UInt8>) -> Bool {
    guard var start = UnsafeRawPointer(baseAddress), let first = part.first else { return false }
    let end = start + count
    return part.withUnsafeBytes { part in
      while let found = memchr(start, CInt(first), end - start), end - UnsafeRawPointer(found) >= part.count {
        if part.baseAddress.map({ memcmp(found, $0, part.count) == 0 }) == true { return true }
        start = UnsafeRawPointer(found) + 1
      }
      return false
    }
  }
}

/// Reads the members of a JSON object, such as the column `coffer_extra`.
struct MoreMembers {
  private let object: UnsafeBufferPointer<UInt8>

  /// - Parameter object: must outlive this value.
  init(_ object: UnsafeBufferPointer<UInt8>) { self.object = object }

  /// Returns those of the names that are present, each with its value if that is a 64-bit integer in any spelling.
  func integers(named names: Set<ExactText>) throws -> [ExactText: Int64?] {
    var result: [ExactText: Int64?] = [:]
    // For duplicate names, the last value counts.
    try forEachMember { key, event, batch in
      guard names.contains(key) else { return }
      result[key] = .some(event.kind == .number ? ExactDecimal(batch.text(of: event).string)?.int64 : nil)
    }
    return result
  }

  /// Returns all names, and those whose value is `null`, or `nil` if the text isn't an object.
  func names() throws -> (all: Set<ExactText>, null: Set<ExactText>)? {
    var (all, null): (Set<ExactText>, Set<ExactText>) = ([], [])
    let isObject = try forEachMember { key, event, _ in
      all.insert(key)
      if event.kind == .null { null.insert(key) } else { null.remove(key) }
    }
    return isObject ? (all, null) : nil
  }

  /// Calls `body` with each member's name and the first event of its value.
  ///
  /// - Returns: true if the text is an object.
  @discardableResult
  private func forEachMember(_ body: (ExactText, Event, EventBatch) -> Void) throws -> Bool {
    var (depth, key, isObject): (Int, ExactText?, Bool) = (0, nil, false)
    var reader = JSONEventReader(BorrowedBytes(rest: object), limits: .stored)
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        if event.kind == .objectEnd || event.kind == .arrayEnd {
          depth -= 1
          continue
        }
        if depth == 0 { isObject = event.kind == .objectStart }
        if depth == 1, isObject {
          if event.kind == .key {
            key = ExactText(reader.batch.text(of: event).string)
          } else if let key {
            body(key, event, reader.batch)
          }
        }
        if event.kind == .objectStart || event.kind == .arrayStart { depth += 1 }
      }
    }
    return isObject
  }

  /// Returns all members except those with the given names, without the enclosing braces.
  func text(without names: Set<ExactText>) throws -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(object.count)
    // The start of the current member in the result, including the comma before it.
    var start = 0
    var (depth, compact, name) = (0, CompactText(), ExactText(""))
    var reader = JSONEventReader(BorrowedBytes(rest: object), limits: .stored)
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        let isEnd = event.kind == .objectEnd || event.kind == .arrayEnd
        if isEnd { depth -= 1 }
        if depth == 0 {
          if event.kind == .objectStart { depth = 1 }
          continue
        }
        if depth == 1, event.kind == .key {
          name = ExactText(reader.batch.text(of: event).string)
          start = result.count
          if start > 0 { result.append(UInt8(ascii: ",")) }
          compact = CompactText()
        }
        compact.append(event, of: reader.batch, to: &result)
        if event.kind == .objectStart || event.kind == .arrayStart { depth += 1 }
        if depth == 1, event.kind != .key, names.contains(name) { result.removeSubrange(start...) }
      }
    }
    return result
  }
}
