package import ByteStreams
import CByteScan
import Coffer
import GRDB
import GRDBSQLite
import JSONEvents
import Rules

/// A database's backup as a compact document, generated while it is read.
///
///     members, in order ─▶ "metadata":{…}, ─▶ "cars":[ ─▶ one record per row ─▶ ], …
///
/// The result is the imported document: the same values, numbers digit for digit, unknown fields, in the same order. It must be
/// read in one read transaction.
///
/// A class, so that its counts stay available if a copy of the reference is read.
///
/// Cost: one pass over each table, and a copy of each value. Memory: about 256 KiB plus the largest record; with additional
/// connections, that of `RowPieces`.
package final class StoreSource: ByteSource {
  private struct Member {
    let name: String?
    let value: [UInt8]?
  }

  private let database: Database
  private let layout: StoreLayout
  private var members: [Member] = []
  private var nextMember = 0
  private var isObject = false
  private let readers: SnapshotReaders?
  private var table: RowText?
  /// Used instead of `table` if several threads write its rows.
  private var pieces: (rows: RowPieces, table: String, count: Int)?
  private var piece: [UInt8] = []
  private var piecePosition = 0
  private var pen = Pen(capacity: pieceSize)
  private var position = 0
  private var isComplete = false
  /// The title of the current table's collection.
  private var lastTable: String?
  /// The collections whose records are not written.
  private let leftOut: Set<String>
  /// The number of records written, by table.
  package private(set) var counts: [String: Int] = [:]

  /// Counts the records, and the bytes of the document.
  var progress: WorkProgress?

  /// The error that ended the document early.
  package private(set) var failure: (any Error)?

  private static let pieceSize = 256 << 10

  /// - Parameters:
  ///   - readers: additional connections that read the same state.
  ///   - leftOut: the JSON Pointers of collections whose records are not written.
  ///   - edit: the changes to the document's origin.
  /// - Throws: `CofferError`, `DatabaseError`.
  init(
    _ layout: StoreLayout, in database: Database, beside readers: SnapshotReaders?, leftOut: Set<String>, edit: OriginEdit
  ) throws {
    self.layout = layout
    self.readers = readers
    self.database = database
    self.leftOut = leftOut
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT name, value, value IS NULL OR json_valid(value) FROM main.\(StoreLayout.memberTable) ORDER BY position")
    while let row = try rows.next() {
      let (name, value): (String?, String?) = (row[0], row[1])
      guard row[2] == true else {
        throw CofferError(.damagedDatabase, "\(StoreLayout.memberTable): the value of '\(name ?? "")' is not JSON")
      }
      members.append(Member(name: name, value: value.map { edit.edited(name, Array($0.utf8)) }))
    }
    if !(members.count == 1 && members[0].name == nil) {
      // Rows must not be lost if an app has removed the member that marks their place.
      for table in layout.tables where !table.pointer.isEmpty && !members.contains(where: { $0.name == table.memberName }) {
        if try Self.hasRows(table, in: database) { members.append(Member(name: table.memberName, value: nil)) }
      }
      for member in edit.added(to: Set(members.map(\.name))) { members.append(Member(name: member.name, value: member.value)) }
    }
    isObject = !(members.count == 1 && members[0].name == nil)
    if isObject { pen.put(UInt8(ascii: "{")) }
  }

  private static func hasRows(_ table: TableLayout, in database: Database) throws -> Bool {
    guard try PresentTable(table.name, in: database) != nil else { return false }
    return try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM main.\(table.name.quotedIdentifier))") ?? false
  }

  /// Returns true if a table has enough rows for several threads.
  private static func isLong(_ table: TableLayout, in database: Database) throws -> Bool {
    guard let present = try PresentTable(table.name, in: database) else { return false }
    try present.check(table)
    let sql = "SELECT EXISTS (SELECT 1 FROM main.\(table.name.quotedIdentifier) LIMIT 1 OFFSET \(RowPieces.rowsOfPiece))"
    return try Bool.fetchOne(database, sql: sql) ?? false
  }

  package func read(into target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try copy(to: target)
    progress?.add(bytes: count)
    return count
  }

  private func copy(to target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    while position == pen.count, piecePosition == piece.count, !isComplete {
      pen.removeAll()
      position = 0
      do {
        try fill()
      } catch {
        failure = error
        throw CofferError(.inputOutput, "the database can't be read: \(error)")
      }
    }
    if position < pen.count { return pen.copy(from: &position, to: target) }
    let part = min(piece.count - piecePosition, target.count)
    piece.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[piecePosition..<piecePosition + part])) }
    piecePosition += part
    return part
  }

  private func fill() throws {
    if pieces != nil { return try fillPiece() }
    while pen.count < Self.pieceSize, pieces == nil, !isComplete {
      if table != nil { try fillRows() } else { try beginMember() }
    }
    // SQLite accepts any bytes as text. A piece ends after a complete value.
    if !pen.bytes.isValidUTF8 { throw CofferError.notUTF8(in: lastTable) }
  }

  private func fillPiece() throws {
    if let next = try pieces?.rows.next() {
      (piece, piecePosition) = (next.bytes, 0)
      pieces?.count += next.count
      progress?.add(records: next.count)
    } else if let ended = pieces {
      pieces = nil
      counts[ended.table] = ended.count
      pen.reserve(1)
      pen.put(UInt8(ascii: "]"))
    }
  }

  private func beginMember() throws {
    guard nextMember < members.count else {
      pen.reserve(1)
      if isObject { pen.put(UInt8(ascii: "}")) }
      isComplete = true
      return
    }
    let member = members[nextMember]
    pen.reserve(1)
    if nextMember > 0 { pen.put(UInt8(ascii: ",")) }
    nextMember += 1
    if let name = member.name { pen.put(JSONText.quoted(name) + [UInt8(ascii: ":")]) }
    if let value = member.value { return pen.put(value) }
    pen.reserve(2)
    pen.put(UInt8(ascii: "["))
    let pointer = member.name.map { "/" + $0.pointerToken } ?? ""
    guard let layout = layout.table(at: pointer), !leftOut.contains(pointer) else { return pen.put(UInt8(ascii: "]")) }
    lastTable = layout.title
    if let readers, try Self.isLong(layout, in: database), let rows = RowPieces(layout, readers) {
      pieces = (rows, layout.name, 0)
    } else {
      table = try RowText(layout, in: database)
    }
  }

  private func fillRows() throws {
    let before = table?.count ?? 0
    let hasMore = try table?.append(to: &pen, upTo: Self.pieceSize)
    progress?.add(records: (table?.count ?? 0) - before)
    guard hasMore == false else { return }
    pen.reserve(1)
    pen.put(UInt8(ascii: "]"))
    if let rows = table.take() { counts[rows.table.name] = rows.count }
  }
}

extension ByteSource {
  /// Copies all bytes to `sink`.
  package mutating func copy(to sink: inout some ByteSink, cancellation: Cancellation?) throws {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { piece.deallocate() }
    while true {
      try cancellation.check()
      let count = try read(into: piece)
      if count == 0 { return }
      try sink.write(UnsafeRawBufferPointer(rebasing: piece.prefix(count)))
    }
  }
}

extension CofferError {
  /// - Parameter table: the title of the collection that has the text, or that follows it.
  static func notUTF8(in table: String?) -> CofferError {
    CofferError(.damagedDatabase, "the database has text that is not UTF-8\(table.map { ", at or before \($0)" } ?? "")")
  }
}

extension UnsafeBufferPointer<UInt8> {
  var isValidUTF8: Bool {
    guard let start = baseAddress else { return true }
    var incomplete: CInt = 0
    return coffer_utf8_prefix(start, count, &incomplete) == count
  }
}

extension ReaderLimits {
  /// Limits for stored text, which was already read with other limits.
  static var stored: Self {
    var limits = Self()
    limits.depth = 1 << 20
    limits.tokenSize = 1 << 30
    return limits
  }
}
