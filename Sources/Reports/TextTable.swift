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
