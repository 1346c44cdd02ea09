import ByteStreams
import Findings

/// The frame of a page: its head, headline, figures and footer.
///
/// A page has no scripts and requests nothing, so it can be opened from a build's artifacts or sent by mail. Colours follow the
/// reader's scheme; everything folds without scripts, works with a keyboard, and prints.
struct HTMLPage {
  /// A number below the headline.
  struct Figure {
    let label: String
    let number: String
    var unit = ""
    /// The style class: a severity or a kind of change; `none` for a number that needs no attention.
    var style: String?

    init(_ label: String, _ number: String, unit: String = "", style: String? = nil) {
      (self.label, self.number, self.unit, self.style) = (label, number, unit, style)
    }

    init(_ label: String, _ count: Int, style: String? = nil) { self.init(label, count.grouped, style: style) }

    /// A count whose style applies only if it isn't zero.
    init(_ label: String, _ count: Int, styleUnlessZero style: String) {
      self.init(label, count, style: count > 0 ? style : "none")
    }

    /// A size: `104.9 MB`.
    init(_ label: String, bytes: Int) {
      let (number, unit) = TextReport.shortSizeParts(bytes)
      self.init(label, number, unit: unit)
    }
  }

  /// The kind of report, above the headline: `Coffer validation report`.
  let kind: String
  let headline: String
  /// What the headline's icon shows; `nil` for a difference, which is neither good nor bad.
  let verdict: Verdict?
  let toolVersion: String

  /// Writes everything above the page's main content, and begins that.
  ///
  /// - Parameter facts: what is shown below the numbers, such as the command.
  func writeStart(_ figures: [Figure], hints: [String] = [], facts: [(label: String, text: String)] = [], _ text: ReportText) {
    text.put(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="robots" content="noindex">
      <meta name="generator" content="Coffer \(toolVersion.markup)">
      <title>\(headline.markup) – Coffer</title>
      <style>
      \(EmbeddedFile.pageStyle)</style>
      </head>
      <body>
      <a class="skip" href="#content">Skip to the results</a>
      <header class="top \(verdict?.rawValue ?? "different")">
      <p class="brand">\(kind.markup)</p>
      <h1>\(icon)<span>\(headline.markup)</span></h1>
      <dl class="figures">

      """)
    for figure in figures {
      let style = figure.style.map { " class=\"\($0)\"" } ?? ""
      let unit = figure.unit.isEmpty ? "" : "<span class=\"unit\"> \(figure.unit)</span>"
      text.put("<div><dt>\(figure.label)</dt><dd\(style)>\(figure.number)\(unit)</dd></div>\n")
    }
    text.put("</dl>\n")
    for hint in hints { text.put("<p class=\"hint\">\(hint.markup)</p>\n") }
    if !facts.isEmpty {
      text.put("<dl class=\"properties\">\n")
      for fact in facts { text.put("<div><dt>\(fact.label)</dt><dd><bdi>\(fact.text.markup)</bdi></dd></div>\n") }
      text.put("</dl>\n")
    }
    text.put("</header>\n<main id=\"content\">\n")
  }

  /// Ends the main content and the page.
  func writeEnd(notes: [String] = [], _ text: ReportText) {
    text.put("</main>\n<footer>\n<p>Coffer \(toolVersion.markup)</p>\n")
    for note in notes { text.put("<p>\(note.markup)</p>\n") }
    text.put("</footer>\n</body>\n</html>\n")
  }

  private var icon: String {
    let path =
      switch verdict {
      case .valid: "M7 12.5l3.4 3.4L17.2 9"
      case .invalid: "M8.5 8.5l7 7M15.5 8.5l-7 7"
      case .unreadable: "M12 7v6.2M12 16.6v.1"
      case nil: "M7.5 9.7h9M7.5 14.3h9M14.6 6.6l-5.2 10.8"
      }
    return """
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><circle cx="12" cy="12" r="11"/>\
      <path d="\(path)"/></svg>
      """
  }

  // MARK: Parts

  /// Begins a table, which scrolls if the page is too narrow. The caller writes the rows and ``tableEnd``.
  ///
  /// - Parameter ids: the ids of its headings, separated by spaces; no two tables of a page have the same.
  static func writeTableStart(labelledBy ids: String, _ columns: [(heading: String, isNumber: Bool)], _ text: ReportText) {
    text.put("<div class=\"scroll\" role=\"region\" aria-labelledby=\"\(ids)\" tabindex=\"0\">\n<table>\n<thead><tr>")
    for (heading, isNumber) in columns {
      text.put("<th scope=\"col\"\(isNumber ? " class=\"number\"" : "")>\(heading)</th>")
    }
    text.put("</tr></thead>\n<tbody>\n")
  }

  static let tableEnd = "</tbody>\n</table>\n</div>\n"

  /// The error that ended reading.
  static func writeCallout(_ error: CofferError, addition: String = "", _ text: ReportText) {
    let place =
      error.place.position.map { "Line \($0.line), column \($0.column), byte \($0.offset.grouped). " } ?? ""
    text.put("<div class=\"callout\"><p><strong><bdi>\(error.messageWithEntry.markup)</bdi></strong></p>")
    text.put("<p>\(place)Code <code>\(error.code.rawValue.markup)</code>.\(addition)</p></div>\n")
  }

  /// A count in a table: zero is less prominent.
  static func cell(_ count: Int, isQuietIfZero: Bool = true) -> String {
    "<td class=\"number\(count == 0 && isQuietIfZero ? " none" : "")\">\(count.grouped)</td>"
  }
}
