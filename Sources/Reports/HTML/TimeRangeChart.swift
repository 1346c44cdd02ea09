import BackupFormats
import ByteStreams
import Rules

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

  func write(_ text: inout ReportText, to sink: inout some ByteSink) throws(CofferError) {
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
      try text.drain(to: &sink)
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
