import ByteStreams
import GRDB
import GRDBSQLite
import JSONEvents

/// Writes the rows of a table as records, in their order.
struct RowText {
  let table: TableLayout
  private let statement: Statement
  private let columns: [Column]
  /// What the hot loop needs of them, side by side: nothing in it is counted by reference.
  private let kinds: [ColumnLayout.Kind]
  private var names: [Range<Int>] = []
  private var nameBytes: [UInt8] = []
  /// How many have been written.
  private(set) var count = 0
  private var isAtEnd = false

  private struct Column {
    let kind: ColumnLayout.Kind
    /// `"name":`
    let name: [UInt8]
    let title: String
    /// Where the statement says whether the value is JSON; an app may have written what is none.
    let proof: CInt?
  }

  /// - Throws: `DatabaseError`.
  init(_ table: TableLayout, in database: Database) throws {
    self.table = table
    let present = try PresentTable(table.name, in: database)
    try present?.check(table)
    var expressions: [String] = []
    var columns: [Column] = []
    for column in table.columns {
      let name = column.name.quotedIdentifier
      // A column that a later version of the format brought is not there yet.
      expressions.append(present?.has(column.name) == true ? name : "NULL")
      columns.append(
        Column(
          kind: column.kind, name: column.quotedName + [UInt8(ascii: ":")], title: column.name,
          proof: column.kind == .json ? CInt(table.columns.count + 1 + columns.count { $0.proof != nil }) : nil))
    }
    let more = present?.has(TableLayout.more) == true ? TableLayout.more : "NULL"
    expressions.append(
      "CASE WHEN \(more) IS NULL OR json_valid(\(more)) AND ltrim(\(more)) LIKE '{%' THEN \(more) ELSE 0 END")
    for column in table.columns where column.kind == .json {
      let name = present?.has(column.name) == true ? column.name.quotedIdentifier : "NULL"
      expressions.append("\(name) IS NULL OR json_valid(\(name))")
    }
    self.columns = columns
    kinds = columns.map(\.kind)
    for column in columns {
      names.append(nameBytes.count..<nameBytes.count + column.name.count)
      nameBytes += column.name
    }
    let from = present == nil ? "(SELECT 1) WHERE FALSE" : "main.\(table.name.quotedIdentifier) ORDER BY rowid"
    statement = try database.makeStatement(sql: "SELECT \(expressions.joined(separator: ", ")) FROM \(from)")
  }

  /// Appends records until the buffer holds so many bytes.
  ///
  /// - Returns: false at the table's end.
  /// - Throws: `StoreError` for a value that is not what its column holds; `DatabaseError`.
  mutating func append(to buffer: inout [UInt8], upTo size: Int) throws -> Bool {
    let handle = statement.sqliteStatement
    var pen = Pen(capacity: size + size / 4)
    defer {
      buffer.append(contentsOf: pen.bytes)
      pen.free()
    }
    while buffer.count + pen.count < size {
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
      count += 1
    }
    return true
  }

  /// The hot loop. A value is asked for once, and its text as a blob: so SQLite neither locks at each question nor copies it to end it with a zero.
  private func appendRecord(_ handle: SQLiteStatement, to pen: inout Pen) throws {
    pen.put(UInt8(ascii: "{"))
    var isFirst = true
    let columnCount = kinds.count
    for index in 0..<columnCount {
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
        let text = Self.text(value)
        pen.reserve(6 * text.count + 16)
        pen.put(quoted: text)
      case (.number, SQLITE_TEXT):
        let text = Self.text(value)
        guard NumberText.isNumber(text) else { throw wrong(columns[index]) }
        pen.reserve(text.count)
        pen.put(text)
      case (.json, SQLITE_TEXT):
        if let proof = columns[index].proof, sqlite3_column_int64(handle, proof) == 0 { throw wrong(columns[index]) }
        let text = Self.text(value)
        pen.reserve(text.count)
        pen.put(text)
      default: throw wrong(columns[index])
      }
    }
    let moreIndex = CInt(truncatingIfNeeded: columnCount)
    if let value = sqlite3_column_value(handle, moreIndex), sqlite3_value_type(value) != SQLITE_NULL {
      guard sqlite3_value_type(value) == SQLITE_TEXT else {
        throw StoreError(code: .damaged, message: "record \(count) of \(table.title): its \(TableLayout.more) is no JSON object")
      }
      let more = try moreText(Self.text(value), handle)
      if !more.isEmpty {
        pen.reserve(more.count + 1)
        if !isFirst { pen.put(UInt8(ascii: ",")) }
        more.withUnsafeBufferPointer { pen.put($0) }
      }
    }
    pen.reserve(2)
    pen.put(UInt8(ascii: "}"))
  }

  /// What `more` holds, `{"new":1}`, without its brackets.
  ///
  /// Where an app has written to a column whose value stood there, as a null say, the column counts.
  private func moreText(_ text: UnsafeBufferPointer<UInt8>, _ handle: SQLiteStatement) throws -> [UInt8] {
    guard let open = text.firstIndex(of: UInt8(ascii: "{")), let close = text.lastIndex(of: UInt8(ascii: "}")), open < close
    else { return [] }
    let whole = Array(text)
    let inner = Array(whole[(open + 1)..<close])
    let written = columns.enumerated().filter { index, column in
      sqlite3_column_type(handle, CInt(truncatingIfNeeded: index)) != SQLITE_NULL && inner.holds(column.name.dropLast())
    }
    let members = written.isEmpty ? inner : try MoreMembers(whole).text(without: Set(written.map(\.element.title)))
    return members.contains(UInt8(ascii: ":")) ? members : []
  }

  private func wrong(_ column: Column) -> StoreError {
    StoreError(code: .damaged, message: "record \(count) of \(table.title): its \(column.title) is not what the column holds")
  }

  private static func text(_ value: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_value_blob(value)
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }
}

/// The members of the column `more`.
private struct MoreMembers {
  private let object: [UInt8]

  init(_ object: [UInt8]) { self.object = object }

  /// The members but for some, without the brackets around them.
  func text(without names: Set<String>) throws -> [UInt8] {
    var (result, member): ([UInt8], [UInt8]) = ([], [])
    var (depth, compact, name) = (0, CompactText(), "")
    var reader = JSONEventReader(MemorySource(object))
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        let isEnd = event.kind == .objectEnd || event.kind == .arrayEnd
        if isEnd { depth -= 1 }
        if depth == 1, event.kind == .key { name = reader.batch.text(of: event).string }
        if depth > 0 { compact.append(event, of: reader.batch, to: &member) }
        if event.kind == .objectStart || event.kind == .arrayStart { depth += 1 }
        guard depth == 1, event.kind != .key, !(event.kind == .objectStart && member.isEmpty) else { continue }
        if !names.contains(name) { result += (result.isEmpty ? [] : [UInt8(ascii: ",")]) + member }
        member.removeAll()
        compact = CompactText()
      }
    }
    return result
  }
}

extension [UInt8] {
  /// Whether these bytes stand in a row in it.
  fileprivate func holds(_ part: ArraySlice<UInt8>) -> Bool {
    guard let first = part.first, count >= part.count else { return false }
    return indices.dropLast(part.count - 1).contains { self[$0] == first && self[$0..<$0 + part.count].elementsEqual(part) }
  }
}
