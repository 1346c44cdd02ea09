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

  /// One line per row, indented by two spaces. Columns without values are omitted.
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
