import ByteStreams
import Coffer
import Findings

/// The score of rules as one page for people: what they let pass, then a matrix of fields by kinds of defects.
struct ScorePage: WrittenReport {
  let score: RuleScore
  let toolVersion: String

  /// A page of more rows is slow to open.
  private static let rowLimit = 2000

  func write(_ text: ReportText) {
    let page = HTMLPage(
      kind: "Coffer test of rules", headline: headline,
      verdict: score.missed == 0 && score.findings.count(.error) == 0 ? .valid : .invalid, toolVersion: toolVersion)
    page.writeStart(
      [
        .init("Score", score.shownScore ?? "–"), .init("Caught", score.caught),
        .init("Missed", score.missed, styleUnlessZero: "error"),
        .init("Not counted", score.allowed, style: "none"),
      ],
      hints: score.notes,
      facts: [("Rules", score.rules)] + score.files.prefix(10).map { ("Backup", $0) }
        + (score.files.count > 10 ? [("", "… \(score.files.count - 10) more")] : []), text)
    writeGaps(text)
    writeMatrix(text)
    page.writeEnd(text)
  }

  private var headline: String {
    if score.score == nil { return "No defect could be planted" }
    return score.missed == 0
      ? "The rules find every planted defect" : "The rules let \(score.missed.counted("planted defect")) pass"
  }

  private func writeGaps(_ text: ReportText) {
    let gaps = score.gaps
    if gaps.isEmpty { return }
    text.put("<section class=\"card overview\">\n<h2 id=\"gaps\">What passes</h2>\n")
    HTMLPage.writeTableStart(
      labelledBy: "gaps",
      [("Field", false), ("Defect", false), ("Missed", true), ("Example", false), ("Would be found by", false)], text)
    for cell in gaps.prefix(Self.rowLimit) {
      text.put("<tr><th scope=\"row\"><bdi><code>\(cell.fieldName.markup)</code></bdi></th><td>\(cell.kind.words)</td>")
      text.put(
        "<td class=\"number\">\(cell.missed) of \(cell.caught + cell.missed)</td><td><bdi>\(cell.example.markup)</bdi></td>")
      text.put("<td><code>\((cell.keyword ?? "").markup)</code></td></tr>\n")
    }
    text.put(HTMLPage.tableEnd)
    writeRest(gaps.count, text)
    text.put("</section>\n")
  }

  private func writeMatrix(_ text: ReportText) {
    let kinds = MutationKind.allCases.filter { kind in score.cells.contains { $0.kind == kind } }
    var rows: [(field: String, cells: [MutationKind: RuleScore.Cell])] = []
    for cell in score.cells {
      if rows.last?.field != cell.fieldName { rows.append((cell.fieldName, [:])) }
      rows[rows.count - 1].cells[cell.kind] = cell
    }
    if rows.isEmpty { return }
    text.put("<section class=\"card overview\">\n<h2 id=\"matrix\">Fields and defects</h2>\n")
    text.put("<p class=\"hint\">How many defects were caught, of those that were caught or missed. –: not counted.</p>\n")
    HTMLPage.writeTableStart(labelledBy: "matrix", [("Field", false)] + kinds.map { ($0.words, true) }, text)
    for row in rows.prefix(Self.rowLimit) {
      text.put("<tr><th scope=\"row\"><bdi><code>\(row.field.markup)</code></bdi></th>")
      for kind in kinds { text.put(Self.cell(row.cells[kind])) }
      text.put("</tr>\n")
    }
    text.put(HTMLPage.tableEnd)
    writeRest(rows.count, text)
    text.put("</section>\n")
  }

  private func writeRest(_ count: Int, _ text: ReportText) {
    if count > Self.rowLimit { text.put("<p class=\"hint\">… \((count - Self.rowLimit).grouped) more rows</p>\n") }
  }

  private static func cell(_ cell: RuleScore.Cell?) -> String {
    guard let cell else { return "<td></td>" }
    let count = cell.caught + cell.missed
    if count == 0 { return "<td class=\"number none\">–</td>" }
    return "<td class=\"number\(cell.missed > 0 ? " error" : "")\">\(cell.caught)/\(count)</td>"
  }
}
