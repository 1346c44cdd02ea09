public import ByteStreams
import Coffer
import JSONEvents
import Reports

/// Writes the rows of a query as they come, in large pieces.
public struct QueryWriter<Sink: ByteSink>: ~Copyable {
  public private(set) var sink: Sink
  private let format: QueryFormat
  private var buffer = ByteBuffer(capacity: 1 << 16)
  private var columns: [String] = []
  /// JSON Lines: the members' names in quotation marks, with what precedes them.
  private var names: [[UInt8]] = []
  /// Tables: the first rows, which determine the columns' widths, until these are known.
  private var sample: [[String]] = []
  private var layout: [(width: Int, isNumeric: Bool)] = []
  public private(set) var rowCount = 0
  /// True if a cell of a table was cut.
  public private(set) var cutsCells = false

  private static var sampleCount: Int { 100 }
  private static var widest: Int { 60 }

  public init(_ sink: Sink, as format: QueryFormat) {
    self.sink = sink
    self.format = format
  }

  /// Begins with the columns' names.
  public mutating func begin(_ columns: [String]) throws(CofferError) {
    self.columns = columns
    layout = columns.map { _ in (0, true) }
    switch format {
    case .table: break
    case .ndjson:
      // SQLite allows several columns of one name, which JSON's readers would drop.
      var taken: Set<String> = []
      names = columns.enumerated().map { index, column in
        var (name, number) = (column, 2)
        while !taken.insert(name).inserted { (name, number) = ("\(column)_\(number)", number + 1) }
        return Array((index == 0 ? "{" : ",").utf8) + ByteBuffer.quoted(name) + Array(":".utf8)
      }
    case .csv:
      for (index, column) in columns.enumerated() {
        if index > 0 { buffer.append(UInt8(ascii: ",")) }
        column.utf8.withContiguousStorageIfAvailable { put(csv: UnsafeRawBufferPointer($0)) }
      }
      buffer.append(UInt8(ascii: "\n"))
    }
  }

  public mutating func write(_ row: QueryRow) throws(CofferError) {
    rowCount += 1
    switch format {
    case .table: try write(cells: (0..<row.count).map { cell(row[$0], column: $0) })
    case .ndjson: putJSON(row)
    case .csv: putCSV(row)
    }
    if buffer.count >= 1 << 16 { try buffer.flush(to: &sink) }
  }

  /// Writes what is left.
  public mutating func finish() throws(CofferError) {
    if format == .table {
      try writeSample()
      buffer.append((rowCount.counted("row") + "\n").utf8)
    }
    try buffer.flush(to: &sink)
  }

  // MARK: JSON Lines

  private mutating func putJSON(_ row: QueryRow) {
    for index in 0..<row.count {
      buffer.append(names[index])
      switch row[index] {
      case .null: buffer.append("null".utf8)
      case .integer(let value): buffer.append(decimal: value)
      // Bytes that are not UTF-8 would be no JSON.
      case .text(let bytes) where String(validating: bytes, as: UTF8.self) != nil: buffer.append(quoting: bytes)
      case .real(let value): buffer.append(QueryValue.real(value).description.utf8)
      case let other: buffer.append(ByteBuffer.quoted(other.description))
      }
    }
    buffer.append("}\n".utf8)
  }

  // MARK: CSV (RFC 4180)

  private mutating func putCSV(_ row: QueryRow) {
    for index in 0..<row.count {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      switch row[index] {
      case .integer(let value): buffer.append(decimal: value)
      case .text(let bytes): put(csv: bytes)
      case let other: buffer.append(other.description.utf8)
      }
    }
    buffer.append(UInt8(ascii: "\n"))
  }

  /// Appends a text, in quotation marks if it has a special character, or is empty: only null has none.
  private mutating func put(csv text: UnsafeRawBufferPointer) {
    let isPlain = !text.isEmpty && !text.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") || $0 < 0x20 }
    if isPlain { return buffer.append(text) }
    buffer.append(UInt8(ascii: "\""))
    for byte in text {
      if byte == UInt8(ascii: "\"") { buffer.append(byte) }
      buffer.append(byte)
    }
    buffer.append(UInt8(ascii: "\""))
  }

  // MARK: Tables

  private mutating func cell(_ value: QueryValue, column: Int) -> String {
    if case .null = value { return "null" }
    if !value.isNumber, !columns.isEmpty { layout[column].isNumeric = false }
    // A long text is cut anyway.
    if case .text(let bytes) = value, bytes.count > 4096 {
      return QueryValue.text(UnsafeRawBufferPointer(rebasing: bytes.prefix(4096))).description.printable
    }
    return value.description.printable
  }

  private mutating func write(cells: [String]) throws(CofferError) {
    guard rowCount <= Self.sampleCount else {
      try writeSample()
      return put(cells: cells)
    }
    sample.append(cells)
  }

  private mutating func writeSample() throws(CofferError) {
    guard !columns.isEmpty else { return }
    let heading = columns.map(\.printable)
    for index in layout.indices {
      let widest = ([heading] + sample).map { $0[index].columns }.max() ?? 0
      layout[index].width = min(Self.widest, widest)
    }
    put(cells: heading)
    for cells in sample { put(cells: cells) }
    (sample, columns) = ([], [])
  }

  private mutating func put(cells: [String]) {
    var line = ""
    for (cell, column) in zip(cells, layout) {
      let shown = cell.cut(toColumns: column.width)
      if shown != cell { cutsCells = true }
      let padding = TextReport.blanks(column.width - shown.columns)
      line += "  " + (column.isNumeric ? padding + shown : shown + padding)
    }
    while line.last == " " { line.removeLast() }
    buffer.append((line + "\n").utf8)
  }
}

/// How the rows of a query are written.
public enum QueryFormat: String, Sendable, CaseIterable {
  /// A table for people, as wide as its first 100 rows; wider cells are cut.
  case table
  /// JSON Lines: an object for each row. Its values are those of SQLite: `true` is 1, and nested values are strings of JSON.
  case ndjson
  /// A heading and the rows (RFC 4180). Null is empty, an empty text is `""`.
  case csv
}
