import ArgumentParser
import Coffer
import Findings
import Reports

struct RulesExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a keyword of rule documents, or a code in reports; or list all keywords.",
    usage: "coffer rules explain [<options>] [<keyword or code>]",
    discussion: """
      In a shell, quote the $ of a name: '$ref'.

      Examples:
        coffer rules explain
        coffer rules explain minimum
        coffer rules explain '$data'
        coffer rules explain truncated
      """)

  @Argument(help: "The keyword or the code.", completion: .keyword)
  var keyword: String?

  @OptionGroup(title: HelpSection.report) var reportFormat: ReportFormatArguments

  func run() throws {
    let reference = KeywordReference()
    guard let keyword else {
      if reportFormat.isJSON { return try Output.print(json: ["keywords": ReportMembers(reference.summaries)] as ReportMembers) }
      return try Output.print(TextReport.plain.text(of: reference))
    }
    guard let page = reference[keyword] ?? reference.page(ofCode: keyword) else {
      let suggestion = reference.nearest(to: keyword).map { "; did you mean '\($0)'?" } ?? ""
      Output.printError("there is no keyword or code '\(keyword)'\(suggestion)")
      throw ExitStatus.usage
    }
    if reportFormat.isJSON { return try Output.print(json: page) }
    try Output.print(TextReport.plain.text(of: page))
  }
}

/// The renderer of keywords: `KeywordReference` is in a module that Reports doesn't know.
extension TextReport {
  /// Returns all keywords by group, each with a one-sentence summary.
  fileprivate func text(of reference: KeywordReference) -> String {
    let indent = 25
    return reference.groups.map { group in
      let lines = group.pages.flatMap { page in
        let names = page.keywords.joined(separator: ", ")
        let gap = indent - names.count - 2
        if gap > 0 { return page.summary.wrapped(after: "  " + names + Self.blanks(gap), columns: width) }
        // Long rows of names get their own line.
        return names.wrapped(after: "  ", columns: width) + page.summary.wrapped(after: Self.blanks(indent), columns: width)
      }
      return "\(group.title)\n" + lines.map { $0 + "\n" }.joined()
    }.joined(separator: "\n")
  }

  /// Returns the page with its fenced blocks indented by four spaces. Prose fits the terminal; examples and tables stay as they are.
  fileprivate func text(of page: KeywordPage) -> String {
    var isCode = false
    var lines: [String] = []
    var paragraph = ""
    func endParagraph() {
      if paragraph.isEmpty { return }
      let label = paragraph.hasPrefix("- ") ? "- " : ""
      lines += String(paragraph.dropFirst(label.count)).wrapped(after: label, columns: width)
      paragraph = ""
    }
    for line in page.text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        endParagraph()
        isCode.toggle()
      } else if isCode || width == nil || line.isEmpty || line.hasPrefix("|") {
        endParagraph()
        lines.append(isCode ? "    " + line : String(line))
      } else {
        if line.hasPrefix("- ") { endParagraph() }
        paragraph += (paragraph.isEmpty ? "" : " ") + line.drop { $0 == " " }
      }
    }
    endParagraph()
    return lines.joined(separator: "\n")
  }
}
