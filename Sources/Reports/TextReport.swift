package import ByteStreams
import Coffer
public import Findings

/// Findings for people: one line per finding, with a location that editors and terminals can open, its pointer below, and a
/// summary by rule.
///
///     export.json:18062:17: error: carId 99 refers to no record of /cars [foreign-key]
///         /expenses/1204/carId, byte 4194311
///
/// Control characters in a document's keys and values never reach the terminal.
public struct TextReport: Sendable {
  /// True if severities are coloured (ANSI escape sequences).
  public var usesColor = false
  /// True if the summary ends with sizes and times.
  public var showsMeasures = true
  /// The part of the results that is shown.
  public var extent = Extent.everything

  public enum Extent: Sendable {
    case everything
    /// Only files that fail.
    case failures
    /// Only counts, without findings.
    case counts
  }

  /// What a reader can do, by the code of what it is about: `no-rules`, `not-shown`, `ambiguous`, `unrecognised`, `undetected`,
  /// `imported-findings`, `migrated-findings`, `drafted-rules`. Empty: reports don't say it, because only a program knows its options.
  public var hints: [String: String] = [:]
  /// The columns of the terminal, in which tables and lists must fit. If `nil`, lines are as long as their values. Findings are
  /// always whole lines.
  public var width: Int?

  /// Reads documents again, to show the lines of findings on a terminal.
  package var source: SourceReader?

  public init() {}

  /// Returns the report on one document.
  public func text(of report: ValidationReport) -> String {
    text(of: report, in: ValidationResults([report], toolVersion: ""))
  }

  private func text(of report: ValidationReport, in results: ValidationResults) -> String {
    var text = ""
    for finding in report.findings where !finding.isAccepted && extent != .counts { text += line(for: finding, in: report.file) }
    if let error = report.error { text += line(for: error, in: report.file) }
    return report.isOfNothing ? text : text + summary(of: report, results)
  }

  /// Returns the reports on several documents, and a last line about all of them: `2 of 3 files are not valid: 4 errors, 1 warning`.
  public func text(of results: ValidationResults) -> String {
    let shown = extent == .failures ? results.reports.filter { $0.verdict != .valid } : results.reports
    var parts = shown.map { text(of: $0, in: results) }
    if results.reports.count > 1, extent != .failures || !shown.isEmpty {
      let new = results.reports.reduce(into: FindingCounts()) { $0.merge($1.newCounts) }
      let known = results.reports.reduce(0) { $0 + $1.acceptedCounts.total }
      parts.append("\(results.sentence): \(Self.words(new, known: known))\n")
    }
    if results.failsByRules, let note = results.notAppliedNote { parts.append("the run fails: \(note.printable)\n") }
    return parts.joined(separator: "\n")
  }

  /// `1 error, 2 warnings, 3 known`; `no new findings, 3 known`
  private static func words(_ new: FindingCounts, known: Int) -> String {
    if known == 0 { return new.words }
    return "\(new.total == 0 ? "no new findings" : new.words), \(known.grouped) known"
  }

  private func line(for finding: Finding, in file: String) -> String {
    let place = finding.place
    let start = file.printable + (place.isWholeEntry ? "" : ":\(place.line):\(place.column)")
    let line = "\(start): \(colored(finding.severity)): \(finding.message.printable) [\(finding.code.printable)]\n"
    let source = sourceLines(at: place, in: file)
    if source.isEmpty { return "\(line)    \(place.description)\n" }
    let key = finding.record?.key.map { ", key \($0.printable)" } ?? ""
    let rule = finding.schemaLocation.isEmpty ? "" : "    rule \(finding.schemaLocation.printable)\n"
    return "\(line)\(source)    \(place.description)\(key)\n\(rule)"
  }

  package func line(for error: CofferError, in file: String) -> String {
    var place = file.printable
    var offset = ""
    if let position = error.place.position {
      place += ":\(position.line):\(position.column)"
      offset = ", byte \(position.offset)"
    }
    let source = error.place.entry == nil ? error.place.position.map { sourceLines(at: Place(at: $0), in: file) } ?? "" : ""
    return "\(place): \(paint("error", .error)): \(error.messageWithEntry.printable) [\(error.code.rawValue)]\(offset)\n\(source)"
  }

  private func summary(of report: ValidationReport, _ results: ValidationResults) -> String {
    var text = "\(report.file.printable): "
    if report.error != nil {
      text += "not read completely"
      if report.counts.total > 0 { text += "; before that " + report.counts.words }
    } else if let problem = report.formatProblem {
      text += "well-formed; " + (problem == .unknown ? "unknown format" : "several formats fit")
      if report.counts.total > 0 { text += "; " + report.counts.words }
    } else {
      text += report.counts.total == 0 ? "valid" : Self.words(report.newCounts, known: report.acceptedCounts.total)
    }
    if let format = report.format {
      text += " (\(format.printable)\(report.version.map { " \($0.printable)" } ?? "")"
      text += "\(report.dialect.map { ": \($0.printable)" } ?? ""))"
    }
    text += "\n"
    if report.format == nil { text += candidates(of: report) }
    if report.error == nil, report.formatProblem != nil {
      text += "  not valid: no rules were applied\(hint("no-rules"))\n"
    }
    let rules = results.summaries(of: report, listing: report.findings, limit: 0)
    // An unknown format has been reported.
    text += rows(for: rules.filter { $0.rule.code != report.formatProblem?.rawValue })
    if let resolved = report.resolved, resolved.count > 0 { text += self.text(of: resolved) }
    let notShown = report.newCounts.total - report.findings.count { !$0.isAccepted }
    if notShown > 0, extent != .counts {
      let reason =
        report.findingsExceedMemory
        ? ": finding details may take at most \(FindingCollector.memoryLimit >> 20) MiB"
        : hint("not-shown", ": ")
      text += "  \(notShown.counted("finding")) not shown\(reason)\n"
    }
    for note in [report.undecidedNote].compactMap(\.self) + report.notes { text += "  \(note.printable)\n" }
    if report.error?.isDamage == true, report.records > 0, report.container == nil, let remedy = hints["damaged"] {
      text += "  \(remedy)\n"
    }
    if report.error == nil, report.formatProblem == nil, let note = report.policy.note {
      text += "  \(report.isValid ? "valid" : "not valid"). \(note.printable)\n"
    }
    if !report.leftOut.isEmpty { text += "  not validated: \(report.leftOut.map(\.printable).joined(separator: ", "))\n" }
    return showsMeasures ? text + "  " + Self.measure(report) + "\n" : text
  }

  /// Returns a line for each rule: `12  error    maximum  /expenses/*/cost: at most 10000`.
  private func rows(for rules: [RuleSummary]) -> String {
    let shown = rules.prefix(Self.ruleLimit)
    let numberWidth = shown.map { $0.count.grouped.count }.max() ?? 0
    func name(of rule: RuleSummary) -> String {
      rule.rule.code.printable + (rule.known > 0 ? " (\(rule.known.grouped) known)" : "")
    }
    let codeWidth = min(32, shown.map { name(of: $0).columns }.max() ?? 0)
    var text = ""
    for rule in shown {
      let number = rule.count.grouped
      let severity = rule.rule.severity.rawValue
      let code = name(of: rule)
      let start = "  \(Self.blanks(numberWidth - number.count))\(number)  "
      let label = "\(start)\(severity)\(Self.blanks(7 - severity.count))  \(code)"
      let title = Self.title(of: rule)
      let line = title.isEmpty ? label + "\n" : self.line("\(label)\(Self.blanks(codeWidth - code.columns))  ", title)
      text += start + paint(severity, rule.rule.severity) + line.dropFirst((start + severity).count)
    }
    let rest = rules.dropFirst(Self.ruleLimit)
    if !rest.isEmpty {
      let findings = rest.reduce(0) { $0 + $1.count }
      text += "  \(findings.counted("finding")) of \(rest.count.counted("more rule"))\n"
    }
    return text
  }

  /// `/expenses/*/cost: at most 10000 (of 1,204,331 values, first at 4423:13)`
  private static func title(of rule: RuleSummary) -> String {
    let words = rule.words.map { $0.printable.cut(toColumns: 60) }
    let title = [rule.place.printable, words ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
    let facts = [
      rule.population.map { "of \($0)" },
      rule.first.map { "\(rule.count == 1 ? "" : "first ")at \($0.line):\($0.column)" },
    ].compactMap(\.self)
    return [title, facts.isEmpty ? "" : "(\(facts.joined(separator: ", ")))"].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The rules that a summary lists.
  private static let ruleLimit = 40

  /// Returns the baseline's findings that were not found again: the first ones, and the number of the others.
  private func text(of resolved: ResolvedFindings) -> String {
    var text = "  \(resolved.count.grouped) resolved: remove \(resolved.count == 1 ? "it" : "them") from the baseline\n"
    let shown = resolved.entries.prefix(10)
    for entry in shown {
      let identity = entry.identity
      let record = identity.collection.map { "\($0)\(identity.key.map { " \($0)" } ?? "") " } ?? ""
      text += "    \(identity.code.printable): \(record.printable)\((identity.pointer).printable)\n"
    }
    let others = resolved.count - shown.reduce(0) { $0 + $1.count }
    return others > 0 ? text + "    \(others.grouped) more\n" : text
  }

  /// Returns the possible formats of the document, if its format was not determined.
  private func candidates(of report: ValidationReport) -> String {
    var text = ""
    for candidate in report.candidates {
      text += "  \(candidate.missing.isEmpty ? "may be" : "is like") \(candidate.name.printable): "
      text += candidate.reasons.joined(separator: ", ").printable
      if !candidate.missing.isEmpty { text += "; but " + candidate.missing.joined(separator: ", ").printable }
      text += "\n"
    }
    return text
  }

  /// Formats sizes and time: `1,048,576 bytes, 4,711 records in 0.31 s (322 MB/s)`.
  private static func measure(_ report: ValidationReport) -> String {
    var text = "\(report.bytes.counted("byte")), \(report.records.counted("record"))"
    if let container = report.container {
      text += ", \(container.entries.counted("entry", "entries")) of \(container.bytes.counted("byte"))"
    }
    guard report.seconds > 0 else { return text }
    text += " in \(duration(report.seconds))"
    let hundredths = Int((report.seconds * 100).rounded())
    let bytes = max(report.bytes, report.container?.bytes ?? 0)
    // A rate over a few milliseconds, or for a tiny document, is meaningless.
    if hundredths > 1, bytes >= 1_000_000 { text += " (\(Int(Double(bytes) / report.seconds / 1e6).grouped) MB/s)" }
    return text
  }

  /// `0.31 s`
  static func duration(_ seconds: Double) -> String {
    let hundredths = Int((min(seconds, 1e9) * 100).rounded())
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
  }

  /// Returns a table that fits the terminal.
  package func text(of table: TextTable, by steps: [TextTable.Narrowing]) -> String {
    width.map { table.text(fitting: $0, by: steps) } ?? table.text
  }

  /// Returns a line that continues below `text` if the terminal is too narrow.
  package func line(_ label: String, _ text: String) -> String {
    text.wrapped(after: label, columns: width).map { $0 + "\n" }.joined()
  }

  /// Returns the hint for a code after a separator, if there is one.
  package func hint(_ code: String, _ separator: String = "; ") -> String { hints[code].map { separator + $0 } ?? "" }

  /// Returns `count` spaces; none if it is negative.
  package static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

  private func colored(_ severity: Severity) -> String { paint(severity.rawValue, severity) }

  package func paint(_ text: String, _ severity: Severity) -> String {
    guard usesColor else { return text }
    let color =
      switch severity {
      case .error: "31"
      case .warning: "33"
      case .note: "36"
      }
    return "\u{1B}[\(color)m\(text)\u{1B}[0m"
  }
}

extension ValidationReport {
  /// True if nothing could be read: for example, because the file can't be opened. Its error says it all.
  fileprivate var isOfNothing: Bool { bytes == 0 && counts.total == 0 && error.map { $0.place.position == nil } == true }
}

/// The line of a document below a finding on a terminal, with a marker below the value:
///
///     18062 |       "carId": 99, "cost": 12.5
///           |                ^^
///
/// A long line is shown around the value. Control characters are escaped, like all texts of documents.
extension TextReport {
  /// Reads a part of a document, or returns `nil` if it can't be read again: standard input, compressed files.
  package typealias SourceReader = @Sendable (_ file: String, _ range: Range<Int>) -> [UInt8]?

  /// The most bytes before and after the value's start that are looked at.
  private static let reach = 600

  /// Returns the two lines, or nothing if the document's text isn't available.
  func sourceLines(at place: Place, in file: String) -> String {
    guard let source, let width, place.entry == nil, place.offset >= 0 else { return "" }
    let start = max(0, place.offset - Self.reach)
    guard let bytes = source(file, start..<place.offset + Self.reach), place.offset - start < bytes.count else { return "" }
    let value = place.offset - start
    let isBreak = { (byte: UInt8) in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    let lineStart = bytes[..<value].lastIndex(where: isBreak).map { $0 + 1 }
    let lineEnd = bytes[value...].firstIndex(where: isBreak) ?? bytes.count
    // Of a value of several lines, the first one is marked, and of an unknown end, the start.
    let valueEnd = max(value, min(place.end.map { $0.offset - start } ?? value + 1, lineEnd))
    let label = "\(place.line) | "
    let room = max(20, width - label.columns - 4)
    var before = Self.text(bytes[(lineStart ?? 0)..<value])
    let marked = Self.text(bytes[value..<valueEnd]).cut(toColumns: room / 2)
    // What is cut at the start is less important than what is near.
    if lineStart == nil && start > 0 || before.columns > room / 2 { before = before.end(inColumns: room / 2) }
    let after = Self.text(bytes[valueEnd..<lineEnd]).cut(toColumns: room - before.columns - marked.columns)
    let blank = Self.blanks(label.columns - 2)
    let marker = String(repeating: "^", count: max(1, marked.columns))
    return "    \(label)\(before)\(marked)\(after)\n    \(blank)| \(Self.blanks(before.columns))\(marker)\n"
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    // A tab has a width that only the terminal knows.
    String(decoding: bytes.map { $0 == UInt8(ascii: "\t") ? UInt8(ascii: " ") : $0 }, as: UTF8.self).printable
  }
}

extension String {
  /// Returns the end of the text with an ellipsis before it, in as many columns as there are.
  fileprivate func end(inColumns limit: Int) -> String {
    let reversed = String(reversed())
    return "…" + String(reversed.cut(toColumns: max(1, limit)).dropLast().reversed())
  }
}
