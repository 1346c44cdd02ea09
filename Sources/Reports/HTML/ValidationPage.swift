import ByteStreams
import Findings

/// Results as one page for people: the verdict and the counts first, then each file with its findings by rule.
struct ValidationPage: WrittenReport {
  /// The findings listed for a rule of a file, and on the whole page. A page of more rows is slow to open.
  private static let ruleLimit = 200
  private static let pageLimit = 10_000
  /// The rules of the page whose findings are listed, and the places of a file whose checks are listed.
  private static let sectionLimit = 2000
  private static let checkLimit = 500

  let results: ValidationResults

  func write(_ text: ReportText) {
    let page = HTMLPage(
      kind: "Coffer validation report", headline: results.sentence, verdict: results.verdict,
      toolVersion: results.toolVersion)
    page.writeStart(
      figures, hints: [results.policy.note, results.notAppliedNote?.shortened(to: 1000)].compactMap(\.self), facts: runFacts,
      text)
    if results.reports.count > 1 { writeOverview(text) }
    let quota = FindingQuota(results.reports, limit: Self.pageLimit)
    var rest = Self.sectionLimit
    for (index, (report, findings)) in zip(results.reports, quota.findings).enumerated() {
      write(report, findings, number: index + 1, rest: &rest, text)
    }
    page.writeEnd(notes: results.isRedacted ? ["The documents’ values are left out."] : [], text)
  }

  /// When, how and how long the documents were validated.
  private var runFacts: [(label: String, text: String)] {
    guard let run = results.run else { return [] }
    let seconds = results.reports.reduce(0) { $0 + $1.seconds }
    var facts = [("Checked", "\(run.date)" + (seconds > 0 ? ", in \(TextReport.duration(seconds))" : ""))]
    let rules = Set(results.reports.compactMap(\.format)).sorted()
    if !rules.isEmpty { facts.append(("Rules", rules.joined(separator: ", ").shortened(to: 500))) }
    if let configuration = results.configuration { facts.append(("Configuration", configuration.shortened(to: 1000))) }
    if run.now != run.date { facts.append(("Time that counted as now", "\(run.now)")) }
    return facts + [("Command", run.command.shortened(to: 1000))]
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

  private func writeOverview(_ text: ReportText) {
    text.put("<section class=\"card overview\">\n<h2 id=\"files\">Files</h2>\n")
    let counted = Severity.mostSevereFirst.map(Self.heading) + ["Records"]
    HTMLPage.writeTableStart(labelledBy: "files", [("File", false), ("Verdict", false)] + counted.map { ($0, true) }, text)
    for (index, report) in results.reports.enumerated() {
      let verdict = report.verdict
      text.put("<tr><th scope=\"row\"><a href=\"#f\(index + 1)\"><bdi>\(report.reportedPath.markup)</bdi></a></th>")
      text.put("<td><span class=\"verdict \(verdict.rawValue)\">\(verdict.words)</span></td>")
      for severity in Severity.mostSevereFirst { text.put(HTMLPage.cell(report.reportedCounts.count(severity))) }
      text.put("\(HTMLPage.cell(report.records, isQuietIfZero: false))</tr>\n")
    }
    text.put("\(HTMLPage.tableEnd)</section>\n")
  }

  // MARK: A file

  private func write(_ report: ValidationReport, _ findings: [Finding], number: Int, rest: inout Int, _ text: ReportText) {
    let verdict = report.verdict
    let counts = report.reportedCounts
    text.put("<section class=\"card file\" id=\"f\(number)\" aria-labelledby=\"f\(number).name\">\n<div class=\"title\">")
    text.put("<h2 id=\"f\(number).name\"><bdi>\(report.reportedPath.markup)</bdi></h2>")
    text.put("<span class=\"verdict \(verdict.rawValue)\">\(verdict.words)</span></div>\n")
    writeFacts(report, text)
    if let error = report.error {
      let findings = counts.total > 0 ? " The findings below are those before that place." : ""
      HTMLPage.writeCallout(error, addition: findings + (report.undecidedNote.map { " Also, \($0)." } ?? ""), text)
    }
    for note in report.notes { text.put("<p class=\"hint\">Note: \(note.markup).</p>\n") }
    let broken = results.summaries(of: report, listing: findings, limit: Self.ruleLimit)
    // One or two findings need no chart.
    if counts.total > 2 { writeRules(broken, number, text) }
    if !broken.isEmpty { text.put("<h3>Findings by rule</h3>\n") }
    let listed = broken.prefix(max(rest, 1))
    rest -= listed.count
    for (index, rule) in listed.enumerated() {
      // A flood stays closed, so that it hides no other rule.
      let isOpen = number == 1 && (rule.findings.count <= 10 || listed.count == 1)
      write(rule, id: Self.id(ofRule: index, inFile: number), isOpen: isOpen, text)
    }
    let others = broken.dropFirst(listed.count)
    if !others.isEmpty {
      let findings = others.reduce(0) { $0 + $1.count }
      text.put("<p class=\"hint\">\(findings.counted("finding")) of \(others.count.counted("more rule")).</p>\n")
    }
    writeChecks(report, isOpen: broken.isEmpty && results.reports.count == 1, text)
    text.put("</section>\n")
  }

  private func writeFacts(_ report: ValidationReport, _ text: ReportText) {
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

  /// What was checked: a table for each collection, and one for the rest of the document.
  private func writeChecks(_ report: ValidationReport, isOpen: Bool, _ text: ReportText) {
    // An incompletely read document may break further rules.
    let rules = report.checkedRules.filter { !($0.expectation ?? "").isEmpty || $0.message != nil }
    guard !rules.isEmpty, report.error == nil else { return }
    let counts = report.counts.byRule.reduce(into: [:]) { $0[$1.key.ofAnySeverity, default: 0] += $1.value }
    text.put("<details class=\"checked\"\(isOpen ? " open" : "")><summary>")
    text.put("<span class=\"label\">What was checked: \(rules.count.counted("rule"))</span></summary>\n<dl>\n")
    var (rest, leftOut) = (Self.checkLimit, 0)
    for group in report.grouped(rules) {
      leftOut += max(0, group.rules.count - rest)
      if rest == 0 { continue }
      let size = group.records?.counted("record") ?? group.rules.count.counted("place")
      text.put("<div class=\"collection\"><dt><bdi>\(group.name.markup)</bdi></dt><dd>\(size)</dd></div>\n")
      for (place, rules) in group.rules.prefix(rest) {
        var words: [String] = []
        for rule in rules {
          let count = counts[rule.rule.ofAnySeverity] ?? 0
          let found = count > 0 ? " <span class=\"\(rule.severity)\">\(count.counted("finding"))</span>" : ""
          let check = "<bdi>\((rule.expectation ?? rule.message ?? rule.code).markup)</bdi>\(found)"
          if !words.contains(check) { words.append(check) }
        }
        // Usually all rules of a place apply to the same values.
        let applied = Set(rules.compactMap(report.values(of:)))
        let range = [applied.min(), applied.count > 1 ? applied.max() : nil].compactMap { $0?.grouped }.joined(separator: " to ")
        let size = range.isEmpty ? "" : " <span class=\"values\">\(range) \(applied == [1] ? "value" : "values")</span>"
        text.put("<div><dt><code>\(place.markup)</code></dt><dd>\(words.joined(separator: "; "))\(size)</dd></div>\n")
      }
      rest = max(0, rest - group.rules.count)
    }
    text.put("</dl>\n")
    if leftOut > 0 { text.put("<p class=\"hint\">\(leftOut.counted("more place")) not listed.</p>\n") }
    text.put("</details>\n")
  }

  /// A bar for each rule, the most severe first.
  private func writeRules(_ rows: [RuleSummary], _ number: Int, _ text: ReportText) {
    let most = rows.map(\.count).max() ?? 1
    text.put("<figure class=\"rules\">\n<figcaption>By rule</figcaption>\n<ul>\n")
    for (index, row) in rows.prefix(8).enumerated() {
      let (key, count) = (row.rule, row.count)
      // Few findings must stay visible next to many.
      let width = max(4, Int((Double(count) / Double(most) * 200).rounded()))
      let name = row.place.isEmpty ? key.code : "\(key.code) \(row.place)"
      text.put("<li><a href=\"#\(Self.id(ofRule: index, inFile: number))\"><bdi>\(name.markup)</bdi></a> ")
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

  private func write(_ rule: RuleSummary, id: String, isOpen: Bool, _ text: ReportText) {
    let (findings, count, severity) = (rule.findings, rule.count, rule.rule.severity)
    text.put("<details class=\"rule\" id=\"\(id)\"\(isOpen ? " open" : "")>\n<summary><span class=\"label\">")
    text.put("<span class=\"tag \(severity)\">\(severity)</span> <code>\(rule.rule.code.markup)</code> ")
    text.put("<span class=\"means\"><bdi>\(rule.title.markup)</bdi></span></span> ")
    text.put("<span class=\"count\">\(rule.share)</span></summary>\n")
    if findings.count < count {
      let listed = findings.isEmpty ? "None" : findings.count.grouped
      text.put(
        "<p class=\"hint\">\(listed) of \(count.counted("finding")) \(findings.count == 1 ? "is" : "are") listed.</p>\n")
    }
    if !findings.isEmpty {
      text.put("<ol>\n")
      for (index, finding) in findings.enumerated() {
        write(finding, id: "\(id).\(index + 1)", text)
      }
      text.put("</ol>\n")
    }
    text.put("</details>\n")
  }

  private func write(_ finding: Finding, id: String, _ text: ReportText) {
    let place = finding.place
    text.put("<li id=\"\(id)\"><a class=\"at\" href=\"#\(id)\">")
    if place.isWholeEntry {
      text.put(place.entry?.isEmpty == true ? "archive" : "entry")
    } else {
      text.put("<span class=\"hidden\">line </span>\(place.line)<span class=\"hidden\">, column </span>")
      text.put("<span class=\"column\">\(place.column)</span>")
    }
    text.put("</a>\n<div><p>")
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

  private static func id(ofRule index: Int, inFile number: Int) -> String { "f\(number).r\(index + 1)" }
}

extension ValidationReport {
  /// The rules about a collection, by their places in it.
  fileprivate struct RuleGroup {
    let name: String
    let records: Int?
    var rules: [(place: String, rules: [CheckedRule])] = []
  }

  /// Returns the rules by collection, in the document's order, then the rules about the rest of the document.
  fileprivate func grouped(_ rules: [CheckedRule]) -> [RuleGroup] {
    var groups = collections.map { RuleGroup(name: $0.pointer.isEmpty ? "the root" : $0.pointer, records: $0.records) }
    groups.append(RuleGroup(name: groups.isEmpty ? "the document" : "the rest of the document", records: nil))
    var indices: [String: Int] = [:]
    func add(_ rule: CheckedRule, at place: String, in group: Int) {
      let key = "\(group) \(place)"
      if let index = indices[key] {
        groups[group].rules[index].rules.append(rule)
      } else {
        indices[key] = groups[group].rules.count
        groups[group].rules.append((place, [rule]))
      }
    }
    for rule in rules {
      if rule.places.isEmpty { add(rule, at: "rule \(rule.schemaLocation)", in: groups.count - 1) }
      for place in rule.places {
        let collection = collections.firstIndex { place == $0.pointer || place.hasPrefix($0.pointer + "/") }
        add(rule, at: place.isEmpty ? "the root" : place, in: collection ?? groups.count - 1)
      }
    }
    return groups.filter { !$0.rules.isEmpty || $0.records != nil }
      .map { group in
        var group = group
        group.rules.sort { $0.place < $1.place }
        return group
      }
  }
}
