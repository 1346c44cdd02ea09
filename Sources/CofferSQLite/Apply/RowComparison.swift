import ByteStreams
import Foundation
import GRDB
import JSONEvents
import Rules

/// SQL that compares the staged rows of a table, `s`, with those of the database, `m`.
struct RowComparison {
  let table: TableLayout
  let present: PresentTable
  let staged: String
  let target: String
  /// SQL: `m` has the key of `s`.
  let sameKey: String
  /// SQL: `s` has a key.
  let hasKey: String
  /// SQL: all columns are identical.
  let isIdentical: String
  /// The columns that both tables have. A column missing in the database counts as null.
  let common: [String]

  init(_ table: TableLayout, _ present: PresentTable) {
    self.table = table
    self.present = present
    let name = table.name.quotedIdentifier
    staged = "\(StageApplication.schema).\(name)"
    target = "main.\(name)"
    let common = table.columnNames.filter(present.has)
    self.common = common
    sameKey = table.key.equality("m", "s")
    hasKey = table.key.isEmpty ? "FALSE" : table.key.map { "s.\($0.quotedIdentifier) IS NOT NULL" }.joined(separator: " AND ")
    // The key differs most often, so it is compared first.
    let ordered = table.key.filter(common.contains) + common.filter { !table.key.contains($0) }
    let identical = ordered.map { "m.\($0.quotedIdentifier) IS s.\($0.quotedIdentifier) COLLATE BINARY" }
    let missing = table.columnNames.filter { !common.contains($0) }.map { "s.\($0.quotedIdentifier) IS NULL" }
    isIdentical = (identical + missing).joined(separator: " AND ")
  }

  /// Selects the staged rows numbered `?1` to `?2` that differ from the target row whose number is greater by `?3`. In a table
  /// with a key, a staged row without one always differs.
  var differentRows: String {
    let condition = table.key.isEmpty ? isIdentical : "\(hasKey) AND \(isIdentical)"
    return """
      SELECT s.rowid FROM \(staged) s LEFT JOIN \(target) m ON m.rowid = s.rowid + ?3
      WHERE s.rowid BETWEEN ?1 AND ?2 AND (m.rowid IS NULL OR NOT (\(condition))) ORDER BY s.rowid
      """
  }

  /// Selects the number of the target row that has the key of the staged row `?`.
  var rowWithKey: String { "SELECT m.rowid FROM \(staged) s JOIN \(target) m ON \(sameKey) WHERE s.rowid = ?" }

  /// Returns true if the key has an index. An app may have dropped it.
  func canLocate(in database: Database) throws -> Bool {
    guard let index = table.indexes.first, index.columns == table.key else { return false }
    return try index.exists(in: database)
  }

  /// SQL: a necessary condition for rows of equal value. `12.5` equals `12.500`.
  var mayBeEqual: String {
    let conditions = common.compactMap { name -> String? in
      guard let column = table.column(named: name) else { return nil }
      let (m, s) = ("m.\(name.quotedIdentifier)", "s.\(name.quotedIdentifier)")
      return switch column.kind {
      case .text, .boolean: "\(m) IS \(s) COLLATE BINARY"
      // The other row's value may be in `coffer_extra`.
      case .integer: "(\(m) IS \(s) OR \(m) IS NULL OR \(s) IS NULL)"
      case .number:
        """
        (\(m) IS NULL) = (\(s) IS NULL) AND (\(m) IS \(s)
          OR abs(CAST(\(m) AS REAL) - CAST(\(s) AS REAL)) > 1e-9 * abs(CAST(\(m) AS REAL)) IS NOT TRUE)
        """
      case .json: nil
      }
    }
    return conditions.isEmpty ? "TRUE" : conditions.joined(separator: " AND ")
  }
}

extension TableLayout.Index {
  func exists(in database: Database) throws -> Bool {
    try Bool.fetchOne(
      database, sql: "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'index' AND name = ? COLLATE NOCASE)",
      arguments: [name]) ?? false
  }
}

/// Compares two JSON texts by value, like `diff`.
enum JSONEquality {
  /// Adds `coffer_equal(a, b)` to a connection.
  static func addFunction(to database: Database) {
    database.add(
      function: DatabaseFunction("coffer_equal", argumentCount: 2, pure: true) { values in
        if values[0] == values[1] { return true }
        guard let a = String.fromDatabaseValue(values[0]), let b = String.fromDatabaseValue(values[1]) else { return false }
        let key = SipHash128.Key.random()
        let (first, second) = (digest(of: a, key), digest(of: b, key))
        return first != nil && first == second
      })
  }

  /// - Returns: `nil` if the text isn't JSON, because an app may have written it.
  private static func digest(of text: String, _ key: SipHash128.Key) -> KeyValue? {
    var digester = RecordDigester(key: key)
    var result: KeyValue?
    do {
      var reader = JSONEventReader(MemorySource(Array(text.utf8)), limits: .stored)
      while try reader.next() { digester.take(reader.batch, 0..<reader.batch.count) { result = $0.value } }
    } catch { return nil }
    return result
  }
}

/// Computes the digests of rows as records, one by one. Rows with equal digests have equal values.
///
/// Cost: that of exporting and comparing the rows. Memory: about 300 KiB plus twice the largest record.
final class RowDigests {
  private let source: RowArray
  private var reader: JSONEventReader
  private var digester: RecordDigester
  private var digests: [KeyValue] = []
  private var position = 0
  /// The number of open brackets, including the array's own.
  private var depth = 0

  /// The key of all digests. It is random for each process, so no document can be crafted to cause collisions.
  private static let key = SipHash128.Key.random()

  init(_ rows: consuming RowText) {
    source = RowArray(rows)
    reader = JSONEventReader(source, limits: .stored)
    digester = RecordDigester(key: Self.key)
  }

  /// - Returns: `nil` after the last row.
  /// - Throws: `CofferError`, `DatabaseError`.
  func next() throws -> KeyValue? {
    while position == digests.count {
      digests.removeAll(keepingCapacity: true)
      position = 0
      do {
        guard try reader.next() else { return nil }
      } catch {
        throw source.failure
          ?? CofferError(.damagedDatabase, "a row of \(source.title) can't be read as a record: \(error)")
      }
      takeBatch()
    }
    position += 1
    return digests[position - 1]
  }

  private func takeBatch() {
    var start = 0
    for index in 0..<reader.batch.count {
      switch reader.batch[index].kind {
      case .objectStart, .arrayStart:
        depth += 1
        if depth == 1 { start = index + 1 }
      case .objectEnd, .arrayEnd:
        depth -= 1
        if depth == 0 { return take(start..<index) }
      default: break
      }
    }
    take(start..<reader.batch.count)
  }

  private func take(_ range: Range<Int>) {
    digester.take(reader.batch, range) { digests.append($0.value) }
  }
}

/// The rows as one JSON array.
private final class RowArray: ByteSource {
  private var rows: RowText
  private var pen = Pen(capacity: pieceSize)
  private var position = 0
  private var isComplete = false
  private(set) var failure: (any Error)?

  private static let pieceSize = 64 << 10

  init(_ rows: consuming RowText) {
    self.rows = rows
    pen.put(UInt8(ascii: "["))
  }

  var title: String { rows.table.title }

  func read(into target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    while position == pen.count, !isComplete {
      pen.removeAll()
      position = 0
      do {
        isComplete = try !rows.append(to: &pen, upTo: Self.pieceSize)
      } catch {
        failure = error
        throw CofferError(.inputOutput, "\(error)")
      }
      if isComplete {
        pen.reserve(1)
        pen.put(UInt8(ascii: "]"))
      }
    }
    return pen.copy(from: &position, to: target)
  }
}

extension KeyValue {
  /// The digest's bytes for SQLite.
  var bytes: Data {
    var bytes = Data([form.rawValue])
    for word in [low, high] { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }
    return bytes
  }
}
