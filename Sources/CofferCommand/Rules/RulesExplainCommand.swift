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
