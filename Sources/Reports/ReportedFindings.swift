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
  var line32: Int32? { isWholeEntry ? nil : Int32(exactly: line) }
}

extension ValidationReport {
  /// True if the document isn't a file. The command calls it `standard input`, and `-` is its name as an argument.
  var isStandardInput: Bool { file == "-" || file == FileSource.standardInputName }
}

extension CofferError {
  /// The message with the byte offset, which these reports have no member for.
  var messageWithByte: String { messageWithEntry + (place.position.map { ", byte \($0.offset)" } ?? "") }
}
