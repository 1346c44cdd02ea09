import ArgumentParser
import Coffer
import Reports

struct FormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "List the built-in formats, or describe one of them or one of your own.",
    usage: "coffer formats [<options>] [<name-or-file>]",
    discussion: """
      A format of your own is a rule document with a backup descriptor: see coffer rules explain backup.

      Examples:
        coffer formats
        coffer formats ev-charging-tracker
        coffer formats my-app.json
        coffer formats ev-charging-tracker --print-rules > my-rules.json
        coffer formats keeptrack --json
        coffer formats my-app.yaml --map http://example.org/schemas/=schemas

      Exit status: 0 done; 2 wrong usage, or there is no such format, or its document has errors; 3 the output can't be \
      written; 4 the disk is full.
      """)

  @Argument(.rules, "The format to show: its name, or the path of its rule document; - is standard input.")
  var name: String?

  @Flag(help: "Print the format's rule document, as a start for rules of your own.")
  var printRules = false

  @OptionGroup(title: HelpSection.report) var reportFormat: ReportFormatArguments

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  func validate() throws {
    if printRules, name == nil { throw ValidationError("--print-rules needs the name of a format") }
    if printRules, reportFormat.isJSON {
      throw ValidationError("--print-rules prints the rule document itself: leave out --json")
    }
  }

  func run() throws {
    guard let name else { return try list(FormatCatalog.builtIn.formats) }
    let format = try ruleArguments.format(named: name)
    if printRules { return try Output.print(format.descriptor.printableJSON) }
    if reportFormat.isJSON { return try Output.print(json: FormatReport([format])) }
    try Output.print(format.overview(columns: Terminal.columns(of: \.output), hint: Hint.inReports["undetected"]))
  }

  private func list(_ formats: [BackupFormat]) throws {
    if reportFormat.isJSON { return try Output.print(json: FormatReport(formats)) }
    let width = formats.map(\.name.count).max() ?? 0
    let report = TextReport.plain
    let lines = formats.map { report.line($0.name + TextReport.blanks(width + 2 - $0.name.count), $0.title) }
    try Output.print(lines.joined())
  }
}

extension FormatCatalog {
  /// What a message adds for an unknown name: the nearest one, or all.
  func hint(for name: String) -> String {
    let suggestion = Suggestion.text(for: name, among: names)
    return suggestion.isEmpty ? "; the formats are \(names.joined(separator: ", "))" : suggestion
  }
}
