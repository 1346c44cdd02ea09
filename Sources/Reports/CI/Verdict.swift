package import Findings

/// The consequence of a document's findings for the run.
package enum Verdict: String, Comparable {
  case valid
  case invalid
  /// The document couldn't be read to its end.
  case unreadable

  package static func < (a: Verdict, b: Verdict) -> Bool { a.rank < b.rank }

  private var rank: Int {
    switch self {
    case .valid: 0
    case .invalid: 1
    case .unreadable: 2
    }
  }

  /// The verdict in a table.
  var words: String {
    switch self {
    case .valid: "valid"
    case .invalid: "not valid"
    case .unreadable: "not read completely"
    }
  }
}

extension ValidationReport {
  /// What the findings don't tell about a document that was not read completely.
  var undecidedNote: String? {
    error == nil || format == nil ? nil : "rules that need the whole document, such as references, were not decided"
  }
}

extension ValidationReport {
  /// True if a rule about the keys or the order of records met an object where it expects their array.
  func isUnchecked(_ rule: FindingRule) -> Bool {
    counts.byRule.keys.contains { unchecked in
      guard unchecked.code == "not-checked", rule.code != "not-checked" else { return false }
      if unchecked.schemaLocation == rule.schemaLocation { return true }
      // One finding is about all keywords of the schema; one at a reference may be about its target instead.
      guard let (schema, keyword) = unchecked.recordKeyword, keyword != "foreignKeys" else { return false }
      return rule.recordKeyword?.schema == schema
    }
  }

  /// `no rules for /people (1,204 records)`: the collections that no rule is about. `nil` if there are none, or if not all places of rules are
  /// known.
  var uncheckedNote: String? {
    let rules = checkedRules.filter { !$0.schemaLocation.isEmpty }
    guard error == nil, format != nil, leftOut.isEmpty, !rules.isEmpty,
      rules.allSatisfy({ 1..<CheckedRule.placeLimit ~= $0.places.count })
    else {
      return nil
    }
    let places = Set(rules.flatMap(\.places)).map { $0.split(separator: "/", omittingEmptySubsequences: false) }
    let unchecked = collections.filter { collection in
      let tokens = collection.pointer.split(separator: "/", omittingEmptySubsequences: false)
      return collection.records > 0
        && !places.contains { $0.count >= tokens.count && zip($0, tokens).allSatisfy { $0 == "*" || $0 == $1 } }
    }
    if unchecked.isEmpty { return nil }
    let names = unchecked.prefix(5).map { "\($0.pointer.isEmpty ? "the root" : $0.pointer) (\($0.records.counted("record")))" }
    return "no rules for " + names.joined(separator: ", ")
      + (unchecked.count > 5 ? " and \((unchecked.count - 5).grouped) more" : "")
  }
}

extension FindingRule {
  /// The schema and the keyword that needs an array of records: `("/properties/cars", "uniqueKeys")`. `nil` for other rules.
  fileprivate var recordKeyword: (schema: Substring, keyword: Substring)? {
    var tokens = schemaLocation.split(separator: "/", omittingEmptySubsequences: false)
    if let last = tokens.last, String(last).mayBeIndex { tokens.removeLast() }
    guard let keyword = tokens.last, ["primaryKey", "uniqueKeys", "foreignKeys", "sortedBy"].contains(keyword) else { return nil }
    return (schemaLocation[..<keyword.startIndex], keyword)
  }
}

extension ValidationResults {
  /// The number of rules that are not applied, and the first of them: `rules.json: 6 rules are not applied, first at 17:11: …`. `nil` if
  /// all are.
  var notAppliedNote: String? {
    guard let warnings = ruleWarnings, warnings.notApplied > 0 else { return nil }
    let count = warnings.notApplied.counted("rule is", "rules are")
    let first = warnings.findings.first { $0.severity > .note }.map {
      ", first at \($0.place.line):\($0.place.column): \($0.message)"
    }
    return "\(warnings.file): \(count) not applied" + (first ?? "")
  }

  /// True if warnings fail, and rules that are not applied are warnings.
  package var failsByRules: Bool { (ruleWarnings?.notApplied ?? 0) > 0 && policy.severity <= .warning }

  package func verdict(on report: ValidationReport) -> Verdict {
    if report.error != nil { return .unreadable }
    return report.isValid ? .valid : .invalid
  }

  /// The verdict on all documents: that on the worst one.
  var verdict: Verdict { reports.map(verdict(on:)).max() ?? .valid }

  /// `2 of 3 files are invalid, 1 could not be read completely`
  var sentence: String {
    let verdicts = reports.map(verdict(on:))
    let invalid = verdicts.count { $0 == .invalid }
    let unreadable = verdicts.count { $0 == .unreadable }
    if reports.count == 1 {
      switch verdict {
      case .valid: return "The file is valid"
      case .invalid: return "The file is not valid"
      case .unreadable: return "The file could not be read completely"
      }
    }
    if invalid + unreadable == 0 { return reports.isEmpty ? "No files were validated" : "All \(reports.count) files are valid" }
    var parts: [String] = []
    let all = reports.count.grouped
    if invalid > 0 { parts.append("\(invalid.grouped) of \(all) files \(invalid == 1 ? "is" : "are") not valid") }
    if unreadable > 0 {
      let subject = invalid > 0 ? unreadable.grouped : "\(unreadable.grouped) of \(all) files"
      parts.append("\(subject) could not be read completely")
    }
    return parts.joined(separator: ", ")
  }

  /// The findings of all documents.
  var counts: FindingCounts {
    reports.reduce(into: FindingCounts()) { $0.merge($1.reportedCounts) }
  }
}

extension FailurePolicy {
  /// What makes a file invalid, if that isn't the default: `Warnings make a file invalid, too. Tolerated: at most 3 order.`
  var note: String? {
    var notes: [String] = []
    switch severity {
    case .error: break
    case .warning: notes.append("Warnings make a file invalid, too.")
    case .note: notes.append("Warnings and notes make a file invalid, too.")
    }
    let tolerated = tolerances.sorted { $0.key < $1.key }.map { code, tolerance in
      switch tolerance {
      case .count(let limit): "at most \(limit.grouped) \(code)"
      case .share: "\(code) in at most \(tolerance.text) of the records"
      }
    }
    if !tolerated.isEmpty { notes.append("Tolerated: \(tolerated.joined(separator: ", ")).") }
    return notes.isEmpty ? nil : notes.joined(separator: " ")
  }
}

extension FindingCounts {
  /// `1,235 errors, 1 warning`; `no findings`
  var words: String {
    let parts = Severity.mostSevereFirst.compactMap { severity -> String? in
      let count = count(severity)
      return count == 0 ? nil : count.counted(severity.rawValue)
    }
    return parts.isEmpty ? "no findings" : parts.joined(separator: ", ")
  }
}
