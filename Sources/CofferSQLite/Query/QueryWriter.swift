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
  private var layout: [(width: Int, hasNumbers: Bool, hasTexts: Bool)] = []
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
    layout = columns.map { _ in (0, false, false) }
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
        Array(column.utf8).withUnsafeBytes { put(csv: $0) }
      }
      buffer.append(UInt8(ascii: "\n"))
    }
  }

  public mutating func write(_ row: QueryRow) throws(CofferError) {
    rowCount += 1
    switch format {
    case .table: try write(cells: (0..<row.count).map { cell(row, column: $0) })
    case .ndjson: try putJSON(row)
    case .csv: try putCSV(row)
    }
    try flushIfFull()
  }

  private mutating func flushIfFull() throws(CofferError) {
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

  private mutating func putJSON(_ row: QueryRow) throws(CofferError) {
    for index in 0..<row.count {
      buffer.append(names[index])
      switch row.kind(of: index) {
      case .null: buffer.append("null".utf8)
      case .text: buffer.append(quoting: row.bytes(of: index))
      case .blob:
        buffer.append(UInt8(ascii: "\""))
        put(hexadecimal: row.bytes(of: index))
        buffer.append(UInt8(ascii: "\""))
      case .integer, .real: put(number: row, index)
      }
      try flushIfFull()
    }
    buffer.append("}\n".utf8)
  }

  private mutating func put(number row: QueryRow, _ column: Int) {
    if row.kind(of: column) == .integer {
      buffer.append(decimal: row.integer(of: column))
    } else {
      buffer.append(text(of: row.real(of: column)).utf8)
    }
  }

  /// SQLite has no NaN. JSON has no infinity, but numbers that are read as such.
  private func text(of real: Double) -> String { real.isInfinite ? (real < 0 ? "-9e999" : "9e999") : real.description }

  private mutating func put(hexadecimal bytes: UnsafeRawBufferPointer) {
    buffer.reserve(2 * bytes.count)
    for byte in bytes { for digit in [byte >> 4, byte & 15] { buffer.put(digit < 10 ? 0x30 + digit : 0x57 + digit) } }
  }

  // MARK: CSV (RFC 4180, with line feeds)

  private mutating func putCSV(_ row: QueryRow) throws(CofferError) {
    for index in 0..<row.count {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      switch row.kind(of: index) {
      case .null: break
      case .text: put(csv: row.bytes(of: index))
      case .blob: put(hexadecimal: row.bytes(of: index))
      case .integer, .real: put(number: row, index)
      }
      try flushIfFull()
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

  private mutating func cell(_ row: QueryRow, column: Int) -> String {
    let kind = row.kind(of: column)
    if !columns.isEmpty {
      if kind == .integer || kind == .real { layout[column].hasNumbers = true }
      if kind == .text || kind == .blob { layout[column].hasTexts = true }
    }
    switch kind {
    case .null: return "null"
    case .integer: return String(row.integer(of: column))
    case .real: return text(of: row.real(of: column))
    case .text, .blob:
      // A long value is cut anyway.
      let bytes = UnsafeRawBufferPointer(rebasing: row.bytes(of: column).prefix(4096))
      if kind == .text { return String(decoding: bytes, as: UTF8.self).printable }
      return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
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
      line += "  " + (column.hasNumbers && !column.hasTexts ? padding + shown : shown + padding)
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
