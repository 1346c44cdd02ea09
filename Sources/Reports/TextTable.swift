/// Rows below a heading, in columns as wide as their widest value.
package struct TextTable {
  private let rows: [[String]]
  private let rightAligned: Set<Int>

  /// - Parameters:
  ///   - rows: the heading first; each with as many values as it, which must be printable.
  ///   - rightAligned: the columns whose values stand below each other by their last characters, as numbers do.
  package init(_ rows: [[String]], rightAligned: Set<Int> = []) {
    self.rows = rows
    self.rightAligned = rightAligned
  }

  /// A line a row, two blanks further in; columns without a value are left out, heading and all.
  package var text: String {
    guard let heading = rows.first else { return "" }
    let columns = heading.indices.filter { column in rows.dropFirst().contains { !$0[column].isEmpty } }
    let widths = columns.map { column in rows.map(\.[column].count).max() ?? 0 }
    return rows.map { row in
      var line = " "
      for (column, width) in zip(columns, widths) {
        let padding = TextReport.blanks(width - row[column].count)
        line += " " + (rightAligned.contains(column) ? padding + row[column] : row[column] + padding) + " "
      }
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
