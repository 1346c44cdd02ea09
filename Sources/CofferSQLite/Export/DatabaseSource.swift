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
  /// The document's parts, in order.
  private var parts: [Part] = []
  private var nextPart = 0
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

  private enum Part {
    case text([UInt8])
    case records(TableLayout)
  }

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
    var members: [(name: String?, value: [UInt8]?)] = []
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
    if members.count == 1, members[0].name == nil {
      parts = try self.parts(of: members[0].value, named: nil)
      return
    }
    // Rows must not be lost if an app has removed the member that marks their place.
    for table in layout.tables
    where !table.path.isEmpty && !members.contains(where: { $0.name.map { ExactText($0) } == ExactText(table.path[0]) }) {
      if try database.hasRecords(table) { members.append((table.path[0], table.pathInMember.isEmpty ? nil : Array("{}".utf8))) }
    }
    for member in edit.added(to: Set(members.map(\.name))) { members.append((member.name, member.value)) }
    for (index, member) in members.enumerated() {
      parts.append(.text((index == 0 ? [] : [UInt8(ascii: ",")]) + ByteBuffer.quoted(member.name ?? "") + [UInt8(ascii: ":")]))
      parts += try self.parts(of: member.value, named: member.name)
    }
    parts = [.text([UInt8(ascii: "{")])] + parts + [.text([UInt8(ascii: "}")])]
  }

  /// Returns the parts of a root member, or of the root.
  ///
  /// - Parameter value: `nil` if it is an array of records.
  private func parts(of value: [UInt8]?, named name: String?) throws -> [Part] {
    guard let value else {
      let pointer = name.map { "/" + $0.pointerToken } ?? ""
      guard let table = layout.table(at: pointer) else {
        throw CofferError(
          .incompatible,
          "the database has a table for \(pointer.isEmpty ? "the root" : pointer), but '\(format.name)' has no such collection")
      }
      return [.text([table.kind.brackets.start])] + written(table) + [.text([table.kind.brackets.end])]
    }
    let inner = layout.tables(inside: name)
    if inner.isEmpty { return [.text(value)] }
    var text = EditableJSON(value)
    // An app may have removed the empty value that marks the place of the records.
    for table in inner where !text.has(table.pathInMember) {
      let empty: JSONValue = table.kind == .array ? .array([]) : .object([])
      if try database.hasRecords(table) { text.set(empty, at: table.pathInMember) }
    }
    let places = try Self.emptyValues(at: inner, in: text.bytes)
    var parts: [Part] = []
    var end = 0
    for (offset, number) in places {
      parts += [.text(Array(text.bytes[end..<offset]))] + written(inner[number])
      end = offset
    }
    for (number, table) in inner.enumerated() where !places.contains(where: { $0.number == number }) {
      guard try database.hasRecords(table) else { continue }
      throw CofferError(
        .damagedDatabase,
        "\(DatabaseLayout.memberTable): \(table.pointer) is not empty, but the table \(table.name) has its records")
    }
    return parts + [.text(Array(text.bytes[end...]))]
  }

  private func written(_ table: TableLayout) -> [Part] { layout.keeps(table.pointer) ? [.records(table)] : [] }

  /// Finds the places for records: behind the bracket of each empty array or object at a table's path.
  private static func emptyValues(at tables: [TableLayout], in text: [UInt8]) throws -> [(offset: Int, number: Int)] {
    var places = PointerTree(tables.map(\.pathInMember))
    var reader = JSONEventReader(MemorySource(text), limits: .stored)
    var found: [(offset: Int, number: Int)] = []
    var last: (offset: Int, number: Int)?
    while try reader.next() {
      for index in 0..<reader.batch.count {
        let event = reader.batch[index]
        if let last, event.kind == tables[last.number].kind.end { found.append(last) }
        last = nil
        let numbers = places.follow(event, of: reader.batch)
        if let number = numbers.first, event.kind == tables[number].kind.start {
          last = (reader.batch.offset(of: event) + 1, number)
        }
      }
    }
    return found
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
      if table != nil { try fillRows() } else { try beginPart() }
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
    }
  }

  private func beginPart() throws {
    guard nextPart < parts.count else {
      isComplete = true
      return
    }
    let part = parts[nextPart]
    nextPart += 1
    switch part {
    case .text(let bytes): text.append(bytes)
    case .records(let layout):
      lastTable = layout.title
      if let readers, try Self.isLong(layout, in: database), let rows = RowPieces(layout, readers) {
        pieces = (rows, layout.name, 0)
      } else {
        table = try RowText(layout, in: database)
      }
    }
  }

  private func fillRows() throws {
    let before = table?.count ?? 0
    let hasMore = try table?.append(to: &text, upTo: Self.pieceSize)
    progress?.add(records: (table?.count ?? 0) - before)
    guard hasMore == false else { return }
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
