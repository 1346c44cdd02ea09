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
  package var verdict: Verdict { error != nil ? .unreadable : isValid ? .valid : .invalid }
}

extension ValidationResults {
  /// The verdict on all documents: that on the worst one.
  var verdict: Verdict { reports.map(\.verdict).max() ?? .valid }

  /// `2 of 3 files are invalid, 1 could not be read completely`
  var sentence: String {
    let verdicts = reports.map(\.verdict)
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
