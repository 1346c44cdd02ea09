public import Coffer
import Findings

extension TextReport {
  /// Returns what a recovery left out, and the result of validating what it wrote.
  ///
  ///     damaged.json:18:5: left out 512 bytes of /cars/3: a byte that JSON doesn't allow [syntax], byte 4096
  ///     damaged.json: left out 1 part, 512 of 1,048,576 bytes; repaired 2 separators
  ///     recovered.json: valid (ev-charging-tracker 9), …
  ///
  /// - Parameters:
  ///   - output: the recovered document's name, or `nil` if it was not written.
  ///   - results: those on the recovered document.
  public func text(of report: RecoveryReport, writtenTo output: String?, _ results: ValidationResults) -> String {
    var text = lines(for: report)
    text += report.failures.map { line(for: $0, in: report.file) }.joined()
    if report.failureCount > report.failures.count {
      text += "… \((report.failureCount - report.failures.count).counted("more error"))\n"
    }
    text += report.archiveFaults.map { fault in
      let what = fault.place.entry.map { "\($0.printable): " } ?? ""
      return "\(report.file.printable): \(what)\(fault.message.printable) [\(fault.code.rawValue)]\n"
    }.joined()
    if report.archiveFaultCount > report.archiveFaults.count {
      text += "… \((report.archiveFaultCount - report.archiveFaults.count).counted("more error"))\n"
    }
    text += "\(report.file.printable): \(words(for: report))\n"
    if let count = report.fileCount, count > 0, report.isEmpty || output != nil && !report.writesFiles {
      let reason = report.isEmpty ? "without its document" : "only a .zip can hold more than the document"
      text += "not recovered: \(count.counted("other file")) of the archive; \(reason)\n"
    }
    if report.isEmpty { return text }
    if report.isHeadless { text += "the document's beginning is lost: the records are written as an array without a name\n" }
    if report.isUnfinished { text += "not all records with errors were found: recover the result again\n" }
    var results = results
    for index in results.reports.indices {
      results.reports[index].file = output.map { $0 == "-" ? "standard output" : $0 } ?? "the result"
    }
    var summary = self
    if extent == .everything { summary.extent = .counts }
    text += summary.text(of: results)
    return output == nil ? text + "nothing was written\n" : text
  }

  /// Returns a line for each part that was left out or repaired.
  package func lines(for report: RecoveryReport) -> String {
    report.leftOut.map { line(for: $0, in: report.file) }.joined()
      + (report.notShown > 0 ? "… \(report.notShown.grouped) more\n" : "")
  }

  private func line(for entry: LeftOut, in file: String) -> String {
    let position = entry.position
    let place =
      entry.pointer.isEmpty ? "" : entry.byteCount == 0 ? " at \(entry.pointer.printable)" : " of \(entry.pointer.printable)"
    let what =
      entry.byteCount == 0
      ? "repaired"
      : entry.reason == .count ? "corrected \(entry.byteCount.counted("byte"))" : "left out \(entry.byteCount.counted("byte"))"
    var words = entry.reason.words
    if let finding = entry.findings.first {
      let inner = finding.place.pointer.dropFirst(entry.pointer.count)
      words = (entry.reason == .reference ? "\(words): " : "") + (inner.isEmpty ? "" : "\(String(inner).printable): ")
      words += finding.message.printable
    }
    if entry.codes.count > 1 || entry.findings.isEmpty && !entry.codes.isEmpty {
      words += " (\(entry.codes.map(\.printable).joined(separator: ", ")))"
    }
    return "\(file.printable):\(position.line):\(position.column): \(what)\(place): \(words)"
      + " [\(entry.reason.rawValue)], byte \(position.offset)\n"
  }

  /// Returns what was left out and repaired.
  package func words(for report: RecoveryReport) -> String {
    if report.isEmpty { return "nothing can be recovered" }
    if report.isUndamaged { return "not damaged" }
    var parts: [String] = []
    if report.lossCount > 0 {
      let invalid = LeftOut.Reason.allCases.compactMap { reason in
        report.invalidCounts[reason].flatMap {
          $0 > 0 ? "\($0.grouped) \(reason == .reference ? "set to null" : reason.rawValue)" : nil
        }
      }
      parts.append(
        "left out \(report.lossCount.counted("part"))\(invalid.isEmpty ? "" : " (\(invalid.joined(separator: ", ")))"), "
          + "\(report.lostBytes.grouped) of \(report.bytes.counted("byte"))")
    }
    if report.nameCount > 0 { parts.append("\(report.nameCount.counted("name")) restored") }
    if report.repairCount > 0 { parts.append("\(report.repairCount.counted("separator")) repaired") }
    if report.correctionCount > 0 { parts.append("\(report.correctionCount.counted("declared number")) corrected") }
    if let count = report.fileCount {
      parts.append("\(count.counted("other file")) of the archive \(count == 1 ? "is" : "are") whole")
    }
    if !report.isLossy, report.correctionCount == 0 { parts.append("nothing is lost") }
    return parts.isEmpty ? "data may be missing" : parts.joined(separator: "; ")
  }
}

extension LeftOut.Reason {
  fileprivate var words: String {
    switch self {
    case .syntax: "a byte that JSON doesn't allow there"
    case .string: "a broken string"
    case .truncated: "it isn't complete"
    case .separator: "a comma or bracket is missing or doubled"
    case .name: "the collection's name is lost"
    case .beforeDocument: "it precedes the document"
    case .afterDocument: "it follows the document"
    case .padding: "zeros after the document"
    case .invalid: "an error in it"
    case .duplicate: "its key is not its own"
    case .dangling: "it refers to no record"
    case .reference: "set to null"
    case .count: "the declared count or sum was wrong"
    }
  }
}
