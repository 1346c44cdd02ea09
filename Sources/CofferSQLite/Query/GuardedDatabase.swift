import ByteStreams
import CSQLiteRows
import Coffer
import GRDBSQLite
import JSONEvents
import SystemPackage

/// A database for SQL that others have written: one `SELECT` at a time, which reads tables and nothing else.
///
///     SELECT … ─▶ authorizer: reads and functions ─▶ virtual machine, until the time is over ─▶ rows, one after the other
///
/// SQLite's own functions and tables can't reach outside of the database: `ATTACH`, `PRAGMA`, writes and `load_extension` are refused
/// while the statement is compiled.
///
/// Memory: that of one row, and 16 MiB; sorts and recursive queries spill to temporary files, as long as the time limit allows.
final class GuardedDatabase {
  /// The limits of one statement.
  struct Limits {
    /// The time until it is abandoned, or `nil` for none.
    var time: Duration?
    /// The largest value, in bytes. A function, such as a search for one text in another, can't be interrupted.
    var valueSize = 256 << 20
  }

  private let connection: OpaquePointer
  private let limits: Limits
  private let cancellation: Cancellation?
  /// When the running statement is abandoned.
  private var deadline: ContinuousClock.Instant?

  /// - Throws: `damagedDatabase`, or another error of opening it.
  init(_ path: FilePath, limits: Limits, cancellation: Cancellation?) throws(CofferError) {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(path.string, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let connection else { throw CofferError(.inputOutput, "\(path): SQLite has no memory") }
    self.connection = connection
    self.limits = limits
    self.cancellation = cancellation
    let settings = "PRAGMA temp_store = FILE; PRAGMA cache_size = -16384; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON"
    guard code == SQLITE_OK, coffer_guard(connection) == SQLITE_OK,
      sqlite3_exec(connection, settings, nil, nil, nil) == SQLITE_OK
    else { throw CofferError(.damagedDatabase, "\(path): \(message)") }
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, limits.valueSize), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20), (SQLITE_LIMIT_ATTACHED, 0),
      (SQLITE_LIMIT_VDBE_OP, 1_000_000), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
      sqlite3_limit(connection, limit, CInt(clamping: value))
    }
    sqlite3_set_authorizer(
      connection, { _, action, _, name, _, _ in GuardedDatabase.permits(action, name) ? SQLITE_OK : SQLITE_DENY }, nil)
  }

  deinit { sqlite3_close_v2(connection) }

  fileprivate static func permits(_ action: CInt, _ name: UnsafePointer<CChar>?) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
    case SQLITE_FUNCTION: name.map { !refusedFunctions.contains(String(cString: $0).lowercased()) } ?? false
    default: false
    }
  }

  /// Functions of SQLite and its shell that leave the database.
  private static let refusedFunctions: Set = ["edit", "fts3_tokenizer", "load_extension", "readfile", "writefile"]

  private var message: String { String(cString: sqlite3_errmsg(connection)) }

  /// Calls `body` with each row of a `SELECT`.
  ///
  /// - Parameter begin: called with the names of the columns before the first row, also if there is none.
  /// - Throws: `sql` with the place in the statement if it is wrong or refused; `ruleLimit` if it takes too long; errors of the callbacks.
  func rows(of sql: String, begin: ([String]) throws -> Void = { _ in }, _ body: (QueryRow) throws -> Void) throws {
    let statement = try prepared(sql)
    defer { sqlite3_finalize(statement) }
    try begin((0..<sqlite3_column_count(statement)).map { String(cString: sqlite3_column_name(statement, $0)) })
    deadline = limits.time.map { ContinuousClock.now + $0 }
    // Every 10,000 steps of the virtual machine: a fraction of a millisecond.
    sqlite3_progress_handler(
      connection, 10_000,
      { context in
        context.map { Unmanaged<GuardedDatabase>.fromOpaque($0).takeUnretainedValue().mayGoOn } == true ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(connection, 0, nil, nil) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: try body(QueryRow(statement))
      case SQLITE_DONE: return
      case SQLITE_INTERRUPT:
        try cancellation.check()
        throw CofferError(.ruleLimit, "the statement takes longer than \(limits.time.map { "\($0)" } ?? "its limit")")
      case let code: throw failure(code, sql)
      }
    }
  }

  private var mayGoOn: Bool { cancellation?.isRequested != true && deadline.map { ContinuousClock.now < $0 } != false }

  private func prepared(_ sql: String) throws(CofferError) -> OpaquePointer {
    var statement: OpaquePointer?
    let (code, rest) = sql.withCString { start in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(connection, start, -1, 0, &statement, &tail)
      return (code, tail.map { String(cString: $0) } ?? "")
    }
    if code != SQLITE_OK {
      sqlite3_finalize(statement)
      throw failure(code, sql)
    }
    // SQLite ends at a NUL.
    guard let statement, sqlite3_column_count(statement) > 0, !sql.utf8.contains(0) else {
      sqlite3_finalize(statement)
      throw CofferError(.sql, "expected one SELECT statement")
    }
    guard sqlite3_stmt_readonly(statement) != 0, rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) else {
      sqlite3_finalize(statement)
      throw CofferError(.sql, "expected one SELECT statement, but more follows: \(rest.prefix(40))")
    }
    return statement
  }

  private func failure(_ code: CInt, _ sql: String) -> CofferError {
    switch code & 0xFF {
    case SQLITE_AUTH: return CofferError(.sql, "only SELECT on the backup's tables is allowed (\(message))")
    case SQLITE_TOOBIG: return CofferError(.sql, "a value, or the statement, is too large (\(message))")
    case SQLITE_NOMEM: return CofferError(.ruleLimit, "the statement takes too much memory")
    case SQLITE_FULL: return CofferError(.noSpace, "the disk is full")
    case SQLITE_IOERR: return CofferError(.inputOutput, "a temporary file can't be read or written (\(message))")
    case SQLITE_CORRUPT, SQLITE_NOTADB: return CofferError(.damagedDatabase, "the database is damaged (\(message))")
    default:
      let offset = Int(sqlite3_error_offset(connection))
      guard offset >= 0, offset <= sql.utf8.count else { return CofferError(.sql, message) }
      let position = ByteView.with(sql) { text in
        var lines = LineCursor(bytes: text, at: TextPosition(offset: 0, line: 1, column: 1))
        return lines.position(at: offset)
      }
      return CofferError(.sql, message, at: .init(document: "SQL", position: position))
    }
  }
}
