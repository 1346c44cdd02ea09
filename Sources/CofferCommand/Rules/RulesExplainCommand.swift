import ArgumentParser
import Coffer

struct RulesExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Explain a keyword of rule documents: its meaning, findings and cost; or list all keywords.",
    usage: "coffer rules explain [<options>] [<keyword>]",
    discussion: """
      In a shell, quote the $ of a name: '$ref'.

      Examples:
        coffer rules explain
        coffer rules explain minimum
        coffer rules explain '$data'
      """)

  @Argument(help: "The keyword.", completion: .keyword)
  var keyword: String?

  @OptionGroup var reportFormat: ReportFormatArguments<PlainReportFormat>

  func run() throws {
    let reference = KeywordReference()
    guard let keyword else {
      if reportFormat.isJSON { return try Output.print(json: KeywordList(keywords: reference.summaries)) }
      return try Output.print(reference.overview)
    }
    guard let page = reference[keyword] else {
      let suggestion = reference.nearest(to: keyword).map { "; did you mean '\($0)'?" } ?? ""
      Output.printError("there is no keyword '\(keyword)'\(suggestion)")
      throw ExitStatus.usage
    }
    if reportFormat.isJSON { return try Output.print(json: page) }
    try Output.print(page.textWithIndentedCode)
  }
}

/// `{"keywords": {"additionalProperties": "Members that …", …}}`
private struct KeywordList: Encodable { let keywords: [String: String] }

extension KeywordReference {
  /// All keywords by group, each with a one-sentence summary.
  fileprivate var overview: String {
    let width = 25
    return groups.map { group in
      let lines = group.pages.map { page in
        let names = "  " + page.keywords.joined(separator: ", ")
        // Long rows of names get their own line.
        let start = names.count < width ? names : names + "\n"
        let indentation = names.count < width ? width - names.count : width
        return start + String(repeating: " ", count: indentation) + page.summary + "\n"
      }
      return "\(group.title)\n" + lines.joined()
    }.joined(separator: "\n")
  }
}

extension KeywordPage {
  /// The page with its fenced blocks indented by four spaces.
  fileprivate var textWithIndentedCode: String {
    var isCode = false
    var lines: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else {
        lines.append(isCode ? "    " + line : line)
      }
    }
    return lines.joined(separator: "\n")
  }
}
