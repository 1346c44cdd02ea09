import BackupFormats
import ByteStreams
import Findings
import Rules

/// Draws the distribution of findings over a document: a bar for each part of the document.
///
/// Memory: a few numbers for each of at most 64 parts.
struct FindingChart {
  private static let height = 60

  /// The numbers of errors, warnings and notes in each part.
  private var parts: [[Int]]
  private let bytes: Int
  private let total: Int
  private let drawn: Int

  init(_ report: ValidationReport) {
    bytes = report.bytes
    total = report.counts.total
    let distribution = report.distribution.coarsened(forSize: bytes)
    let count = bytes > 0 ? max(1, (bytes - 1) / distribution.partSize + 1) : 0
    parts = (0..<count).map { part in
      Severity.mostSevereFirst.map { distribution[$0].indices.contains(part) ? distribution[$0][part] : 0 }
    }
    drawn = parts.reduce(0) { $0 + $1.reduce(0, +) }
  }

  private static func row(of severity: Severity) -> Int { Severity.mostSevereFirst.firstIndex(of: severity) ?? 0 }

  func write(_ text: ReportText) {
    let most = parts.map { $0.reduce(0, +) }.max() ?? 0
    guard most > 0 else { return }
    let listed = drawn < total ? " (\(drawn.grouped) findings with known places)" : ""
    text.put("<figure class=\"places\">\n<figcaption>Where in the document\(listed)\(key)</figcaption>\n")
    text.put("<svg viewBox=\"0 0 \(parts.count * 10) \(Self.height)\" preserveAspectRatio=\"none\" role=\"img\" ")
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
    text.put("</svg>\n<p class=\"axis\" aria-hidden=\"true\"><span>start</span><span>at most \(most.grouped) in a bar</span>")
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
      "Bar chart of \(drawn.grouped) findings over the document: \(used) of its \(parts.count) equal parts have "
      + "findings, at most \(most.grouped) each."
  }
}

/// Draws the period of each collection's records on one time axis.
struct TimeRangeChart {
  private static let width = 1000

  private let collections: [Inspection.Collection]
  private let first: Instant
  private let last: Instant

  /// Returns `nil` if no collection has dates, or all records are of one second.
  init?(_ collections: [Inspection.Collection]) {
    self.collections = collections.filter { $0.earliest != nil && $0.latest != nil }
    guard let first = self.collections.compactMap(\.earliest).min(), let last = self.collections.compactMap(\.latest).max(),
      first.seconds < last.seconds
    else { return nil }
    (self.first, self.last) = (first, last)
  }

  func write(_ text: ReportText) {
    text.put("<figure class=\"periods\">\n<figcaption>Timeline</figcaption>\n<ul>\n")
    for collection in collections {
      guard let earliest = collection.earliest, let latest = collection.latest else { continue }
      let (start, end) = (position(of: earliest), position(of: latest))
      // A period of one day must stay visible next to one of years.
      let width = max(4, end - start)
      text.put("<li><bdi>\(collection.title.markup)</bdi> ")
      text.put("<svg viewBox=\"0 0 \(Self.width) 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\">")
      for quarter in 0...4 {
        text.put("<rect class=\"tick\" x=\"\(quarter * (Self.width - 1) / 4)\" width=\"1\" height=\"10\"/>")
      }
      text.put("<rect class=\"period\" x=\"\(min(start, Self.width - width))\" y=\"1\" width=\"\(width)\" height=\"8\"/></svg>")
      text.put("<span class=\"hidden\"> from \(Self.day(earliest)) to \(Self.day(latest))</span></li>\n")
    }
    text.put("</ul>\n<p class=\"axis\" aria-hidden=\"true\">")
    let middle = Instant(seconds: first.seconds / 2 + last.seconds / 2)
    text.put([first, middle, last].map { "<span>\(Self.day($0))</span>" }.joined())
    text.put("</p>\n</figure>\n")
  }

  private func position(of instant: Instant) -> Int {
    let share = (Double(instant.seconds) - Double(first.seconds)) / (Double(last.seconds) - Double(first.seconds))
    return Int((share * Double(Self.width)).rounded())
  }

  private static func day(_ instant: Instant) -> String { String(instant.description.prefix { $0 != "T" }) }
}
