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
  /// The number of the last row written.
  private(set) var lastRow = Int64.min
  private let numberColumn: CInt
  private var isAtEnd = false
  /// 1 if the statement's first column is the record's name.
  private let nameCount: Int
  /// True if the record's name is written before it.
  private let writesNames: Bool
  /// True if a value that is invalid for its column is written as a string, instead of throwing an error.
  private let acceptsDamage: Bool
  /// Members of `coffer_extra`, rewritten for the current row.
  private var rewritten = ByteBuffer()

  private struct Column {
    let kind: ColumnLayout.Kind
    /// `"name":`
    let name: [UInt8]
    let title: ExactText
    /// The statement's column that holds whether the value is JSON. An app may have written other text.
    let proof: CInt?
  }

  /// Writes all rows of a table, which may be missing.
  ///
  /// - Throws: `CofferError` if the table can't hold records; `DatabaseError`.
  init(_ table: TableLayout, in database: Database) throws {
    let stored = try ExistingTable(table, in: database)
    try stored?.check()
    let from = stored == nil ? "(SELECT 1 AS rowid) r WHERE FALSE" : "main.\(table.sqlName) r ORDER BY r.rowid"
    try self.init(table, columns: stored.map { $0.has } ?? { _ in false }, from: from, in: database)
  }

  /// Writes ranges of a table's rows, given by ``seek(_:firstIndex:)``. The table must exist.
  ///
  /// - Parameters:
  ///   - schema: the database.
  ///   - isThere: returns true if the table has a column of this name.
  ///   - acceptsDamage: true to write a value that is invalid for its column as a string, for comparisons.
  /// - Throws: `DatabaseError`.
  init(
    rangesOf table: TableLayout, of schema: String = "main", columns isThere: (String) -> Bool, acceptsDamage: Bool = false,
    in database: Database
  ) throws {
    try self.init(
      table, columns: isThere, from: "\(schema).\(table.sqlName) r WHERE r.rowid BETWEEN ? AND ? ORDER BY r.rowid",
      acceptsDamage: acceptsDamage, in: database)
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

  /// - Parameter from: SQL for the source and order of the rows, named `r`.
  private init(
    _ table: TableLayout, columns isThere: (String) -> Bool, from: String, acceptsDamage: Bool = false, in database: Database
  ) throws {
    self.table = table
    self.acceptsDamage = acceptsDamage
    nameCount = table.kind == .object ? 1 : 0
    // Records are compared without their names, which are their keys.
    writesNames = nameCount == 1 && !acceptsDamage
    // A column of a later version of the format may be missing.
    func value(_ name: String) -> String { isThere(name) ? "r.\(name.quotedIdentifier)" : "NULL" }
    var expressions = table.columnNames.map(value)
    expressions.append(Self.proof(value(TableLayout.extra)))
    var columns: [Column] = []
    for column in table.columns {
      columns.append(
        Column(
          kind: column.kind, name: column.quotedName + [UInt8(ascii: ":")], title: ExactText(column.name),
          proof: column.kind == .json ? CInt(truncatingIfNeeded: expressions.count) : nil))
      if column.kind == .json { expressions.append(Self.proof(value(column.name))) }
    }
    numberColumn = CInt(truncatingIfNeeded: expressions.count)
    self.columns = columns
    kinds = columns.map(\.kind)
    for column in columns {
      names.append(nameBytes.count..<nameBytes.count + column.name.count)
      nameBytes += column.name
    }
    statement = try database.makeStatement(sql: "SELECT \(expressions.joined(separator: ", ")), r.rowid FROM \(from)")
  }

  /// Returns the SQL that is true if the value is JSON. It is null for a long value, for which SQLite would need several times
  /// its length in memory.
  private static func proof(_ value: String) -> String { "CASE WHEN length(\(value)) <= 65536 THEN json_valid(\(value)) END" }

  /// Appends records until the text has `size` bytes.
  ///
  /// - Returns: false after the last record.
  /// - Throws: `CofferError` for a value that is invalid for its column; `DatabaseError`.
  mutating func append(to text: inout ByteBuffer, upTo size: Int) throws -> Bool {
    let handle = statement.sqliteStatement
    while text.count < size {
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
      if count > 0 { text.append(UInt8(ascii: ",")) }
      do {
        try appendRecord(handle, to: &text)
      } catch {
        // An active statement would prevent changes of the connection.
        sqlite3_reset(handle)
        throw error
      }
      lastRow = sqlite3_column_int64(handle, numberColumn)
      count += 1
    }
    return true
  }

  /// Appends the current row. This hot loop gets each value once, and text as a blob: SQLite then neither locks for each access
  /// nor copies text to append a NUL.
  private mutating func appendRecord(_ handle: SQLiteStatement, to text: inout ByteBuffer) throws {
    if writesNames { try appendName(handle, to: &text) }
    text.append(UInt8(ascii: "{"))
    var isFirst = true
    let columnCount = kinds.count
    let extra = try extraMembers(handle)
    for index in 0..<columnCount {
      if let extra, extra.spelled.contains(index) { continue }
      guard let value = sqlite3_column_value(handle, column(index)) else { continue }
      let type = sqlite3_value_type(value)
      if type == SQLITE_NULL { continue }
      let name = names[index]
      text.reserve(name.count + 32)
      if !isFirst { text.put(UInt8(ascii: ",")) }
      isFirst = false
      nameBytes.withUnsafeBytes { text.append(UnsafeRawBufferPointer(rebasing: $0[name])) }
      let bytes = type == SQLITE_TEXT ? Self.text(value) : UnsafeBufferPointer(start: nil, count: 0)
      switch (kinds[index], type) {
      case (.integer, SQLITE_INTEGER): text.append(decimal: sqlite3_value_int64(value))
      case (.boolean, SQLITE_INTEGER):
        let word: StaticString = sqlite3_value_int64(value) == 0 ? "false" : "true"
        text.append(UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
      case (.text, SQLITE_TEXT): text.append(quoting: UnsafeRawBufferPointer(bytes))
      case (.number, SQLITE_FLOAT) where RealText.append(sqlite3_value_double(value), to: &text): break
      // Without a strict table, an app may have written an integer.
      case (.number, SQLITE_INTEGER): text.append(decimal: sqlite3_value_int64(value))
      case (.json, SQLITE_TEXT) where isJSON(bytes, columns[index].proof, handle):
        text.append(UnsafeRawBufferPointer(bytes))
      default: try append(damaged: value, of: columns[index], to: &text)
      }
    }
    if let extra, !extra.members.isEmpty {
      if !isFirst { text.append(UInt8(ascii: ",")) }
      text.append(extra.members)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// The statement's column of a field.
  private func column(_ index: Int) -> CInt { CInt(truncatingIfNeeded: nameCount + index) }

  private func appendName(_ handle: SQLiteStatement, to text: inout ByteBuffer) throws {
    guard let value = sqlite3_column_value(handle, 0), sqlite3_value_type(value) == SQLITE_TEXT else {
      throw CofferError(.damagedDatabase, "record \(count) of \(table.title) has no name in \(TableLayout.recordName.name)")
    }
    text.append(quoting: UnsafeRawBufferPointer(Self.text(value)))
    text.append(UInt8(ascii: ":"))
  }

  /// Returns the members of `coffer_extra` (`{"new":1}`) without its brackets, and the columns whose values it spells differently
  /// (`"id":14.0`).
  ///
  /// If an app has written to a column whose value was in `coffer_extra` (a null, for example), the column counts.
  private mutating func extraMembers(
    _ handle: SQLiteStatement
  ) throws -> (members: UnsafeRawBufferPointer, spelled: Set<Int>)? {
    let place = column(kinds.count)
    guard let value = sqlite3_column_value(handle, place) else { return nil }
    let type = sqlite3_value_type(value)
    if type == SQLITE_NULL { return nil }
    let text = Self.text(value)
    guard type == SQLITE_TEXT, isJSON(text, place + 1, handle),
      let open = text.firstIndex(where: { $0 > 0x20 }), text[open] == UInt8(ascii: "{"),
      let close = text.lastIndex(of: UInt8(ascii: "}"))
    else {
      // No staged record has a member of this name and value.
      if acceptsDamage { return (keep([Array(#""coffer_extra":"damaged""#.utf8)]), []) }
      throw CofferError(
        .damagedDatabase, "record \(count) of \(table.title): its \(TableLayout.extra) is not a JSON object")
    }
    let members = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: text[(open + 1)..<close]))
    let written = columns.indices.filter { index in
      // A column of numbers is null only if an app has set it so: it can hold the number that `coffer_extra` spells.
      (sqlite3_column_type(handle, column(index)) != SQLITE_NULL || kinds[index] == .number || kinds[index] == .integer)
        && members.holds(columns[index].name.dropLast())
    }
    // The object may contain only whitespace.
    let stored = members.contains(UInt8(ascii: ":")) ? members : UnsafeRawBufferPointer(start: nil, count: 0)
    if written.isEmpty { return (stored, []) }
    var spelled: Set<Int> = []
    let all = try JSONMembers(text, keepsText: false).all
    let kept = all.indices.filter { place in
      let member = all[place]
      guard let index = written.first(where: { columns[$0].title == member.name }) else { return true }
      guard let there = sqlite3_column_value(handle, column(index)) else { return false }
      if sqlite3_value_type(there) == SQLITE_NULL { return !member.fits(columns[index].kind) }
      guard member.spells(there, columns[index].kind) else { return false }
      spelled.insert(index)
      return true
    }
    // Most often, the names are only inside of values, which may be large.
    if kept.count == all.count { return (stored, spelled) }
    let texts = try JSONMembers(text).all
    return (keep(kept.map { texts[$0].text }), spelled)
  }

  /// Stores rewritten members until the next row.
  private mutating func keep(_ members: [[UInt8]]) -> UnsafeRawBufferPointer {
    rewritten.removeAll()
    for member in members {
      if rewritten.count > 0 { rewritten.append(UInt8(ascii: ",")) }
      rewritten.append(member)
    }
    return rewritten.bytes
  }

  /// Returns true if a text is JSON. `proof` is the statement's column that may hold the answer.
  private func isJSON(_ text: UnsafeBufferPointer<UInt8>, _ proof: CInt?, _ handle: SQLiteStatement) -> Bool {
    if let proof, sqlite3_column_type(handle, proof) != SQLITE_NULL { return sqlite3_column_int64(handle, proof) != 0 }
    var reader = JSONEventReader(MemorySource(text), limits: .stored)
    do {
      while try reader.next() {}
      return true
    } catch { return false }
  }

  private func append(damaged value: OpaquePointer, of column: Column, to text: inout ByteBuffer) throws {
    if acceptsDamage { return text.append(quoting: UnsafeRawBufferPointer(Self.text(value))) }
    throw CofferError(
      .damagedDatabase, "record \(count) of \(table.title): the value of \(column.title.text) is invalid for its column")
  }

  private static func text(_ value: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
    let start = sqlite3_value_blob(value)
    return UnsafeBufferPointer(
      start: start?.assumingMemoryBound(to: UInt8.self), count: start == nil ? 0 : Int(sqlite3_value_bytes(value)))
  }
}

extension UnsafeRawBufferPointer {
  /// Returns true if the buffer contains `part`.
  fileprivate func holds(_ part: ArraySlice<UInt8>) -> Bool {
    guard var start = baseAddress, let first = part.first else { return false }
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

/// The members of a JSON object, such as that of the column `coffer_extra`, with their spelling.
struct JSONMembers {
  struct Member {
    let name: ExactText
    /// `"name":value`, without white space.
    var text: [UInt8] = []
    /// The kind of the value's first event.
    var kind = Event.Kind.null
    /// The value, if it is a number.
    var number: String?
  }

  /// In the object's order; names may occur twice.
  private(set) var all: [Member] = []
  /// False for any other value.
  private(set) var isObject = false

  /// - Parameter keepsText: false for members without their texts, which take as much memory as the object.
  /// - Throws: `CofferError` if the text isn't JSON.
  init(_ text: some Sequence<UInt8>, keepsText: Bool = true) throws {
    var reader = JSONEventReader(MemorySource(text), limits: .stored)
    var (depth, compact, isValue) = (0, CompactText(), false)
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        depth += min(event.kind.depthChange, 0)
        if depth == 0 {
          isObject = event.kind == .objectStart || event.kind == .objectEnd
        } else if isObject {
          if depth == 1, event.kind == .key {
            all.append(Member(name: ExactText(reader.batch.text(of: event).string)))
            compact = CompactText()
          }
          if keepsText { compact.append(event, of: reader.batch, to: &all[all.count - 1].text) }
          if isValue {
            all[all.count - 1].kind = event.kind
            if event.kind == .number { all[all.count - 1].number = reader.batch.text(of: event).string }
          }
          isValue = depth == 1 && event.kind == .key
        }
        depth += max(event.kind.depthChange, 0)
      }
    }
  }
}

extension JSONMembers.Member {
  /// Returns true if a column of this kind holds the value.
  fileprivate func fits(_ kind: ColumnLayout.Kind) -> Bool {
    guard let number else { return false }
    return kind == .number || kind == .integer && ExactDecimal(number)?.int64 != nil
  }

  /// Returns true if the column holds this value, which it can't spell.
  fileprivate func spells(_ value: OpaquePointer, _ kind: ColumnLayout.Kind) -> Bool {
    guard let number else { return false }
    return switch (kind, sqlite3_value_type(value)) {
    case (.integer, SQLITE_INTEGER): ExactDecimal(number)?.int64 == sqlite3_value_int64(value)
    case (.number, SQLITE_FLOAT): Double(number) == sqlite3_value_double(value)
    default: false
    }
  }
}

extension Event.Kind {
  /// The change of the number of open brackets.
  @inline(__always)
  var depthChange: Int {
    switch self {
    case .objectStart, .arrayStart: 1
    case .objectEnd, .arrayEnd: -1
    default: 0
    }
  }
}

/// Joins the tokens of a value without whitespace.
struct CompactText {
  private var needsComma = false

  /// - Parameter event: the value's next event, or the name of a member before its value.
  mutating func append(_ event: Event, of batch: EventBatch, to text: inout [UInt8]) {
    if needsComma, event.kind.depthChange >= 0 { text.append(UInt8(ascii: ",")) }
    batch.token(of: event).withUnsafeBytes { text.append(contentsOf: $0) }
    if event.kind == .key { text.append(UInt8(ascii: ":")) }
    needsComma = event.kind != .key && event.kind.depthChange <= 0
  }
}

extension ReaderLimits {
  /// Limits for stored text, which was already read with other limits.
  static var stored: Self {
    var limits = Self()
    limits.depth = 1 << 20
    limits.tokenSize = 1 << 30
    // Most texts are short.
    limits.chunkSize = 4 << 10
    return limits
  }
}
