import ArgumentParser
import Coffer
import Findings
import Reports

struct FormatsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "formats",
    abstract: "List the formats that are known here, or describe one of them or one of your own.",
    usage: "coffer formats [<options>] [<name-or-file>]",
    discussion: """
      A format of your own is a rule document with a backup descriptor: see coffer rules explain backup. Listed are those of \
      the project file coffer.yaml, those in your own folder (~/.config/coffer/formats), and the built-in ones. Of formats with \
      one name, the first counts.

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
    let configuration = try FileUse(inputs: [], rules: [name], ruleArguments: ruleArguments).configuration()
    guard let name else { return try list(configuration) }
    let format = try configuration.format(named: name)
    if printRules { return try Output.print(format.descriptor.printableJSON) }
    Run.note(formats: [format.name])
    if reportFormat.isJSON { return try Output.print(json: FormatReport([format])) }
    let overview = format.overview(columns: Terminal.columns(of: \.output), hint: Hint.inReports["undetected"])
    try Output.print(overview + RunConfiguration.current.line)
  }

  private func list(_ configuration: Configuration) throws {
    let formats = configuration.catalog.formats
    if reportFormat.isJSON {
      let listed = formats.map { ListedFormat(format: $0, own: configuration.ownFormat($0.name)) }
      return try Output.print(json: ["formats": listed] as ReportMembers)
    }
    let width = formats.map(\.name.count).max() ?? 0
    let report = TextReport.plain
    let lines = formats.map { format in
      let origin = configuration.ownFormat(format.name).map { " (\($0.origin.rawValue): \($0.file))" } ?? ""
      return report.line(format.name + TextReport.blanks(width + 2 - format.name.count), format.title + origin)
    }
    try Output.print(lines.joined())
  }
}

/// A format, and where it comes from: `{"name": "trips", …, "origin": "project", "file": "rules/trips.yaml"}`.
private struct ListedFormat: Encodable {
  let format: BackupFormat
  let own: Configuration.OwnFormat?

  func encode(to encoder: any Encoder) throws {
    try format.encode(to: encoder)
    try encoder.encode([
      "origin": own?.origin.rawValue ?? "built-in", "file": IfPresent(own?.file.string),
    ])
  }
}

extension FormatCatalog {
  /// What a message adds for an unknown name: the nearest one, or all.
  func hint(for name: String) -> String {
    let suggestion = Suggestion.text(for: name, among: names)
    return suggestion.isEmpty ? "; the formats are \(names.joined(separator: ", "))" : suggestion
  }
}
