import Findings

/// A table with a heading. Columns are as wide as their widest value.
package struct TextTable {
  private let rows: [[String]]
  private let rightAligned: Set<Int>

  /// - Parameters:
  ///   - rows: The heading, then the rows, all with equal numbers of printable values.
  ///   - rightAligned: The right-aligned columns, such as numbers.
  package init(_ rows: [[String]], rightAligned: Set<Int> = []) {
    self.rows = rows
    self.rightAligned = rightAligned
  }

  /// A way to make a table narrower.
  package enum Narrowing {
    case leavingOut(column: Int)
    /// Cuts values, with an ellipsis at their end, as far as necessary.
    case cutting(column: Int, to: Int)
    /// The same with the ellipsis in their middle, so that names with the same start still differ.
    case cuttingInside(column: Int, to: Int)
    /// Leaves the day of times such as `2026-02-01T09:30:00Z`.
    case days(columns: [Int])
    /// Continues values below, between words, as far as necessary.
    case wrapping(column: Int, to: Int)
  }

  /// One line per row, indented by two spaces. Columns without values are omitted.
  package var text: String { text(columns) }

  /// Returns the table in lines of a limited width.
  ///
  /// - Parameter steps: what to do, one after the other, until the table fits. If it still doesn't, its lines are cut.
  package func text(fitting width: Int, by steps: [Narrowing]) -> String {
    var columns = columns
    for step in steps {
      let excess = columns.reduce(0) { $0 + 2 + $1.width } - width
      if excess <= 0 { break }
      switch step {
      case .leavingOut(let number): columns.removeAll { $0.number == number }
      case .days(let numbers):
        for index in columns.indices where numbers.contains(columns[index].number) {
          columns[index].showsDays = true
          columns[index].width = rows.map { columns[index].value(in: $0).columns }.max() ?? 0
        }
      case .cutting(let number, let limit), .cuttingInside(let number, let limit), .wrapping(let number, let limit):
        guard let index = columns.firstIndex(where: { $0.number == number }) else { continue }
        columns[index].width = min(columns[index].width, max(limit, columns[index].width - excess))
        if case .cuttingInside = step { columns[index].isCutInside = true }
        if case .wrapping = step { columns[index].wraps = true }
      }
    }
    return text(columns, lineWidth: width)
  }

  private struct Column {
    let number: Int
    var width: Int
    var isCutInside = false
    var showsDays = false
    var wraps = false

    func value(in row: [String]) -> String {
      showsDays && row[number].contains("T") ? String(row[number].prefix(10)) : row[number]
    }

    /// The lines of a cell.
    func lines(in row: [String]) -> [String] {
      (wraps ? value(in: row).wrapped(to: width) : [value(in: row)]).map { $0.cut(toColumns: width, keepsEnd: isCutInside) }
    }
  }

  private var columns: [Column] {
    guard let heading = rows.first else { return [] }
    return heading.indices.filter { number in rows.dropFirst().contains { !$0[number].isEmpty } }
      .map { number in Column(number: number, width: rows.map(\.[number].columns).max() ?? 0) }
  }

  private func text(_ columns: [Column], lineWidth: Int = .max) -> String {
    rows.flatMap { row in
      let cells = columns.map { $0.lines(in: row) }
      return (0..<(cells.map(\.count).max() ?? 0)).map { number in
        var line = " "
        for (column, cell) in zip(columns, cells) {
          let value = number < cell.count ? cell[number] : ""
          let padding = TextReport.blanks(column.width - value.columns)
          line += " " + (rightAligned.contains(column.number) ? padding + value : value + padding) + " "
        }
        while line.last == " " { line.removeLast() }
        return line.cut(toColumns: lineWidth) + "\n"
      }
    }.joined()
  }
}

extension String {
  /// The number of columns on a terminal.
  package var columns: Int { utf8.count == unicodeScalars.count ? utf8.count : reduce(0) { $0 + $1.columns } }

  /// Returns the text, or its start and an ellipsis in as many columns as there are.
  ///
  /// - Parameter keepsEnd: true to put the ellipsis into the middle, because names with dates differ at their end.
  package func cut(toColumns limit: Int, keepsEnd: Bool = false) -> String {
    if columns <= limit { return self }
    if limit < 1 { return "" }
    let endWidth = keepsEnd ? limit * 7 / 10 : 0
    let start = prefix(ofColumns: limit - 1 - endWidth)
    return start + "…" + String(String(reversed()).prefix(ofColumns: endWidth).reversed())
  }

  private func prefix(ofColumns limit: Int) -> Substring {
    var rest = limit
    return prefix { character in
      rest -= character.columns
      return rest >= 0
    }
  }
}

extension Character {
  /// The number of columns on a terminal: 2 for East Asian characters and emoji. Never less than a terminal uses.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
    0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F000...0x1FAFF,
    0x20000...0x3FFFD,
  ]

  fileprivate var columns: Int {
    unicodeScalars.reduce(0) { columns, scalar in
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .enclosingMark: return columns
      default:
        let isWide = scalar.properties.isEmojiPresentation || Self.wide.contains { $0.contains(scalar.value) }
        return columns + (isWide ? 2 : 1)
      }
    }
  }
}
