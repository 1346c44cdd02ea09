import ByteStreams
public import Coffer
import Findings

extension TextReport {
  /// Returns a score, and the gaps of the rules, worst first.
  ///
  ///     my-app: score 0.94: 1,204 of 1,281 defects caught, 77 missed
  ///       missed  field                 defect   example        would be found by
  ///       3 of 3  /expenses/*/carId     missing  12 → absent    required
  ///
  /// - Parameter limit: the most gaps to list.
  public func text(of score: RuleScore, listing limit: Int) -> String {
    var text = score.rules.printable + ": "
    if let share = score.shownScore {
      text += "score \(share): \(score.caught.grouped) of \((score.caught + score.missed).counted("defect")) caught"
      text += score.missed > 0 ? ", \(paint("\(score.missed.grouped) missed", .error))\n" : "\n"
    } else {
      text += "no score: no defect could be planted\n"
    }
    let gaps = score.gaps
    if !gaps.isEmpty, limit > 0 { text += table(of: gaps.prefix(limit)) }
    if gaps.count > limit, limit > 0 { text += "… \((gaps.count - limit).counted("more gap"))\n" }
    return text + score.notes.map { "\($0)\n" }.joined()
  }

  private func table(of gaps: some Collection<RuleScore.Cell>) -> String {
    let rows = gaps.map { cell in
      [
        "\(cell.missed) of \(cell.caught + cell.missed)", cell.fieldName.printable, cell.kind.words, cell.example.printable,
        cell.keyword?.printable ?? "",
      ]
    }
    let table = TextTable([["missed", "field", "defect", "example", "would be found by"]] + rows)
    guard let width else { return table.text }
    return table.text(
      fitting: width, by: [.cutting(column: 3, to: 12), .cuttingInside(column: 1, to: 16), .leavingOut(column: 3)])
  }
}

extension RuleScore {
  /// The score with two digits, rounded down, so that only a whole one is 1.00.
  var shownScore: String? {
    guard let score else { return nil }
    let hundredths = Int((score * 100).rounded(.down))
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
  }

  /// What the score doesn't cover.
  var notes: [String] {
    var notes: [String] = []
    if allowed > 0 {
      notes.append(
        "\(allowed.counted("defect")) not counted: no rule that the backups support would find \(allowed == 1 ? "it" : "them")")
    }
    if isCutShort { notes.append("not all defects were planted: the budget is used up") }
    if samples < files.count { notes.append("\(samples) of \(files.count.counted("backup")) had defects planted") }
    if findings.total > 0 { notes.append("the backups have findings already: \(findings.words)") }
    if fieldsWithFindings > 0 {
      notes.append(
        "\(fieldsWithFindings.counted("field")) not tested: the rules find something in each record that has \(fieldsWithFindings == 1 ? "it" : "them")"
      )
    }
    if fieldsNotSampled > 0 {
      notes.append("\(fieldsNotSampled.counted("field")) not tested: the samples lack \(fieldsNotSampled == 1 ? "it" : "them")")
    }
    return notes
  }
}

extension RuleScore.Cell {
  var fieldName: String { field.isEmpty ? "the root" : field }

  var example: String { before.flatMap { before in after.map { "\(before) → \($0)" } } ?? "" }
}

extension MutationKind {
  /// The kind in reports.
  var words: String {
    switch self {
    case .type: "wrong type"
    case .missing: "missing"
    case .null: "null"
    case .range: "out of range"
    case .unit: "wrong unit"
    case .value: "unknown value"
    case .format: "wrong format"
    case .text: "damaged text"
    case .duplicate: "duplicate"
    case .reference: "unknown key"
    case .total: "off by one"
    case .order: "wrong order"
    case .future: "in the future"
    case .unknown: "unknown member"
    case .exchange: "exchanged"
    case .omission: "record left out"
    case .repetition: "record twice"
    }
  }
}
