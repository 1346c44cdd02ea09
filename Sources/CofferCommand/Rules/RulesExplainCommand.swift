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

  @OptionGroup var reportFormat: ReportFormatArguments<PlainReportFormat>

  func run() throws {
    let reference = KeywordReference()
    let columns = Terminal.columns(of: \.output)
    guard let keyword else {
      if reportFormat.isJSON { return try Output.print(json: KeywordList(keywords: reference.summaries)) }
      return try Output.print(reference.overview(columns: columns))
    }
    guard let page = reference[keyword] ?? reference.page(ofCode: keyword) else {
      let suggestion = reference.nearest(to: keyword).map { "; did you mean '\($0)'?" } ?? ""
      Output.printError("there is no keyword or code '\(keyword)'\(suggestion)")
      throw ExitStatus.usage
    }
    if reportFormat.isJSON { return try Output.print(json: page) }
    try Output.print(page.text(columns: columns))
  }
}

/// `{"keywords": {"additionalProperties": "Members that …", …}}`
private struct KeywordList: Encodable { let keywords: [String: String] }

extension KeywordReference {
  /// All keywords by group, each with a one-sentence summary.
  fileprivate func overview(columns: Int?) -> String {
    let width = 25
    return groups.map { group in
      let lines = group.pages.flatMap { page in
        let names = page.keywords.joined(separator: ", ")
        let gap = width - names.count - 2
        if gap > 0 { return page.summary.wrapped(after: "  " + names + TextReport.blanks(gap), columns: columns) }
        // Long rows of names get their own line.
        return names.wrapped(after: "  ", columns: columns)
          + page.summary.wrapped(after: TextReport.blanks(width), columns: columns)
      }
      return "\(group.title)\n" + lines.map { $0 + "\n" }.joined()
    }.joined(separator: "\n")
  }
}

extension KeywordPage {
  /// The page with its fenced blocks indented by four spaces.
  ///
  /// - Parameter columns: the columns of the terminal, in which prose must fit. Examples and tables stay as they are.
  fileprivate func text(columns: Int?) -> String {
    var isCode = false
    var lines: [String] = []
    var paragraph = ""
    func endParagraph() {
      if paragraph.isEmpty { return }
      let label = paragraph.hasPrefix("- ") ? "- " : ""
      lines += String(paragraph.dropFirst(label.count)).wrapped(after: label, columns: columns)
      paragraph = ""
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        endParagraph()
        isCode.toggle()
      } else if isCode || columns == nil || line.isEmpty || line.hasPrefix("|") {
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
