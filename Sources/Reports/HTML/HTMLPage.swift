import ByteStreams
import Findings

/// The frame of a page: its head, headline, figures and footer.
///
/// A page has no scripts and requests nothing, so it can be opened from a build's artifacts or sent by mail. Colours follow the
/// reader's scheme; everything folds without scripts, works with a keyboard, and prints.
struct HTMLPage {
  /// The outcome that the headline's icon shows, the best one first.
  enum Outcome: Comparable {
    case valid
    /// Two documents differ, which is neither good nor bad.
    case different
    case invalid, unreadable
  }

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
  let outcome: Outcome
  let toolVersion: String

  /// Writes everything above the page's main content, and begins that.
  ///
  /// - Parameter facts: what is shown below the numbers, such as the command.
  func writeStart(
    _ figures: [Figure], hints: [String] = [], facts: [(label: String, text: String)] = [], _ text: inout ReportText
  ) {
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
      \(Self.style)</style>
      </head>
      <body>
      <a class="skip" href="#content">Skip to the results</a>
      <header class="top \(outcome)">
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
  func writeEnd(notes: [String] = [], _ text: inout ReportText) {
    text.put("</main>\n<footer>\n<p>Coffer \(toolVersion.markup)</p>\n")
    for note in notes { text.put("<p>\(note.markup)</p>\n") }
    text.put("</footer>\n</body>\n</html>\n")
  }

  private var icon: String {
    let path =
      switch outcome {
      case .valid: "M7 12.5l3.4 3.4L17.2 9"
      case .invalid: "M8.5 8.5l7 7M15.5 8.5l-7 7"
      case .unreadable: "M12 7v6.2M12 16.6v.1"
      case .different: "M7.5 9.7h9M7.5 14.3h9M14.6 6.6l-5.2 10.8"
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
  static func writeTableStart(labelledBy ids: String, _ columns: [(heading: String, isNumber: Bool)], _ text: inout ReportText) {
    text.put("<div class=\"scroll\" role=\"region\" aria-labelledby=\"\(ids)\" tabindex=\"0\">\n<table>\n<thead><tr>")
    for (heading, isNumber) in columns {
      text.put("<th scope=\"col\"\(isNumber ? " class=\"number\"" : "")>\(heading)</th>")
    }
    text.put("</tr></thead>\n<tbody>\n")
  }

  static let tableEnd = "</tbody>\n</table>\n</div>\n"

  /// The error that ended reading.
  static func writeCallout(_ error: CofferError, addition: String = "", _ text: inout ReportText) {
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

extension HTMLPage {
  /// All texts have a contrast of at least 4.5:1 on their backgrounds, in both schemes.
  static let style = """
    :root {
      --page: #f6f6f4; --card: #ffffff; --ink: #1b1d20; --soft: #575d66; --line: #e2e3e1; --fill: #f1f1ee;
      --error: #a8281f; --warning: #855600; --note: #2a5a96; --valid: #1c6640;
      --error-fill: #fbeceb; --warning-fill: #fbf2df; --note-fill: #eaf1fa; --valid-fill: #e6f3eb; --focus: #1f6feb;
      --error-bar: #cf4a3f; --warning-bar: #c08a1e; --note-bar: #4f86c6; --valid-bar: #3f9a67;
    }
    @media screen and (prefers-color-scheme: dark) {
      :root {
        --page: #121416; --card: #1a1d20; --ink: #e7e9eb; --soft: #a4abb4; --line: #2d3237; --fill: #23272b;
        --error: #ff968c; --warning: #e9b65e; --note: #92baf2; --valid: #80cfa0;
        --error-fill: #37201f; --warning-fill: #332914; --note-fill: #1d2a3b; --valid-fill: #182f22; --focus: #79b0ff;
        --error-bar: #e8776c; --warning-bar: #d9a548; --note-bar: #7aa5e0; --valid-bar: #5fb485;
      }
    }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
    body {
      margin: 0 auto; max-width: 68rem; padding: 2.5rem 1.25rem 3rem; background: var(--page); color: var(--ink);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
      font-variant-numeric: tabular-nums;
    }
    h1, h2, h3, p, dl, dd, ol, ul, figure { margin: 0; padding: 0; }
    ol, ul { list-style: none; }
    code { font: 0.875em/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
    a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: 0.2em; }
    a:hover { text-decoration-thickness: 2px; }
    :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .skip { position: absolute; left: 1.25rem; top: -4rem; padding: 0.5rem 1rem; background: var(--ink); color: var(--page); border-radius: 6px; }
    .skip:focus { top: 0.5rem; }
    .hint { color: var(--soft); font-size: 0.875rem; }

    .top { padding: 0 0.25rem 2.25rem; }
    .brand { color: var(--soft); font-size: 0.875rem; letter-spacing: 0.02em; margin-bottom: 1rem; }
    h1 { display: flex; gap: 0.875rem; align-items: flex-start; font-size: 1.875rem; line-height: 1.2; font-weight: 600; letter-spacing: -0.015em; }
    .icon { flex: none; width: 2.25rem; height: 2.25rem; fill: none; stroke: var(--card); stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
    .icon circle { stroke: none; fill: var(--error); }
    .valid .icon circle { fill: var(--valid); }
    .different .icon circle { fill: var(--note); }
    .figures { display: flex; flex-wrap: wrap; gap: 1.25rem 2.75rem; margin-top: 1.75rem; }
    .figures dt { color: var(--soft); font-size: 0.8125rem; }
    .figures dd { font-size: 1.5rem; line-height: 1.3; font-weight: 600; letter-spacing: -0.01em; }
    .figures .unit { font-size: 1rem; font-weight: 400; color: var(--soft); }
    .error, .removed { color: var(--error); } .warning, .changed { color: var(--warning); } .added { color: var(--valid); }
    .note { color: var(--note); } .none { color: var(--soft); font-weight: 400; }
    .top .hint { margin-top: 1rem; }

    .card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.5rem; margin-bottom: 1.25rem; scroll-margin-top: 1rem; }
    .title { display: flex; flex-wrap: wrap; gap: 0.375rem 0.875rem; align-items: baseline; }
    h2 { font-size: 1.1875rem; line-height: 1.35; font-weight: 600; letter-spacing: -0.01em; overflow-wrap: anywhere; }
    h3 { font-size: 0.875rem; font-weight: 600; color: var(--soft); margin: 1.75rem 0 0.5rem; }
    .verdict, .tag {
      display: inline-block; padding: 0.0625rem 0.5rem; border-radius: 1rem; font-size: 0.8125rem; line-height: 1.45; font-weight: 500;
      background: var(--fill); color: var(--soft); white-space: nowrap;
    }
    .tag { border-radius: 5px; padding: 0 0.4375rem; white-space: normal; }
    .verdict.valid { background: var(--valid-fill); color: var(--valid); }
    .verdict.invalid, .verdict.unreadable, .tag.error, .tag.removed { background: var(--error-fill); color: var(--error); }
    .tag.warning, .tag.changed { background: var(--warning-fill); color: var(--warning); }
    .tag.added { background: var(--valid-fill); color: var(--valid); }
    .tag.note { background: var(--note-fill); color: var(--note); }
    .facts { display: flex; flex-wrap: wrap; gap: 0 1.125rem; margin-top: 0.25rem; color: var(--soft); font-size: 0.875rem; }
    .callout { margin-top: 1.25rem; padding: 0.75rem 1rem; border-radius: 8px; background: var(--error-fill); overflow-wrap: anywhere; }
    .callout p + p { color: var(--ink); font-size: 0.875rem; margin-top: 0.125rem; }
    .callout strong { font-weight: 600; }

    .overview h2 { margin-bottom: 0.5rem; }
    .scroll { overflow-x: auto; margin: 0 -1.5rem -0.75rem; padding: 0 1.5rem; }
    table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; }
    th, td { padding: 0.5625rem 1.25rem 0.5625rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: baseline; font-weight: 400; }
    th:last-child, td:last-child { padding-right: 0; }
    thead th { border-top: 0; color: var(--soft); font-size: 0.8125rem; white-space: nowrap; }
    tbody th { overflow-wrap: anywhere; min-width: 8.5rem; font-weight: 500; }
    .number { text-align: right; }

    .charts { display: grid; grid-template-columns: minmax(0, 1.5fr) minmax(0, 1fr); gap: 1.5rem 2.5rem; margin-top: 1.5rem; }
    figcaption { font-size: 0.875rem; font-weight: 600; color: var(--soft); margin-bottom: 0.5rem; }
    .places > svg { display: block; width: 100%; height: 6.5rem; border-bottom: 1px solid var(--soft); }
    rect.error { fill: var(--error-bar); } rect.warning { fill: var(--warning-bar); } rect.note { fill: var(--note-bar); }
    .axis { display: flex; justify-content: space-between; gap: 1rem; margin-top: 0.25rem; color: var(--soft); font-size: 0.8125rem; }
    .rules li { display: grid; grid-template-columns: minmax(0, 9.5rem) minmax(2rem, 1fr) auto; gap: 0.75rem; align-items: center; font-size: 0.875rem; }
    .rules a { overflow-wrap: anywhere; line-height: 1.25rem; padding: 0.125rem 0; text-decoration-color: transparent; }
    .rules a:hover, .rules a:focus { text-decoration-color: currentColor; }
    .rules svg { display: block; width: 100%; height: 0.5rem; }

    rect.changed { fill: var(--warning-bar); } rect.removed { fill: var(--error-bar); } rect.added { fill: var(--valid-bar); }
    rect.same, rect.tick { fill: var(--line); } rect.period { fill: var(--note-bar); }

    .key { display: flex; flex-wrap: wrap; gap: 0 0.875rem; font-weight: 400; font-size: 0.8125rem; }
    .key svg, thead svg { width: 0.5rem; height: 0.5rem; margin-right: 0.375rem; }
    figcaption { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1.5rem; align-items: baseline; }

    .warnings { margin-top: 1rem; font-size: 0.9375rem; }
    .warnings li { padding: 0.1875rem 0; overflow-wrap: anywhere; }
    .warnings code { color: var(--soft); }
    .properties { margin-top: 1rem; font-size: 0.9375rem; }
    .properties div { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: 0 1rem; padding: 0.1875rem 0; }
    .properties dt { color: var(--soft); }
    .properties dd { overflow-wrap: anywhere; }
    .periods { margin-top: 1.5rem; }
    .periods li { display: grid; grid-template-columns: minmax(0, 9.5rem) minmax(2rem, 1fr); gap: 0.75rem; align-items: center; padding: 0.125rem 0; font-size: 0.875rem; overflow-wrap: anywhere; line-height: 1.25rem; }
    .periods svg { display: block; width: 100%; height: 1rem; }
    .periods .axis { margin-left: 10.25rem; flex-wrap: wrap; gap: 0 1rem; }
    .scroll + details { margin-top: 1.5rem; }
    .time, .periods .axis span { white-space: nowrap; }
    .nested th { padding-left: 1rem; font-weight: 400; }
    .share { width: 26%; min-width: 6rem; }
    .share svg { display: block; width: 100%; height: 0.5rem; }
    .changes table { table-layout: fixed; margin-bottom: 0.75rem; }
    .changes th:first-child { width: 34%; }
    .changes td, .changes tbody th { overflow-wrap: anywhere; min-width: 0; padding: 0.3125rem 0.75rem 0.3125rem 0; vertical-align: top; }
    .changes tbody th { font-weight: 400; }
    .changes thead th { padding: 0 0.75rem 0.3125rem 0; }
    .changes tbody tr + tr > * { border-top: 0; }
    .changes tbody tr + tr > th { padding-left: 1rem; color: var(--soft); }
    .changes td code { color: var(--ink); padding: 0.0625rem 0.25rem; border-radius: 3px; box-decoration-break: clone; -webkit-box-decoration-break: clone; }
    .changes .removed:not(.tag) { background: var(--error-fill); }
    .changes .added:not(.tag) { background: var(--valid-fill); }
    .changes ul, .missing ol { margin: 0 0 0.75rem; font-size: 0.9375rem; }
    .changes li { padding: 0.3125rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
    .record { font-weight: 600; margin-right: 0.625rem; }

    .facts + details { margin-top: 1rem; }
    .file > details:last-child { margin-bottom: -0.75rem; }
    details { border-top: 1px solid var(--line); scroll-margin-top: 1rem; }
    summary { display: flex; gap: 0.75rem; align-items: baseline; padding: 0.6875rem 0; cursor: pointer; list-style: none; }
    summary::-webkit-details-marker { display: none; }
    summary::before { content: ""; flex: none; width: 0.4375rem; height: 0.4375rem; margin: 0 0.125rem; border: solid var(--soft); border-width: 0 2px 2px 0; transform: translateY(-0.125rem) rotate(-45deg); }
    details[open] > summary::before { transform: translateY(-0.1875rem) rotate(45deg); }
    summary:hover code, summary:hover .label { text-decoration: underline; text-decoration-color: var(--soft); text-underline-offset: 0.2em; }
    .label { flex: 1; min-width: 0; overflow-wrap: anywhere; }
    .label code { font-weight: 600; margin: 0 0.375rem; }
    .means { color: var(--soft); font-size: 0.9375rem; }
    .count { font-weight: 600; }
    details > .hint { margin: 0 0 0.5rem 1.4375rem; }
    details > ol { margin: 0 0 0.75rem 1.4375rem; }
    .rule li { display: grid; grid-template-columns: 7.5rem minmax(0, 1fr); gap: 0 1rem; padding: 0.4375rem 0; border-top: 1px solid var(--line); scroll-margin-top: 4rem; font-size: 0.9375rem; }
    .rule li:target { background: var(--note-fill); box-shadow: -0.5rem 0 var(--note-fill), 0.5rem 0 var(--note-fill); }
    .at { justify-self: start; align-self: start; color: var(--soft); font: 0.8125rem/1.5rem ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; text-decoration-color: transparent; }
    .at:hover { text-decoration-color: currentColor; }
    .column::before { content: ":"; }
    .rule li p { overflow-wrap: anywhere; }
    .rule .where { display: flex; flex-wrap: wrap; gap: 0 0.875rem; align-items: baseline; color: var(--soft); font-size: 0.8125rem; }
    .changes .where { color: var(--soft); }
    .where code { font-size: 0.8125rem; }
    .where > code { color: var(--ink); }
    .checked dl { margin: 0 0 0.75rem 1.4375rem; }
    .checked dl div { display: grid; grid-template-columns: minmax(7.5rem, 12rem) minmax(0, 1fr); gap: 0 1rem; padding: 0.25rem 0; font-size: 0.9375rem; }
    .checked dd { color: var(--soft); }
    .checked .collection { margin-top: 0.75rem; font-weight: 600; grid-template-columns: minmax(0, 1fr); }
    footer { display: flex; flex-wrap: wrap; gap: 0 1.5rem; padding: 0.5rem 0.25rem; color: var(--soft); font-size: 0.8125rem; }

    @media (max-width: 40rem) {
      body { padding: 1.5rem 0.875rem 2rem; }
      h1 { font-size: 1.5rem; }
      .icon { width: 1.75rem; height: 1.75rem; }
      .figures { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 1rem; }
      .figures dd { font-size: 1.1875rem; }
      .card { padding: 1.125rem 1rem; border-radius: 10px; }
      .scroll { margin: 0 -1rem -0.5rem; padding: 0 1rem; }
      .charts { grid-template-columns: minmax(0, 1fr); }
      .rules li { grid-template-columns: minmax(0, 7.5rem) minmax(1rem, 1fr) auto; }
      .periods li { grid-template-columns: minmax(0, 6.5rem) minmax(2rem, 1fr); }
      .periods .axis { margin-left: 7.25rem; }
      .periods .axis span:nth-child(2) { display: none; }
      .properties div { grid-template-columns: 5rem minmax(0, 1fr); }
      .means { display: block; margin: 0.125rem 0 0; }
      details > ol, details > .hint, .checked dl { margin-left: 0; }
      .rule li, .checked dl div { grid-template-columns: minmax(0, 1fr); }
    }
    @media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
    @media print {
      body { max-width: none; padding: 0; background: none; font-size: 0.8125rem; }
      .card { border: 0; border-radius: 0; padding: 0; margin-bottom: 2rem; background: none; }
      .skip { display: none; }
      .top, footer { padding-left: 0; }
      .rule li, .changes tr, .changes li, summary { break-inside: avoid; }
      summary { break-after: avoid; }
      details::details-content { content-visibility: visible; display: block; height: auto; }
    }

    """
}
