import ByteStreams
import Coffer
import Findings

/// The difference between two backups as one page for people: the counts first, then each collection's changes, with old and new
/// values side by side.
struct DifferencePage: WrittenReport {
  /// The changes listed on the page. A page of more rows is slow to open.
  private static let pageLimit = 10_000

  let difference: BackupDifference
  let toolVersion: String

  private var parts: [CollectionDifference] {
    difference.collections + (difference.envelope.isEmpty ? [] : [difference.envelope])
  }

  func write(_ text: ReportText) {
    let page = HTMLPage(
      kind: "Coffer difference report", headline: difference.isSame ? "The backups are the same" : "The backups differ",
      verdict: difference.isSame ? .valid : nil, toolVersion: toolVersion)
    page.writeStart(
      RecordChange.Kind.counted.map { kind in
        HTMLPage.Figure(kind.heading, parts.reduce(0) { $0 + $1.count(kind) }, styleUnlessZero: kind.rawValue)
      } + [.init("Same", parts.reduce(0) { $0 + $1.same })], text)
    writeDocuments(text)
    writeOverview(text)
    var rest = Self.pageLimit
    for (index, part) in parts.enumerated() where !part.isSame || part.duplicates > 0 {
      write(part, number: index + 1, rest: &rest, text)
    }
    page.writeEnd(text)
  }

  private func writeDocuments(_ text: ReportText) {
    text.put("<section class=\"card overview\">\n<h2 id=\"backups\">Backups</h2>\n")
    if let format = difference.format { text.put("<p class=\"facts\"><bdi>\(format.markup)</bdi></p>\n") }
    HTMLPage.writeTableStart(
      labelledBy: "backups", [("Backup", false), ("File", false), ("Version", false), ("Size", true)], text)
    for (label, document) in [("Old", difference.old), ("New", difference.new)] {
      text.put("<tr><th scope=\"row\">\(label)</th><td><bdi>\(document.name.markup)</bdi></td>")
      text.put("<td><bdi>\((document.version ?? "").shortened(to: 200).markup)</bdi></td>")
      text.put("<td class=\"number\">\(TextReport.shortSize(document.bytes))</td></tr>\n")
    }
    text.put("\(HTMLPage.tableEnd)</section>\n")
  }

  private func writeOverview(_ text: ReportText) {
    guard !parts.isEmpty else { return }
    text.put("<section class=\"card overview\">\n<h2 id=\"collections\">Collections</h2>\n")
    HTMLPage.writeTableStart(
      labelledBy: "collections",
      [("Collection", false), ("Share of the records", false)]
        + RecordChange.Kind.counted.map { (Self.square($0.rawValue) + $0.heading, true) }
        + [(Self.square("same") + "Same", true)], text)
    for (index, part) in parts.enumerated() {
      let title = "<bdi>\(part.title.markup)</bdi>"
      let isListed = !part.isSame || part.duplicates > 0
      text.put("<tr><th scope=\"row\">\(isListed ? "<a href=\"#c\(index + 1)\">\(title)</a>" : title)</th>")
      text.put("<td class=\"share\">\(Self.bar(part))</td>")
      for kind in RecordChange.Kind.counted { text.put(HTMLPage.cell(part.count(kind))) }
      text.put("\(HTMLPage.cell(part.same))</tr>\n")
    }
    text.put("\(HTMLPage.tableEnd)</section>\n")
  }

  /// The colour of a part of the bars.
  private static func square(_ style: String) -> String {
    "<svg viewBox=\"0 0 8 8\" aria-hidden=\"true\" focusable=\"false\"><rect class=\"\(style)\" width=\"8\" height=\"8\"/></svg>"
  }

  /// A bar with the shares of changed, removed, added and equal records.
  private static func bar(_ part: CollectionDifference) -> String {
    let total = part.changed + part.removed + part.added + part.same
    guard total > 0 else { return "" }
    // One change must stay visible next to many equal records.
    var widths = RecordChange.Kind.counted.map { kind in
      part.count(kind) == 0 ? 0 : max(4, Int((Double(part.count(kind)) / Double(total) * 200).rounded()))
    }
    // The widest one makes room for those.
    let excess = widths.reduce(0, +) - 200
    if excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }) { widths[widest] -= excess }
    var text = "<svg viewBox=\"0 0 200 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\" focusable=\"false\">"
    text += "<rect class=\"same\" width=\"200\" height=\"8\"/>"
    var start = 0
    for (kind, width) in zip(RecordChange.Kind.counted, widths) where width > 0 {
      text += "<rect class=\"\(kind)\" x=\"\(start)\" width=\"\(width)\" height=\"8\"/>"
      start += width
    }
    return text + "</svg>"
  }

  // MARK: A collection

  private func write(_ part: CollectionDifference, number: Int, rest: inout Int, _ text: ReportText) {
    text.put("<section class=\"card\" id=\"c\(number)\" aria-labelledby=\"c\(number).name\">\n<div class=\"title\">")
    text.put("<h2 id=\"c\(number).name\"><bdi>\(part.title.markup)</bdi></h2></div>\n")
    var facts: [String] = []
    if !part.key.isEmpty { facts.append("by <code><bdi>\(part.key.joined(separator: ", ").markup)</bdi></code>") }
    // Everything outside the collections is compared member by member.
    let noun = part == difference.envelope ? "equal member" : "equal record"
    facts.append(part.same.counted(noun))
    if part.duplicates > 0 {
      let count = part.duplicates.counted("record")
      facts.append("\(count) with duplicate keys, compared as whole values")
    }
    text.put("<p class=\"facts\">\(facts.map { "<span>\($0)</span>" }.joined(separator: " "))</p>\n")
    for kind in RecordChange.Kind.allCases {
      let all = part.changes.filter { $0.kind == kind }
      let changes = all.prefix(rest)
      rest -= changes.count
      let count = kind == .duplicate ? all.count : part.count(kind)
      if count > 0 { write(changes, of: kind, count: count, id: "c\(number).\(kind)", text) }
    }
    text.put("</section>\n")
  }

  private func write(_ changes: ArraySlice<RecordChange>, of kind: RecordChange.Kind, count: Int, id: String, _ text: ReportText)
  {
    text.put("<details class=\"changes\" id=\"\(id)\" open>\n<summary><span class=\"label\">")
    text.put("<span class=\"tag \(kind)\" id=\"\(id).name\">\(kind.words)</span></span> ")
    text.put("<span class=\"count\">\(count.grouped)</span></summary>\n")
    if changes.count < count {
      let first = changes.isEmpty ? "None" : "The first \(changes.count.grouped)"
      text.put("<p class=\"hint\">\(first) of \(count.grouped) \(changes.count == 1 ? "is" : "are") listed.</p>\n")
    }
    if !changes.isEmpty, kind == .changed {
      text.put("<table aria-labelledby=\"\(id).name\">\n<thead><tr><th scope=\"col\">Field</th>")
      text.put("<th scope=\"col\">Old</th><th scope=\"col\">New</th></tr></thead>\n")
      for change in changes {
        write(change, text)
      }
      text.put("</table>\n")
    } else if !changes.isEmpty {
      text.put("<ul>\n")
      for change in changes {
        let content = change.content.map { "<br><code class=\"\(kind.rawValue)\"><bdi>\($0.markup)</bdi></code>" } ?? ""
        text.put("<li>\(Self.heading(of: change))\(content)</li>\n")
      }
      text.put("</ul>\n")
    }
    text.put("</details>\n")
  }

  /// A changed record: its key and places, then a row for each field.
  private func write(_ change: RecordChange, _ text: ReportText) {
    text.put("<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"3\">\(Self.heading(of: change))</th></tr>\n")
    for field in change.fields {
      let name = field.pointer.isEmpty ? "the value" : "<code><bdi>\(field.pointer.markup)</bdi></code>"
      text.put("<tr><th scope=\"row\">\(name)</th>")
      for (value, style) in [(field.old, "removed"), (field.new, "added")] {
        let content = value.map { "<code class=\"\(style)\"><bdi>\($0.markup)</bdi></code>" }
        text.put("<td>\(content ?? "<span class=\"none\">no value</span>")</td>")
      }
      text.put("</tr>\n")
    }
    let rest =
      change.fieldsNotShown.map { $0 == 0 ? "" : "\($0.grouped) more fields" } ?? "too large to compare by field"
    if !rest.isEmpty { text.put("<tr><td colspan=\"3\" class=\"hint\">\(rest)</td></tr>\n") }
    text.put("</tbody>\n")
  }

  private static func heading(of change: RecordChange) -> String {
    let places = [change.old, change.new].compactMap { $0?.pointer }.map { pointer in
      pointer.isEmpty ? "the document" : "<code><bdi>\(pointer.markup)</bdi></code>"
    }
    let isMoved = Set(places).count > 1
    let key = change.key.isEmpty ? "" : "<code class=\"record\"><bdi>\(change.key.markup)</bdi></code> "
    let link = change.kind == .duplicate ? " and " : " <span aria-hidden=\"true\">→</span><span class=\"hidden\">to</span> "
    return key + "<span class=\"where\">\(isMoved ? places.joined(separator: link) : places.first ?? "")</span>"
  }
}

extension RecordChange.Kind {
  /// The kinds that make a difference.
  fileprivate static let counted: [Self] = [.changed, .removed, .added]

  fileprivate var heading: String {
    switch self {
    case .changed: "Changed"
    case .removed: "Removed"
    case .added: "Added"
    case .duplicate: "Duplicate keys"
    }
  }

  fileprivate var words: String {
    switch self {
    case .changed: "changed"
    case .removed: "only in the old backup"
    case .added: "only in the new backup"
    case .duplicate: "duplicate keys"
    }
  }
}

extension CollectionDifference {
  fileprivate func count(_ kind: RecordChange.Kind) -> Int {
    switch kind {
    case .changed: changed
    case .removed: removed
    case .added: added
    case .duplicate: duplicates
    }
  }
}
