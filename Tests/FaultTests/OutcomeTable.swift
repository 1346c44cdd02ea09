/// The outcomes of faults and their counts, as a table for people.
struct OutcomeTable {
  /// The counts of a row.
  struct Row: Hashable {
    var outcomes: [Judgement.Outcome: Int] = [:]
    /// Trials whose fault never happened: the run didn't make the call, or had already ended.
    var missed = 0
    var complaints = 0
    var count: Int { outcomes.values.reduce(missed, +) }
  }

  private(set) var rows: [String: Row] = [:]

  mutating func add(row: String, outcome: Judgement.Outcome, wasReached: Bool, hasComplaints: Bool) {
    if wasReached { rows[row, default: Row()].outcomes[outcome, default: 0] += 1 } else { rows[row, default: Row()].missed += 1 }
    if hasComplaints { rows[row, default: Row()].complaints += 1 }
  }

  /// The sum of all rows.
  var total: Row {
    rows.values.reduce(into: Row()) { sum, row in
      sum.outcomes.merge(row.outcomes, uniquingKeysWith: +)
      sum.missed += row.missed
      sum.complaints += row.complaints
    }
  }

  /// Returns one line per row, sorted, and the total.
  ///
  /// - Parameter title: the heading of the rows' names.
  func text(title: String) -> String {
    let names = Judgement.Outcome.allCases.map(\.rawValue)
    let lines = rows.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + [("total", total)]
    let width = (lines.map(\.0) + [title]).map(\.count).max() ?? 0
    let cells = lines.map { name, row in
      (name, [row.count] + Judgement.Outcome.allCases.map { row.outcomes[$0] ?? 0 } + [row.missed, row.complaints])
    }
    let head = Self.line(title, ["trials"] + names + ["missed", "wrong"], width)
    return ([head] + cells.map { Self.line($0, $1.map { $0 == 0 ? "" : "\($0)" }, width) }).joined(separator: "\n")
  }

  private static func line(_ name: String, _ cells: [String], _ width: Int) -> String {
    var line = name + String(repeating: " ", count: width - name.count)
    for cell in cells { line += String(repeating: " ", count: max(1, 9 - cell.count)) + cell }
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}
