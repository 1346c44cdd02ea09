import ByteStreams
import CSQLiteRows
import Coffer
import GRDBSQLite
import JSONEvents
import SystemPackage

/// A database for SQL from elsewhere: one `SELECT` at a time, which reads tables and nothing else.
///
///     SELECT … ─▶ authorizer: only reads and functions ─▶ virtual machine ─▶ rows, one after the other
///
/// `ATTACH`, `PRAGMA`, writes, and functions that load code are refused while the statement is compiled.
///
/// Memory: that of one row, whose values have up to 64 MiB each, and 16 MiB. Disk: sorts and recursive queries spill to SQLite's temporary
/// folder (`TMPDIR`), as long as there is time.
final class GuardedDatabase {
  private let connection: OpaquePointer
  private let largestValue: Int
  private let timeLimit: Duration?
  private let cancellation: Cancellation?
  /// When the running statement is abandoned.
  private var deadline: ContinuousClock.Instant?

  /// - Parameters:
  ///   - path: the database's file; `:memory:` is an empty database.
  ///   - largestValue: in bytes. It also bounds the time of functions that can't be interrupted, such as the search for one text in
  ///     another.
  ///   - timeLimit: the time after which a statement is abandoned.
  /// - Throws: `damagedDatabase`, or another error of opening it.
  init(
    _ path: FilePath, largestValue: Int = 64 << 20, timeLimit: Duration? = nil, cancellation: Cancellation? = nil
  ) throws(CofferError) {
    var connection: OpaquePointer?
    let code = sqlite3_open_v2(path.string, &connection, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let connection else { throw CofferError(.inputOutput, "\(path): SQLite has no memory") }
    self.connection = connection
    self.largestValue = largestValue
    self.timeLimit = timeLimit
    self.cancellation = cancellation
    // json_each and json_tree are made when they are first named, which the authorizer would refuse.
    let settings = """
      PRAGMA temp_store = FILE; PRAGMA cache_size = -16384; PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON;
      SELECT 1 FROM json_each('[]'), json_tree('[]')
      """
    guard code == SQLITE_OK, coffer_guard(connection) == SQLITE_OK,
      sqlite3_exec(connection, settings, nil, nil, nil) == SQLITE_OK
    else { throw CofferError(.damagedDatabase, "\(path): \(message)") }
    for (limit, value) in [
      (SQLITE_LIMIT_LENGTH, largestValue), (SQLITE_LIMIT_SQL_LENGTH, 1 << 20), (SQLITE_LIMIT_ATTACHED, 0),
      (SQLITE_LIMIT_VDBE_OP, 1_000_000), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
      sqlite3_limit(connection, limit, CInt(clamping: value))
    }
    sqlite3_set_authorizer(
      connection, { _, action, _, name, _, _ in GuardedDatabase.permits(action, name) ? SQLITE_OK : SQLITE_DENY }, nil)
  }

  // Statements that rows still hold are closed with the last of them.
  deinit { sqlite3_close_v2(connection) }

  fileprivate static func permits(_ action: CInt, _ name: UnsafePointer<CChar>?) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
    case SQLITE_FUNCTION: name.map { !["fts3_tokenizer", "load_extension"].contains(String(cString: $0).lowercased()) } ?? false
    default: false
    }
  }

  private var message: String { String(cString: sqlite3_errmsg(connection)) }

  /// Calls `body` with each row of a `SELECT`.
  ///
  /// - Parameter begin: called with the names of the columns before the first row, also if there is none.
  /// - Throws: `sql` with the place in the statement if it is wrong or refused; errors of the callbacks.
  func rows(of sql: String, begin: ([String]) throws -> Void = { _ in }, _ body: (QueryRow) throws -> Void) throws {
    let statement = try prepared(sql)
    try begin(statement.columns)
    deadline = timeLimit.map { ContinuousClock.now + $0 }
    // Every 10,000 steps of the virtual machine: a fraction of a millisecond.
    sqlite3_progress_handler(
      connection, 10_000,
      { context in
        guard let context else { return 0 }
        return Unmanaged<GuardedDatabase>.fromOpaque(context).takeUnretainedValue().isInterrupted ? 1 : 0
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(connection, 0, nil, nil) }
    while true {
      switch sqlite3_step(statement.pointer) {
      case SQLITE_ROW:
        try body(QueryRow(statement))
        // Its values read as null then.
        if sqlite3_errcode(connection) == SQLITE_NOMEM { throw failure(SQLITE_NOMEM, sql) }
      case SQLITE_DONE: return
      case let code:
        try cancellation.check()
        throw failure(code, sql)
      }
    }
  }

  private var isInterrupted: Bool { cancellation?.isRequested == true || deadline.map { ContinuousClock.now >= $0 } == true }

  /// Compiles a statement.
  ///
  /// - Throws: `sql` if it is wrong or refused.
  func prepared(_ sql: String) throws(CofferError) -> QueryStatement {
    // SQLite ends at a NUL.
    if sql.utf8.contains(0) { throw Self.error("expected one SELECT statement, found NUL") }
    let (statement, rest) = try compiled(sql, of: sql)
    guard let statement, sqlite3_column_count(statement.pointer) > 0, sqlite3_stmt_readonly(statement.pointer) != 0 else {
      throw Self.error("expected one SELECT statement")
    }
    // Blanks, comments and semicolons may follow.
    var more = rest
    while !more.isEmpty {
      guard let next = try? compiled(more, of: sql), next.statement == nil else {
        throw Self.error("expected one SELECT statement, but more follows: \(more.prefix(40))")
      }
      more = next.rest
    }
    if sqlite3_bind_parameter_count(statement.pointer) > 0 {
      let name = sqlite3_bind_parameter_name(statement.pointer, 1).map { String(cString: $0) } ?? "?"
      throw Self.error("the parameter \(name) has no value")
    }
    return statement
  }

  /// Compiles the first statement of a text, and returns what follows it.
  private func compiled(
    _ text: String, of sql: String
  ) throws(CofferError) -> (statement: QueryStatement?, rest: String) {
    var statement: OpaquePointer?
    let (code, rest) = text.withCString { start in
      var tail: UnsafePointer<CChar>?
      let code = sqlite3_prepare_v3(connection, start, -1, 0, &statement, &tail)
      return (code, tail.map { String(cString: $0) } ?? "")
    }
    if code != SQLITE_OK { throw failure(code, sql) }
    return (statement.map { QueryStatement($0) }, rest)
  }

  private static func error(_ message: String, at position: TextPosition? = nil) -> CofferError {
    CofferError(.sql, message, at: .init(document: "SQL", position: position))
  }

  private func failure(_ code: CInt, _ sql: String) -> CofferError {
    switch code & 0xFF {
    case SQLITE_AUTH: return Self.error("only SELECT on the backup's tables is allowed (\(message))")
    case SQLITE_TOOBIG:
      return Self.error("a value or the statement is too large: values have up to \(largestValue >> 20) MiB")
    case SQLITE_INTERRUPT:
      return CofferError(.ruleLimit, "the statement takes longer than \(timeLimit?.components.seconds ?? 0) seconds")
    case SQLITE_NOMEM: return Self.error("the statement takes too much memory")
    case SQLITE_FULL: return CofferError(.noSpace, "the disk is full")
    case SQLITE_IOERR: return CofferError(.inputOutput, "a temporary file can't be read or written (\(message))")
    case SQLITE_CORRUPT, SQLITE_NOTADB: return CofferError(.damagedDatabase, "the database is damaged (\(message))")
    default:
      let offset = Int(sqlite3_error_offset(connection))
      guard offset >= 0, offset <= sql.utf8.count else { return Self.error(message) }
      let position = ByteView.with(sql) { text in
        var lines = LineCursor(bytes: text, at: TextPosition(offset: 0, line: 1, column: 1))
        return lines.position(at: offset)
      }
      return Self.error(message, at: position)
    }
  }
}

/// A compiled statement.
final class QueryStatement {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { sqlite3_finalize(pointer) }

  /// The names of the columns.
  var columns: [String] {
    (0..<sqlite3_column_count(pointer)).map { column in sqlite3_column_name(pointer, column).map { String(cString: $0) } ?? "" }
  }
}
