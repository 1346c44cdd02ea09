import CByteScan
import GRDBSQLite

/// A row of a query's result, which has values until the next one is read.
public struct QueryRow {
  private let statement: QueryStatement

  init(_ statement: QueryStatement) { self.statement = statement }

  public var count: Int { Int(sqlite3_column_count(statement.pointer)) }

  /// The value of a column, from 0.
  public subscript(column: Int) -> QueryValue {
    switch kind(of: column) {
    case .null: .null
    case .integer: .integer(integer(of: column))
    case .real: .real(real(of: column))
    case .text: .text(String(decoding: bytes(of: column), as: UTF8.self))
    case .blob: .blob(Array(bytes(of: column)))
    }
  }

  enum Kind { case null, integer, real, text, blob }

  /// A text that is not UTF-8, which only the query itself can make, is a blob.
  func kind(of column: Int) -> Kind {
    precondition((0..<count).contains(column), "there is no such column")
    switch sqlite3_column_type(statement.pointer, CInt(column)) {
    case SQLITE_INTEGER: return .integer
    case SQLITE_FLOAT: return .real
    case SQLITE_TEXT:
      let bytes = bytes(of: column)
      guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return .text }
      var isIncomplete: CInt = 0
      return coffer_utf8_prefix(start, bytes.count, &isIncomplete) == bytes.count ? .text : .blob
    case SQLITE_BLOB: return .blob
    default: return .null
    }
  }

  func integer(of column: Int) -> Int64 { sqlite3_column_int64(statement.pointer, CInt(column)) }
  func real(of column: Int) -> Double { sqlite3_column_double(statement.pointer, CInt(column)) }

  /// The bytes of a text or a blob, until the next row.
  func bytes(of column: Int) -> UnsafeRawBufferPointer {
    // Without memory there are none.
    guard let start = sqlite3_column_blob(statement.pointer, CInt(column)) else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement.pointer, CInt(column))))
  }
}

/// A value in a query's result.
public enum QueryValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}
