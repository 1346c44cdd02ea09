import ByteStreams
import Coffer
import Findings
import Rules

/// Inspections as one page for people: whether the backups can be imported, then what each one contains.
struct InspectionPage: WrittenReport {
  let inspections: [Inspection]
  let now: Instant?
  let toolVersion: String

  func write(_ text: ReportText) {
    let page = HTMLPage(
      kind: "Coffer inspection report", headline: headline, verdict: inspections.map(\.verdict).max() ?? .valid,
      toolVersion: toolVersion)
    page.writeStart(figures, text)
    if inspections.count > 1 { writeOverview(text) }
    for (index, inspection) in inspections.enumerated() { write(inspection, number: index + 1, text) }
    page.writeEnd(text)
  }

  private var headline: String {
    let count = inspections.count
    let refused = inspections.count { $0.verdict == .invalid }
    let unreadable = inspections.count { $0.verdict == .unreadable }
    if count == 1 {
      if unreadable > 0 { return "The backup could not be read completely" }
      return refused > 0 ? "The backup can’t be imported" : "The backup can be imported"
    }
    if refused + unreadable == 0 { return count == 0 ? "No backups were inspected" : "All \(count) backups can be imported" }
    var parts: [String] = []
    if refused > 0 { parts.append("\(refused) of \(count) backups can’t be imported") }
    if unreadable > 0 {
      parts.append("\(unreadable)\(refused > 0 ? "" : " of \(count) backups") could not be read completely")
    }
    return parts.joined(separator: ", ")
  }

  private var figures: [HTMLPage.Figure] {
    var figures: [HTMLPage.Figure] = []
    if inspections.count != 1 { figures.append(.init("Backups", inspections.count)) }
    figures.append(.init("Records", inspections.reduce(0) { $0 + $1.records }))
    if inspections.count == 1 { figures.append(.init("Collections", inspections[0].collections.count(where: \.isPresent))) }
    figures.append(.init("Warnings", inspections.reduce(0) { $0 + $1.warnings.count }, styleUnlessZero: "warning"))
    figures.append(.init("Size", bytes: inspections.reduce(0) { $0 + $1.documentBytes }))
    return figures
  }

  private func writeOverview(_ text: ReportText) {
    text.put("<section class=\"card overview\">\n<h2 id=\"files\">Backups</h2>\n")
    HTMLPage.writeTableStart(
      labelledBy: "files",
      [
        ("File", false), ("Import", false), ("Format", false), ("Created (UTC)", false), ("Records", true), ("Size", true),
      ], text)
    for (index, inspection) in inspections.enumerated() {
      text.put("<tr><th scope=\"row\"><a href=\"#f\(index + 1)\"><bdi>\(inspection.file.markup)</bdi></a></th>")
      if inspection.isOfNothing {
        text.put("<td>\(inspection.tag)</td><td></td><td></td><td></td><td></td></tr>\n")
        continue
      }
      text.put("<td>\(inspection.tag)</td><td><bdi>\(inspection.formatName.shortened(to: 200).markup)</bdi></td>")
      text.put("<td>\(Self.time(inspection.createdAt?.instant))</td>")
      text.put(HTMLPage.cell(inspection.records, isQuietIfZero: false))
      text.put("<td class=\"number\">\(TextReport.shortSize(inspection.documentBytes))</td></tr>\n")
    }
    text.put("\(HTMLPage.tableEnd)</section>\n")
  }

  // MARK: A backup

  private func write(_ inspection: Inspection, number: Int, _ text: ReportText) {
    text.put("<section class=\"card file\" id=\"f\(number)\" aria-labelledby=\"f\(number).name\">\n<div class=\"title\">")
    text.put("<h2 id=\"f\(number).name\"><bdi>\(inspection.file.markup)</bdi></h2>\(inspection.tag)</div>\n")
    if let error = inspection.error { HTMLPage.writeCallout(error, text) }
    if !inspection.isOfNothing { writeContents(of: inspection, number: number, text) }
    text.put("</section>\n")
  }

  private func writeContents(of inspection: Inspection, number: Int, _ text: ReportText) {
    if !inspection.warnings.isEmpty {
      text.put("<ul class=\"warnings\">\n")
      for warning in inspection.warnings {
        text.put("<li><span class=\"tag warning\">warning</span> <bdi>\(warning.message.markup)</bdi> ")
        text.put("<code>\(warning.code.markup)</code></li>\n")
      }
      text.put("</ul>\n")
    }
    let renderer = TextReport()
    var properties = renderer.facts(of: inspection, now)
    if let others = renderer.others(of: inspection) { properties.append(("also", others)) }
    text.put("<dl class=\"properties\">\n")
    for (label, value) in properties {
      text.put("<div><dt>\(label)</dt><dd><bdi>\(value.markup)</bdi></dd></div>\n")
    }
    text.put("</dl>\n")
    let collections = inspection.reportedCollections
    if !collections.isEmpty { write(collections, inFile: number, text) }
    writeMissingFiles(inspection.attachments, text)
  }

  private func write(_ collections: [Inspection.Collection], inFile number: Int, _ text: ReportText) {
    text.put("<h3 id=\"f\(number).collections\">Collections</h3>\n")
    let hasDates = collections.contains { $0.latest != nil }
    let hasNotes = collections.contains { !TextReport.notes(on: $0).isEmpty }
    let columns: [(heading: String, isNumber: Bool, isShown: Bool)] = [
      ("Collection", false, true), ("Records", true, true), ("First (UTC)", false, hasDates), ("Last (UTC)", false, hasDates),
      ("Dates from", false, hasDates), ("Size", true, true), ("Notes", false, hasNotes),
    ]
    HTMLPage.writeTableStart(
      labelledBy: "f\(number).name f\(number).collections", columns.filter(\.isShown).map { ($0.heading, $0.isNumber) }, text)
    func write(_ cells: [String], style: String = "", _ text: ReportText) {
      // A nested array or an absent collection has no further cells.
      let cells = cells + Array(repeating: "<td></td>", count: columns.count - cells.count)
      text.put("<tr\(style)>\(zip(cells, columns).filter(\.1.isShown).map(\.0).joined())</tr>\n")
    }
    for collection in collections {
      let title = "<th scope=\"row\"><bdi>\(collection.title.markup)</bdi></th>"
      guard collection.isPresent else {
        write([title, "<td class=\"number none\">absent</td>"], text)
        continue
      }
      let date = collection.latest == nil ? "" : collection.date.map { "<code><bdi>\($0.markup)</bdi></code>" } ?? ""
      write(
        [
          title, HTMLPage.cell(collection.count), "<td>\(Self.time(collection.earliest))</td>",
          "<td>\(Self.time(collection.latest))</td>", "<td>\(date)</td>",
          "<td class=\"number\">\(collection.bytes.map(TextReport.shortSize) ?? "")</td>",
          "<td><bdi>\(TextReport.notes(on: collection).markup)</bdi></td>",
        ], text)
      for nested in collection.nested {
        write(
          ["<th scope=\"row\"><bdi>\(nested.name.markup)</bdi></th>", HTMLPage.cell(nested.count)], style: " class=\"nested\"",
          text)
      }
    }
    text.put(HTMLPage.tableEnd)
  }

  private func writeMissingFiles(_ attachments: Inspection.Attachments?, _ text: ReportText) {
    guard let attachments, attachments.missing > 0 else { return }
    let count = attachments.missing.counted("missing file")
    text.put("<details class=\"missing\"><summary><span class=\"label\">\(count)</span></summary>\n")
    if attachments.missingNames.count < attachments.missing {
      text.put("<p class=\"hint\">The first \(attachments.missingNames.count.grouped) are listed.</p>\n")
    }
    text.put("<ol>\n")
    for name in attachments.missingNames {
      text.put("<li><code><bdi>\(name.markup)</bdi></code></li>\n")
    }
    text.put("</ol>\n</details>\n")
  }

  /// `2026-06-28 20:15:00`; the heading says that it is in UTC.
  private static func time(_ instant: Instant?) -> String {
    guard let instant else { return "" }
    let parts = instant.description.dropLast().split(separator: "T")
    return "<span class=\"time\">\(parts.joined(separator: "</span> <span class=\"time\">"))</span>"
  }
}

extension Inspection {
  fileprivate var verdict: Verdict {
    error != nil || importability == .unreadable ? .unreadable : importability.isPossible ? .valid : .invalid
  }

  fileprivate var tag: String {
    let words =
      switch verdict {
      case .valid: "can be imported"
      case .unreadable: "not read completely"
      case .invalid: "can’t be imported"
      }
    return "<span class=\"verdict \(verdict.rawValue)\">\(words)</span>"
  }

  fileprivate var formatName: String {
    switch format {
    case .known(let name, _, _, _), .rules(let name):
      name + (version?.found.map { " \($0)" } ?? version?.number.map { " \($0)" } ?? "")
    case .unknown: "unknown"
    case .ambiguous: "ambiguous"
    }
  }

  fileprivate var records: Int { collections.reduce(0) { $0 + $1.count } }
}
