import ByteStreams
import Findings

/// Results as GitHub's Markdown, for a job summary: the verdict, a table of files, and some findings of each rule.
///
/// GitHub drops summaries of more than 1 MiB: files and findings that don't fit are only counted.
struct MarkdownSummary: WrittenReport {
  /// The findings listed for a file.
  private static let findingLimit = 25
  private static let tableLimit = 300 << 10
  /// The files whose notes are listed.
  private static let noteLimit = 20
  /// No file's section is longer than the rest of 1 MiB: it has at most 300 escaped cells.
  private static let sizeLimit = 550 << 10
  /// The longest text of a cell in bytes, before each of them becomes up to six.
  private static let cellLimit = 240

  let results: ValidationResults

  func write(_ text: ReportText) {
    text.put("## \(results.verdict == .valid ? "✅" : "❌") \(results.sentence)\n\n")
    let records = results.reports.reduce(0) { $0 + $1.records }
    let bytes = results.reports.reduce(0) { $0 + $1.bytes }
    text.put("**\(results.counts.words)** in \(records.counted("record"))")
    text.put(" and \(bytes.counted("byte"))")
    let accepted = results.reports.reduce(0) { $0 + $1.acceptedCounts.total }
    if accepted > 0 { text.put("; \(accepted.grouped) of them known") }
    let resolved = results.reports.reduce(0) { $0 + ($1.resolved?.count ?? 0) }
    if resolved > 0 { text.put("; \(resolved.grouped) of the baseline resolved") }
    text.put(results.policy.note.map { ". \($0)\n" } ?? ".\n")
    if let configuration = results.configuration { text.put("\nConfiguration: \(Self.cell(configuration))\n") }
    if let note = results.notAppliedNote { text.put("\n⚠️ \(Self.cell(note))\n") }
    let reports =
      results.reports.filter { $0.verdict != .valid } + results.reports.filter { $0.verdict == .valid }
    writeTable(reports, text)
    writeNotes(on: reports, text)
    var rest = 0
    for report in reports where report.error != nil || report.reportedCounts.total > 0 {
      if text.count > Self.sizeLimit { rest += 1 } else { write(report, text) }
    }
    if rest > 0 {
      text.put("\n\(rest.counted("file")) with findings more, left out to keep this short.\n")
    }
    text.put("\n<sub>coffer \(results.toolVersion.markdown)</sub>\n")
  }

  private func writeTable(_ reports: [ValidationReport], _ text: ReportText) {
    guard !reports.isEmpty else { return }
    text.put("\n| File | Verdict | Errors | Warnings | Notes | Records | Format |\n")
    text.put("| :--- | :--- | ---: | ---: | ---: | ---: | :--- |\n")
    var listed = 0
    for report in reports {
      if text.count > Self.tableLimit { break }
      listed += 1
      let verdict = report.verdict
      let mark = "\(verdict == .valid ? "✅" : "❌") \(verdict.words)"
      let counts = Severity.mostSevereFirst.map { report.reportedCounts.count($0).grouped }
      let format = report.format.map { $0 + (report.version.map { " \($0)" } ?? "") } ?? ""
      let cells = [Self.cell(report.reportedPath), mark] + counts + [report.records.grouped, Self.cell(format)]
      text.put("| \(cells.joined(separator: " | ")) |\n")
    }
    if listed < reports.count { text.put("\n\((reports.count - listed).grouped) more files are not listed.\n") }
  }

  /// What was not checked in the first files.
  private func writeNotes(on reports: [ValidationReport], _ text: ReportText) {
    let notes = reports.map { report in (report.reportedPath, report.notes) }.filter { !$0.1.isEmpty }
    if notes.isEmpty { return }
    text.put("\n")
    for (file, notes) in notes.prefix(Self.noteLimit) {
      text.put("- <code>\(Self.cell(file))</code>: \(notes.map(Self.cell).joined(separator: "; "))\n")
    }
    if notes.count > Self.noteLimit { text.put("- \((notes.count - Self.noteLimit).counted("more file")) with such notes\n") }
  }

  private func write(_ report: ValidationReport, _ text: ReportText) {
    text.put("\n### <code>\(Self.cell(report.reportedPath))</code>\n")
    if let error = report.error {
      let place = error.place.position.map { ", at line \($0.line), column \($0.column), byte \($0.offset)" } ?? ""
      text.put(
        "\n**Not read completely**: \(Self.cell(error.messageWithEntry))\(place) (<code>\(Self.cell(error.code.rawValue))</code>)"
          + (report.undecidedNote.map { "; \($0)" } ?? "") + "\n"
      )
    }
    let counts = report.reportedCounts
    guard counts.total > 0 else { return }
    text.put("\n| Findings | Severity | Rule | What must hold |\n| ---: | :--- | :--- | :--- |\n")
    let rows = results.summaries(of: report, listing: report.findings, limit: 0)
    for rule in rows.prefix(100) {
      let severity = rule.rule.severity
      text.put("| \(rule.share) | \(severity) | <code>\(Self.cell(rule.rule.code))</code> | \(Self.cell(rule.title)) |\n")
    }
    if rows.count > 100 { text.put("\n\(rows.count - 100) more rules are not listed.\n") }
    let listed = FindingQuota([report], limit: Self.findingLimit).findings[0]
    guard !listed.isEmpty else { return }
    let isAll = listed.count == counts.total
    let title = isAll ? "The findings" : "\(listed.count) of \(counts.total.grouped) findings, some of every rule"
    text.put("\n<details><summary>\(title)</summary>\n\n| Line | Severity | Rule | Finding | Place |\n")
    text.put("| ---: | :--- | :--- | :--- | :--- |\n")
    for finding in listed {
      let line = finding.place.isWholeEntry ? "" : "\(finding.place.line):\(finding.place.column)"
      let state = finding.isAccepted ? ", known" : ""
      text.put(
        "| \(line) | \(finding.severity)\(state) | <code>\(Self.cell(finding.code))</code> | \(Self.cell(finding.message)) ")
      text.put("| <code>\(Self.cell(finding.place.description))</code> |\n")
    }
    text.put("\n</details>\n")
  }

  private static func cell(_ text: String) -> String { text.shortened(to: cellLimit).markdown }
}
