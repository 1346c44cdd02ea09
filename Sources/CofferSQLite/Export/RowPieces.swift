import Coffer
import GRDB
import JSONEvents
import Pipelines
import Synchronization

/// Writes the records of a table on several threads, piece by piece and in order.
///
///     rows 1…2048      ─▶ thread 1: {…},{…},…     ─▶ │
///     rows 2049…4096   ─▶ thread 2: ,{…},{…},…    ─▶ │ ─▶ next()
///
/// Memory: at most two pieces per thread, plus four; each takes 1 MiB, or as much as the largest record.
final class RowPieces {
  struct Piece: Sendable {
    let bytes: [UInt8]
    /// The number of records in the piece.
    let count: Int
    /// The rows of the range that didn't fit.
    fileprivate let rest: RowRange?
  }

  private let channel: Channel<Piece>
  private let work: SideWork<Void>

  static let rowsOfPiece = 2048
  fileprivate static let size = 1 << 20

  /// - Returns: `nil` if no thread can be started.
  init?(_ table: TableLayout, _ readers: SnapshotReaders) {
    let channel = Channel<Piece>(capacity: 4)
    let work = SideWork.started {
      do {
        try Self.write(table, readers) { channel.sendWaiting($0) }
        channel.finish()
      } catch {
        channel.finish(.failure(error))
      }
    }
    guard let work else { return nil }
    self.channel = channel
    self.work = work
  }

  deinit {
    channel.close()
    _ = work.result()
  }

  /// - Returns: `nil` after the last piece.
  /// - Throws: `CofferError`, `DatabaseError`.
  func next() throws -> Piece? { try channel.receiveWaiting() }

  private static func write(_ table: TableLayout, _ readers: SnapshotReaders, send: (Piece) -> Bool) throws {
    let connections = Mutex(readers.connections)
    let writer = RangeWriter(table, readers.watcher)
    // Ranges with equal numbers of rows, regardless of gaps between row numbers.
    let sql = "SELECT rowid FROM \(table.target) WHERE rowid >= ? ORDER BY rowid LIMIT 1 OFFSET \(rowsOfPiece)"
    var (start, index): (Int64?, Int) = (Int64.min, 0)
    _ = try OrderedPipeline(jobs: readers.connections.count).run(
      next: { () -> RowRange? in
        guard let first = start else { return nil }
        start = try readers.watcher.writeWithoutTransaction {
          try Int64.fetchOne($0.cachedStatement(sql: sql), arguments: [first])
        }
        defer { index += rowsOfPiece }
        // This doesn't overflow: the row after the range has a greater number than any in it.
        return (first...(start.map { $0 - 1 } ?? Int64.max), index)
      },
      makeWorker: { RangeWriter(table, connections.withLock { $0.removeLast() }).process },
      merge: { _, output in
        var piece = try output.get()
        while true {
          if !send(piece) { return .stop }
          // Large records: the rest of the range is written here, piece by piece.
          guard let rest = piece.rest else { return .more }
          piece = try writer.process(rest).get()
        }
      })
  }
}

/// A range of rows that one thread writes, and the number of the table's rows before it.
private typealias RowRange = (rows: ClosedRange<Int64>, firstIndex: Int)

/// Writes the rows of a range, on one thread.
private final class RangeWriter {
  private let table: TableLayout
  private let connection: DatabaseQueue
  private var rows: RowText?
  private var text = ByteBuffer()

  init(_ table: TableLayout, _ connection: DatabaseQueue) {
    self.table = table
    self.connection = connection
  }

  func process(_ range: RowRange) -> Result<RowPieces.Piece, any Error> {
    Result { try connection.writeWithoutTransaction { try write(range, in: $0) } }
  }

  private func write(_ range: RowRange, in database: Database) throws -> RowPieces.Piece {
    if rows == nil {
      let stored = try ExistingTable(table, in: database)
      rows = try RowText(rangesOf: table, columns: stored.map { $0.has } ?? { _ in false }, in: database)
    }
    text.removeAll()
    rows?.seek(range.rows, firstIndex: range.firstIndex)
    let isComplete = try rows?.append(to: &text, upTo: RowPieces.size) != true
    guard text.bytes.isValidUTF8 else { throw CofferError.notUTF8(in: table.title) }
    let (last, count) = (rows?.lastRow ?? .max, rows?.count ?? 0)
    let rest: RowRange? = isComplete || last >= range.rows.upperBound ? nil : (last + 1...range.rows.upperBound, count)
    return RowPieces.Piece(bytes: Array(text.bytes), count: count - range.firstIndex, rest: rest)
  }
}

/// Connections to a database file that all read the same state as another connection.
///
/// SQLite can't make one connection read the snapshot of another. So each begins its own read transaction. Comparing `PRAGMA
/// data_version` before the first and after the last shows whether another connection has committed in between.
package final class SnapshotReaders: Sendable {
  /// One connection per thread.
  let connections: [DatabaseQueue]
  /// Detects commits. Also reads, once all connections have joined.
  let watcher: DatabaseQueue

  /// - Returns: `nil` if one of the connections can't be opened.
  package init?(_ path: String, count: Int) {
    var configuration = Configuration()
    configuration.readonly = true
    // Transactions stay open between calls.
    configuration.allowsUnsafeTransactions = true
    // A writer that waits for its lock blocks new readers until the current ones end. One of those is ours, so waiting would
    // be a deadlock.
    configuration.busyMode = .immediateError
    guard let opened = try? (0...count).map({ _ in try DatabaseQueue(path: path, configuration: configuration) }) else {
      return nil
    }
    connections = Array(opened.dropLast())
    watcher = opened[count]
  }

  /// Returns the version for ``join(since:)``. Call this before the other connection begins to read.
  package func version() throws -> Int { try watcher.writeWithoutTransaction { try $0.number("PRAGMA main.data_version") } }

  /// Begins to read while the other connection is reading. The caller must call ``end()`` afterwards.
  ///
  /// - Returns: true if all connections read the same state.
  package func join(since version: Int) -> Bool {
    do {
      for connection in connections + [watcher] {
        try connection.writeWithoutTransaction {
          try $0.execute(sql: "BEGIN DEFERRED")
          // SQLite begins the transaction with the first statement that reads.
          _ = try Int.fetchOne($0, sql: "SELECT count(*) FROM main.sqlite_schema")
        }
      }
      return try self.version() == version
    } catch { return false }
  }

  package func end() {
    for connection in connections + [watcher] {
      try? connection.writeWithoutTransaction { if $0.isInsideTransaction { try $0.execute(sql: "ROLLBACK") } }
    }
  }
}
