import ByteStreams
import Findings

/// Results as one page for people: the verdict and the counts first, then each file with its findings by rule.
struct ValidationPage {
  /// The findings listed for a rule of a file, and on the whole page. A page of more rows is slow to open.
  private static let ruleLimit = 200
  private static let pageLimit = 10_000

  private let results: ValidationResults

  init(_ results: ValidationResults) { self.results = results }

  func write(to sink: inout some ByteSink) throws(CofferError) {
    var text = ReportText()
    let page = HTMLPage(
      kind: "Coffer validation report", headline: results.sentence, outcome: .init(results.verdict),
      toolVersion: results.toolVersion)
    page.writeStart(figures, hints: [results.policy.note].compactMap(\.self), &text)
    if results.reports.count > 1 { try writeOverview(&text, to: &sink) }
    var rest = Self.pageLimit
    for (index, report) in results.reports.enumerated() {
      try write(report, number: index + 1, rest: &rest, &text, to: &sink)
    }
    page.writeEnd(notes: results.isRedacted ? ["The documents’ values are left out."] : [], &text)
    try text.flush(to: &sink)
  }

  private var figures: [HTMLPage.Figure] {
    let counts = results.counts
    var figures = Severity.mostSevereFirst.map { severity in
      HTMLPage.Figure(Self.heading(severity), counts.count(severity), styleUnlessZero: severity.rawValue)
    }
    let accepted = results.reports.reduce(0) { $0 + $1.acceptedCounts.total }
    if accepted > 0 { figures.append(.init("Known", accepted)) }
    let resolved = results.reports.reduce(0) { $0 + ($1.resolved?.count ?? 0) }
    if resolved > 0 { figures.append(.init("Resolved", resolved)) }
    if results.reports.count != 1 { figures.append(.init("Files", results.reports.count)) }
    figures.append(.init("Records", results.reports.reduce(0) { $0 + $1.records }))
    figures.append(.init("Size", bytes: results.reports.reduce(0) { $0 + $1.bytes }))
    return figures
  }

  private func writeOverview(_ text: inout ReportText, to sink: inout some ByteSink) throws(CofferError) {
    text.put("<section class=\"card overview\">\n<h2 id=\"files\">Files</h2>\n")
    let counted = Severity.mostSevereFirst.map(Self.heading) + ["Records"]
    HTMLPage.writeTableStart(labelledBy: "files", [("File", false), ("Verdict", false)] + counted.map { ($0, true) }, &text)
    for (index, report) in results.reports.enumerated() {
      let verdict = results.verdict(on: report)
      text.put("<tr><th scope=\"row\"><a href=\"#f\(index + 1)\"><bdi>\(report.reportedPath.markup)</bdi></a></th>")
      text.put("<td><span class=\"verdict \(verdict.rawValue)\">\(verdict.words)</span></td>")
      for severity in Severity.mostSevereFirst { text.put(HTMLPage.cell(report.reportedCounts.count(severity))) }
      text.put("\(HTMLPage.cell(report.records, isQuietIfZero: false))</tr>\n")
      try text.drain(to: &sink)
    }
    text.put("\(HTMLPage.tableEnd)</section>\n")
  }

  // MARK: A file

  private func write(
    _ report: ValidationReport, number: Int, rest: inout Int, _ text: inout ReportText, to sink: inout some ByteSink
  ) throws(CofferError) {
    let verdict = results.verdict(on: report)
    let counts = report.reportedCounts
    text.put("<section class=\"card file\" id=\"f\(number)\" aria-labelledby=\"f\(number).name\">\n<div class=\"title\">")
    text.put("<h2 id=\"f\(number).name\"><bdi>\(report.reportedPath.markup)</bdi></h2>")
    text.put("<span class=\"verdict \(verdict.rawValue)\">\(verdict.words)</span></div>\n")
    writeFacts(report, &text)
    if let error = report.error {
      HTMLPage.writeCallout(error, addition: counts.total > 0 ? " The findings below are those before that place." : "", &text)
    }
    // One or two findings need no chart.
    if counts.total > 2 {
      text.put("<div class=\"charts\">\n")
      FindingChart(report).write(&text)
      writeRules(counts, number, &text)
      text.put("</div>\n")
    }
    let rules = results.rules(of: report)
    let first = FirstFindings(of: report, limit: Self.ruleLimit)
    // The most severe first, then the most frequent.
    let broken = rules.map { rule in (rule: rule, count: Severity.allCases.reduce(0) { $0 + counts[$1, rule.code] }) }
      .filter { $0.count > 0 }
      .sorted { ($1.rule.severity, $1.count, $0.rule.code) < ($0.rule.severity, $0.count, $1.rule.code) }
    if !broken.isEmpty { text.put("<h3>Findings by rule</h3>\n") }
    for (index, (rule, count)) in broken.enumerated() {
      let findings = first[rule.code].prefix(rest)
      rest -= findings.count
      try write(
        findings, of: rule, count: count, id: Self.id(of: rule.code, inFile: number), isOpen: index == 0 && number == 1, &text,
        to: &sink)
    }
    let kept = rules.filter { rule in !broken.contains { $0.rule.code == rule.code } }
    // An incompletely read document may break further rules.
    if !kept.isEmpty, report.error == nil {
      // For a single valid file, the page has nothing else to show.
      let isOpen = broken.isEmpty && results.reports.count == 1
      text.put("<details class=\"kept\"\(isOpen ? " open" : "")><summary>")
      text.put("<span class=\"label\">\(kept.count.counted("rule")) without findings</span></summary>\n<dl>\n")
      for rule in kept {
        text.put("<div><dt><code>\(rule.code.markup)</code></dt><dd><bdi>\(rule.summary.markup)</bdi></dd></div>\n")
        try text.drain(to: &sink)
      }
      text.put("</dl>\n</details>\n")
    }
    text.put("</section>\n")
    try text.drain(to: &sink)
  }

  private func writeFacts(_ report: ValidationReport, _ text: inout ReportText) {
    var facts: [String] = []
    if let format = report.format {
      let version = (report.version.map { " \($0)" } ?? "") + (report.dialect.map { ", \($0)" } ?? "")
      facts.append("<bdi>\((format + version).shortened(to: 200).markup)</bdi>")
    }
    facts.append(report.records.counted("record"))
    facts.append(report.bytes.counted("byte"))
    if let container = report.container {
      let entries = container.entries.counted("entry", "entries")
      facts.append("\(entries) of a \(container.kind.markup) archive")
    }
    if !report.leftOut.isEmpty {
      facts.append("without <bdi>\(report.leftOut.joined(separator: ", ").shortened(to: 500).markup)</bdi>")
    }
    text.put("<p class=\"facts\">\(facts.map { "<span>\($0)</span>" }.joined(separator: " "))</p>\n")
  }

  /// A bar for each rule, the most frequent first.
  private func writeRules(_ counts: FindingCounts, _ number: Int, _ text: inout ReportText) {
    let rows = counts.byRule.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    let most = rows.first?.value ?? 1
    text.put("<figure class=\"rules\">\n<figcaption>By rule</figcaption>\n<ul>\n")
    for (key, count) in rows.prefix(8) {
      // Few findings must stay visible next to many.
      let width = max(4, Int((Double(count) / Double(most) * 200).rounded()))
      text.put("<li><a href=\"#\(Self.id(of: key.code, inFile: number))\">\(key.code.markup)</a> ")
      text.put("<svg viewBox=\"0 0 200 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\">")
      text.put("<rect class=\"\(key.severity)\" width=\"\(width)\" height=\"8\"/></svg> ")
      let noun = "<span class=\"hidden\"> \(key.severity)\(count == 1 ? "" : "s")</span>"
      text.put("<span class=\"count\">\(count.grouped)\(noun)</span></li>\n")
    }
    text.put("</ul>\n")
    if rows.count > 8 { text.put("<p class=\"hint\">\((rows.count - 8).counted("further rule")) below</p>\n") }
    text.put("</figure>\n")
  }

  // MARK: Findings

  private func write(
    _ findings: ArraySlice<Finding>, of rule: ReportedRule, count: Int, id: String, isOpen: Bool, _ text: inout ReportText,
    to sink: inout some ByteSink
  ) throws(CofferError) {
    text.put("<details class=\"rule\" id=\"\(id)\"\(isOpen ? " open" : "")>\n<summary><span class=\"label\">")
    text.put("<span class=\"tag \(rule.severity)\">\(rule.severity)</span> <code>\(rule.code.markup)</code> ")
    text.put("<span class=\"means\"><bdi>\(rule.summary.markup)</bdi></span></span> ")
    text.put("<span class=\"count\">\(count.grouped)</span></summary>\n")
    if findings.count < count {
      let first = findings.isEmpty ? "None" : "The first \(findings.count.grouped)"
      text.put(
        "<p class=\"hint\">\(first) of \(count.grouped) findings \(findings.count == 1 ? "is" : "are") listed.</p>\n")
    }
    if !findings.isEmpty {
      text.put("<ol>\n")
      for (index, finding) in findings.enumerated() {
        write(finding, id: "\(id).\(index + 1)", ruleSeverity: rule.severity, &text)
        try text.drain(to: &sink)
      }
      text.put("</ol>\n")
    }
    text.put("</details>\n")
  }

  private func write(_ finding: Finding, id: String, ruleSeverity: Severity, _ text: inout ReportText) {
    let place = finding.place
    text.put("<li id=\"\(id)\"><a class=\"at\" href=\"#\(id)\">")
    if place.isWholeEntry {
      text.put(place.entry?.isEmpty == true ? "archive" : "entry")
    } else {
      text.put("<span class=\"hidden\">line </span>\(place.line)<span class=\"hidden\">, column </span>")
      text.put("<span class=\"column\">\(place.column)</span>")
    }
    text.put("</a>\n<div><p>")
    if finding.severity != ruleSeverity { text.put("<span class=\"tag \(finding.severity)\">\(finding.severity)</span> ") }
    if case .known(let reason) = finding.baseline {
      text.put("<span class=\"tag\">known\(reason.map { ": <bdi>\($0.markup)</bdi>" } ?? "")</span> ")
    }
    text.put("<bdi>\(finding.message.markup)</bdi></p>\n<p class=\"where\">")
    if let entry = place.entry, !entry.isEmpty { text.put("<code><bdi>\(entry.markup)</bdi></code> ") }
    if !place.isWholeEntry {
      text.put("<code><bdi>\(place.pointer.isEmpty ? "(root)" : place.pointer.markup)</bdi></code> ")
      text.put("<span>byte \(place.offset.grouped)</span> ")
    }
    if let key = finding.record?.key, !results.isRedacted { text.put("<span>key <code><bdi>\(key.markup)</bdi></code></span> ") }
    if let excerpt = finding.excerpt { text.put("<span>found <code><bdi>\(excerpt.markup)</bdi></code></span>") }
    text.put("</p></div></li>\n")
  }

  // MARK: Words

  private static func heading(_ severity: Severity) -> String {
    switch severity {
    case .note: "Notes"
    case .warning: "Warnings"
    case .error: "Errors"
    }
  }

  /// An anchor that depends only on the file's number and the code.
  private static func id(of code: String, inFile number: Int) -> String {
    var id = "f\(number)."
    for scalar in code.unicodeScalars {
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar == "-" || ("0"..."9").contains(scalar))
      id += isPlain ? String(scalar) : "_" + String(scalar.value, radix: 16) + "_"
    }
    return id
  }
}

extension HTMLPage.Outcome {
  init(_ verdict: Verdict) {
    self =
      switch verdict {
      case .valid: .valid
      case .invalid: .invalid
      case .unreadable: .unreadable
      }
  }
}
