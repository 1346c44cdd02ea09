import Findings

/// Draws the distribution of findings over a document: a bar for each part of the document.
///
/// Memory: a few numbers for each of the 60 parts.
struct FindingChart {
  private static let partCount = 60
  private static let height = 60

  /// The numbers of errors, warnings and notes in each part.
  private var parts: [[Int]]
  private let bytes: Int
  private let total: Int
  private var drawn = 0

  init(_ report: ValidationReport) {
    bytes = report.bytes
    total = report.counts.total
    parts = Array(repeating: [0, 0, 0], count: Self.partCount)
    guard bytes > 0 else { return }
    // Offsets in entries of containers are not in the document.
    for finding in report.findings where finding.place.entry == nil {
      let part = Int(Double(finding.place.offset) / Double(bytes) * Double(Self.partCount))
      parts[max(0, min(part, Self.partCount - 1))][Self.row(of: finding.severity)] += 1
      drawn += 1
    }
  }

  private static func row(of severity: Severity) -> Int { Severity.mostSevereFirst.firstIndex(of: severity) ?? 0 }

  func write(_ text: inout ReportText) {
    let most = parts.map { $0.reduce(0, +) }.max() ?? 0
    guard most > 0 else { return }
    let listed = drawn < total ? " (first \(drawn.grouped) findings)" : ""
    text.put("<figure class=\"places\">\n<figcaption>Where in the document\(listed)\(key)</figcaption>\n")
    text.put("<svg viewBox=\"0 0 \(Self.partCount * 10) \(Self.height)\" preserveAspectRatio=\"none\" role=\"img\" ")
    text.put("aria-label=\"\(description(most))\">\n")
    for (index, counts) in parts.enumerated() where counts.reduce(0, +) > 0 {
      // A single finding next to thousands is still two units high.
      var bottom = Self.height
      for (severity, count) in zip(Severity.mostSevereFirst, counts) where count > 0 {
        let height = max(2, Int((Double(count) / Double(most) * Double(Self.height - 4)).rounded()))
        bottom -= min(height, bottom)
        text.put("<rect class=\"\(severity)\" x=\"\(index * 10 + 1)\" y=\"\(bottom)\" width=\"8\" height=\"\(height)\"/>")
      }
      text.put("\n")
    }
    text.put(
      "</svg>\n<p class=\"axis\" aria-hidden=\"true\"><span>start</span><span>at most \(most.grouped) in a bar</span>"
    )
    text.put("<span>\(TextReport.shortSize(bytes))</span></p>\n</figure>\n")
  }

  /// The colours, if there are several.
  private var key: String {
    let used = Severity.mostSevereFirst.filter { severity in parts.contains { $0[Self.row(of: severity)] > 0 } }
    guard used.count > 1 else { return "" }
    let items = used.map { severity in
      "<span><svg viewBox=\"0 0 8 8\" aria-hidden=\"true\" focusable=\"false\">"
        + "<rect class=\"\(severity)\" width=\"8\" height=\"8\"/></svg>\(severity)s</span>"
    }
    return " <span class=\"key\">\(items.joined(separator: " "))</span>"
  }

  private func description(_ most: Int) -> String {
    let used = parts.count { $0.reduce(0, +) > 0 }
    return
      "Bar chart of \(drawn.grouped) findings over the document: \(used) of its \(Self.partCount) equal parts have "
      + "findings, at most \(most.grouped) each."
  }
}
