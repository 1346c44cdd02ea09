public import Findings

/// Findings for people: a line a finding that editors and terminals can jump to, the pointer below it, and a summary by rule.
///
///     export.json:18062:17: error: no record of /cars has the carId 99 that this one refers to [foreign-key]
///         /expenses/1204/carId, byte 4194311
///
/// Whatever a document puts into its keys and values, no control character of it reaches the terminal.
public struct TextReport: Sendable {
  /// Whether severities are coloured (ANSI escape sequences).
  public var usesColor = false
  /// Whether the summary ends with sizes and times.
  public var showsMeasures = true

  public init() {}

  /// The report on one document.
  public func text(of report: ValidationReport) -> String {
    var text = ""
    for finding in report.findings { text += line(for: finding, in: report.file) }
    if let error = report.error { text += line(for: error, in: report.file) }
    return text + summary(of: report)
  }

  private func line(for finding: Finding, in file: String) -> String {
    let place = finding.place
    let pointer = place.pointer.isEmpty ? "the root" : place.pointer.printable
    return """
      \(file.printable):\(place.line):\(place.column): \(colored(finding.severity)): \(finding.message.printable) [\(finding.code.printable)]
          \(pointer), byte \(place.offset)

      """
  }

  private func line(for error: DocumentError, in file: String) -> String {
    var place = file.printable
    var offset = ""
    if let position = error.position {
      place += ":\(position.line):\(position.column)"
      offset = ", byte \(position.offset)"
    }
    return "\(place): \(paint("error", .error)): \(error.message.printable) [\(error.code)]\(offset)\n"
  }

  private func summary(of report: ValidationReport) -> String {
    var text = "\(report.file.printable): "
    if report.error != nil {
      text += "not read to its end"
      if report.counts.total > 0 { text += "; before that place " + totals(of: report.counts) }
    } else {
      text += report.counts.total == 0 ? "sound" : totals(of: report.counts)
    }
    if let format = report.format {
      text += " (\(format.printable)\(report.version.map { " \($0.printable)" } ?? ""))"
    } else if report.error == nil {
      text += " (its format is unknown: checked for well-formedness alone)"
    }
    text += "\n"
    let rows = report.counts.byRule.sorted { $0.key < $1.key }
    let width = rows.map { Self.grouped($0.value).count }.max() ?? 0
    for (key, count) in rows {
      let number = Self.grouped(count)
      let severity = key.severity.rawValue
      text += "  \(Self.blanks(width - number.count))\(number)  \(paint(severity, key.severity))"
      text += "\(Self.blanks(7 - severity.count))  \(key.code.printable)\n"
    }
    if report.notShown > 0 {
      text += "  \(Self.grouped(report.notShown)) more than are shown: --max-findings shows more\n"
    }
    return showsMeasures ? text + "  " + Self.measure(report) + "\n" : text
  }

  private func totals(of counts: FindingCounts) -> String {
    let parts = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = counts.count(severity)
      return count == 0 ? nil : "\(Self.grouped(count)) \(severity)\(count == 1 ? "" : "s")"
    }
    return parts.joined(separator: ", ")
  }

  /// `1,048,576 bytes, 4,711 records in 0.31 s (322 MB/s)`
  private static func measure(_ report: ValidationReport) -> String {
    var text = "\(grouped(report.bytes)) bytes, \(grouped(report.records)) records"
    guard report.seconds > 0 else { return text }
    let hundredths = Int((report.seconds * 100).rounded())
    text += " in \(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
    // A rate over a few milliseconds says nothing.
    if hundredths > 1 { text += " (\(grouped(Int(Double(report.bytes) / report.seconds / 1e6))) MB/s)" }
    return text
  }

  /// Digits in groups of three.
  static func grouped(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  static func blanks(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

  private func colored(_ severity: Severity) -> String { paint(severity.rawValue, severity) }

  private func paint(_ text: String, _ severity: Severity) -> String {
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

extension String {
  /// With control characters, and those that turn the direction of text, written as `\u{…}`.
  var printable: String {
    guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isUnprintable {
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var isUnprintable: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
