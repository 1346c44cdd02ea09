import ByteStreams
import Digests
import Findings
import JSONEvents
import Rules

extension ValidationReport {
  /// An unknown format as a finding: most formats of reports have no other place for it.
  private var formatFinding: Finding? {
    guard let formatProblem else { return nil }
    let names = candidates.map(\.name).joined(separator: ", ")
    let message =
      switch formatProblem {
      case .unknown: "unknown format, so no rules were applied" + (names.isEmpty ? "" : "; the closest: \(names)")
      case .ambiguous: "several formats fit, so no rules were applied: \(names)"
      }
    return Finding(
      code: formatProblem.rawValue, keyword: "backup", severity: .error, message: message,
      place: .start, schemaLocation: "")
  }

  /// The findings in document order, after one for an unknown format.
  var reportedFindings: FlattenSequence<[[Finding]]> { [[formatFinding].compactMap(\.self), findings].joined() }

  /// The numbers of these findings and of those that were only counted.
  var reportedCounts: FindingCounts {
    var counts = counts
    if let formatFinding { counts.add(severity: formatFinding.severity, code: formatFinding.code) }
    return counts
  }

  /// The file's name for reports that want a relative path: without `.`, `..` and empty segments, as far as possible; `stdin` for
  /// standard input.
  var reportedPath: String {
    if isStandardInput { return "stdin" }
    // The name of a file on a server.
    if file.contains("://") { return file }
    let isAbsolute = file.unicodeScalars.first == "/"
    let segments = file.pathSegments
    return segments.isEmpty ? file : (isAbsolute ? "/" : "") + segments.joined(separator: "/")
  }
}

extension ValidationResults {
  /// The results with the paths of files below ``folder`` relative to it.
  var relativeToFolder: ValidationResults {
    guard let folder = folder?.pathSegments else { return self }
    var results = self
    for index in reports.indices where reports[index].file.unicodeScalars.first == "/" {
      let segments = reports[index].file.pathSegments
      if segments.count > folder.count, segments.starts(with: folder) {
        results.reports[index].file = segments.dropFirst(folder.count).joined(separator: "/")
      }
    }
    return results
  }
}

extension String {
  /// The names in a path, without those that `..` leaves again. Symbolic links are not followed, and neither do readers of reports.
  fileprivate var pathSegments: [String] {
    let isAbsolute = unicodeScalars.first == "/"
    var segments: [String] = []
    // Not by characters: a slash before a combining mark is part of another one.
    for segment in unicodeScalars.split(separator: "/").map(String.init) where segment != "." {
      if segment == "..", segments.last.map({ $0 != ".." }) ?? isAbsolute {
        _ = segments.popLast()
      } else {
        segments.append(segment)
      }
    }
    return segments
  }
}

extension Place {
  /// The line, or `nil` if it doesn't fit in 32 bits, which many readers of reports use. Also `nil` for a whole entry.
  var line32: Int? { isWholeEntry ? nil : Int32(exactly: line).map(Int.init) }
}

extension ValidationReport {
  /// True if the document isn't a file. The command calls it `standard input`, and `-` is its name as an argument.
  var isStandardInput: Bool { file == "-" || file == FileSource.standardInputName }
}

extension CofferError {
  /// The message with the byte offset, which these reports have no member for.
  var messageWithByte: String { messageWithEntry + (place.position.map { ", byte \($0.offset)" } ?? "") }
}

/// Chooses the findings for a report that may list only some (`FairChoice`): a share for every rule of every document, errors first.
/// Findings that a baseline accepts come last.
struct FindingQuota {
  /// The chosen findings of each document, in document order.
  private(set) var findings: [[Finding]]
  /// The number of findings that are left out, including those that were only counted.
  let leftOut: Int

  /// - Parameter severity: the severity of the findings to choose from, or `nil` for all.
  init(_ reports: [ValidationReport], limit: Int, only severity: Severity? = nil) {
    findings = reports.map { _ in [] }
    var left = limit
    for isAccepted in [false, true] {
      var groups: [Group: [Finding]] = [:]
      for (index, report) in reports.enumerated() {
        for finding in report.reportedFindings where finding.isAccepted == isAccepted {
          if severity.map({ $0 == finding.severity }) ?? true {
            groups[Group(report: index, rule: finding.rule), default: []].append(finding)
          }
        }
      }
      let sorted = groups.sorted { ($0.key.report, $0.key.rule) < ($1.key.report, $1.key.rule) }
      let shares = FairChoice.shares(
        of: left, among: sorted.map { ($0.key.rule.severity, $0.value.count) })
      for ((group, all), share) in zip(sorted, shares) {
        findings[group.report] += all.fairChoice(ofRule: share)
      }
      left = limit - findings.reduce(0) { $0 + $1.count }
    }
    for index in findings.indices { findings[index].sort() }
    let total = reports.reduce(0) { sum, report in
      sum + (severity.map(report.reportedCounts.count) ?? report.reportedCounts.total)
    }
    leftOut = total - findings.reduce(0) { $0 + $1.count }
  }

  private struct Group: Hashable {
    let report: Int
    let rule: FindingRule
  }
}

/// Computes names of findings that stay the same when lines and records move.
///
/// A name is a digest of the file and the finding's identity. Findings that agree in both are numbered in document order.
///
/// Memory: about 32 bytes for each name, so it is meant for reports with a limit.
struct FingerprintMaker {
  private let isRedacted: Bool
  private var file = ""
  private var occurrences: [UInt64: Int] = [:]

  init(isRedacted: Bool) { self.isRedacted = isRedacted }

  /// The following findings are about this file.
  mutating func beginFile(_ path: String) { file = path }

  /// Returns 16 hexadecimal digits, and the number of the finding among those with the same digits, from 1.
  mutating func fingerprint(of finding: Finding) -> (digest: String, occurrence: Int) {
    let identity = [file, finding.place.entry ?? "", finding.code] + place(of: finding.identity)
    // Lengths keep the parts apart, whatever they contain.
    let bytes = Array(identity.map { "\($0.utf8.count):\($0)" }.joined().utf8)
    let digest = String(MessageDigest.text(of: bytes, by: .sha256).prefix(16))
    let number = UInt64(digest, radix: 16) ?? 0
    let occurrence = occurrences[number, default: 0] + 1
    occurrences[number] = occurrence
    return (digest, occurrence)
  }

  private func place(of identity: FindingIdentity) -> [String] {
    guard let collection = identity.collection else { return [identity.pointer] }
    return [collection, isRedacted ? "" : identity.key ?? "", identity.pointer]
  }
}

extension JSONEventWriter {
  /// Drains the text like `drain`, but escapes characters that control a terminal.
  mutating func drainPrintable(to sink: inout some ByteSink) throws(CofferError) {
    var memory = MemorySink()
    try drain(to: &memory)
    // The buffer ends between tokens, so no character is split.
    if !memory.bytes.isEmpty { try sink.write(String(decoding: memory.bytes, as: UTF8.self).printableJSON) }
  }

  /// Flushes the text like `flush`, but escapes characters that control a terminal.
  mutating func flushPrintable(to sink: inout some ByteSink) throws(CofferError) {
    var memory = MemorySink()
    try flush(to: &memory)
    if !memory.bytes.isEmpty { try sink.write(String(decoding: memory.bytes, as: UTF8.self).printableJSON) }
  }
}

extension JSONEventWriter {
  mutating func member(_ name: String, _ text: String) {
    key(name)
    string(text)
  }

  mutating func member(_ name: String, _ number: Int) {
    key(name)
    integer(Int64(number))
  }
}
