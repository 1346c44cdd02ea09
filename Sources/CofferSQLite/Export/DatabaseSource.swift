import BackupFormats
import ByteStreams
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
/// A class, because `Converter` reads a copy, and the counts must be those of the original.
///
/// Cost: one pass over each table, and a copy of each value. Memory: about 256 KiB plus the largest record; with additional
/// connections, that of `RowPieces`.
final class DatabaseSource: ByteSource {
  private let database: Database
  private let layout: DatabaseLayout
  /// The properties of the backup.
  let properties: BackupProperties
  /// The root members; those without a value mark the place of a collection.
  private var members: [(name: String?, value: [UInt8]?)] = []
  private var nextMember = 0
  private var isObject = false
  private let readers: SnapshotReaders?
  private var table: RowText?
  /// Used instead of `table` if several threads write its rows.
  private var pieces: (rows: RowPieces, table: String, count: Int)?
  private var piece: [UInt8] = []
  private var piecePosition = 0
  private var text = ByteBuffer()
  private var position = 0
  private var isComplete = false
  /// The title of the current table's collection.
  private var lastTable: String?
  /// The number of records written, by table.
  private var counts: [String: Int] = [:]

  /// Counts the records, and the bytes of the document.
  var progress: WorkProgress?

  /// The error that ended the document early.
  private(set) var failure: (any Error)?

  private static let pieceSize = 256 << 10

  /// - Parameters:
  ///   - readers: additional connections that read the same state.
  ///   - edit: the changes to the document's origin.
  /// - Throws: `CofferError`, `DatabaseError`.
  init(
    _ layout: DatabaseLayout, _ properties: BackupProperties, in database: Database, beside readers: SnapshotReaders?,
    edit: OriginEdit
  ) throws {
    self.layout = layout
    self.properties = properties
    self.readers = readers
    self.database = database
    let rows = try Row.fetchCursor(
      database,
      sql: "SELECT name, value, value IS NULL OR json_valid(value) FROM main.\(DatabaseLayout.memberTable) ORDER BY position")
    while let row = try rows.next() {
      let (name, value): (String?, String?) = (row[0], row[1])
      guard row[2] == true else {
        throw CofferError(.damagedDatabase, "\(DatabaseLayout.memberTable): the value of '\(name ?? "")' is not JSON")
      }
      members.append((name, value.map { edit.edited(name, Array($0.utf8)) }))
    }
    isObject = !(members.count == 1 && members[0].name == nil)
    guard isObject else { return }
    // Rows must not be lost if an app has removed the member that marks their place.
    for table in layout.tables where !table.pointer.isEmpty && !members.contains(where: { $0.name == table.memberName }) {
      if try database.hasRecords(table) { members.append((table.memberName, nil)) }
    }
    for member in edit.added(to: Set(members.map(\.name))) { members.append((member.name, member.value)) }
    text.append(UInt8(ascii: "{"))
  }

  var format: BackupFormat { layout.format }

  /// The number of records written, in the format's order.
  var written: [DatabaseExportReport.Collection] { layout.tables.map { .init(title: $0.title, count: counts[$0.name] ?? 0) } }

  /// Returns true if a table has enough rows for several threads.
  private static func isLong(_ table: TableLayout, in database: Database) throws -> Bool {
    guard let stored = try ExistingTable(table, in: database) else { return false }
    try stored.check()
    return try database.hasRows("SELECT 1 FROM \(table.target) LIMIT 1 OFFSET \(RowPieces.rowsOfPiece)")
  }

  func read(into target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try copy(to: target)
    progress?.add(bytes: count)
    return count
  }

  private func copy(to target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    while position == text.count, piecePosition == piece.count, !isComplete {
      text.removeAll()
      position = 0
      do {
        try fill()
      } catch {
        failure = error
        throw CofferError(.inputOutput, "the database can't be read: \(error)")
      }
    }
    if position < text.count { return text.copy(from: &position, to: target) }
    let part = min(piece.count - piecePosition, target.count)
    piece.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[piecePosition..<piecePosition + part])) }
    piecePosition += part
    return part
  }

  private func fill() throws {
    if pieces != nil { return try fillPiece() }
    while text.count < Self.pieceSize, pieces == nil, !isComplete {
      if table != nil { try fillRows() } else { try beginMember() }
    }
    // SQLite accepts any bytes as text. A piece ends after a complete value.
    if !text.bytes.isValidUTF8 { throw CofferError.notUTF8(in: lastTable) }
  }

  private func fillPiece() throws {
    if let next = try pieces?.rows.next() {
      (piece, piecePosition) = (next.bytes, 0)
      pieces?.count += next.count
      progress?.add(records: next.count)
    } else if let ended = pieces {
      pieces = nil
      counts[ended.table] = ended.count
      text.append(UInt8(ascii: "]"))
    }
  }

  private func beginMember() throws {
    guard nextMember < members.count else {
      if isObject { text.append(UInt8(ascii: "}")) }
      isComplete = true
      return
    }
    let member = members[nextMember]
    if nextMember > 0 { text.append(UInt8(ascii: ",")) }
    nextMember += 1
    if let name = member.name { text.append(ByteBuffer.quoted(name) + [UInt8(ascii: ":")]) }
    if let value = member.value { return text.append(value) }
    text.append(UInt8(ascii: "["))
    let pointer = member.name.map { "/" + $0.pointerToken } ?? ""
    guard layout.keeps(pointer), let layout = layout.table(at: pointer) else { return text.append(UInt8(ascii: "]")) }
    lastTable = layout.title
    if let readers, try Self.isLong(layout, in: database), let rows = RowPieces(layout, readers) {
      pieces = (rows, layout.name, 0)
    } else {
      table = try RowText(layout, in: database)
    }
  }

  private func fillRows() throws {
    let before = table?.count ?? 0
    let hasMore = try table?.append(to: &text, upTo: Self.pieceSize)
    progress?.add(records: (table?.count ?? 0) - before)
    guard hasMore == false else { return }
    text.append(UInt8(ascii: "]"))
    if let rows = table.take() { counts[rows.table.name] = rows.count }
  }
}

extension ByteSource {
  /// Copies all bytes to `sink`.
  mutating func copy(to sink: inout some ByteSink, cancellation: Cancellation?) throws {
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

extension UnsafeRawBufferPointer {
  var isValidUTF8: Bool {
    guard let start = baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
    var incomplete: CInt = 0
    return coffer_utf8_prefix(start, count, &incomplete) == count
  }
}
