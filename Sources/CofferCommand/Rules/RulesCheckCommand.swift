import ArgumentParser
import Coffer
import Reports
import SystemPackage

struct RulesCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check rule documents, and show what their rules cost.",
    usage: "coffer rules check [<options>] <file> ...",
    discussion: """
      Validates a rule document with the meta-schema that its $schema names (of Coffer, or of JSON Schema 2020-12, 2019-09, \
      7, 6 and 4), and compiles it. For a valid one, the report shows what is kept in memory, which arrays are split among \
      threads, and which keywords prevent that for others.

      Examples:
        coffer rules check rules.json
        coffer rules check ev-charging-tracker
        coffer rules check rules/*.json --json
        coffer rules check rules.json --map http://example.org/=schemas

      Exit status: 0 valid; 2 a document has errors; 3 one can't be read or is not JSON, or the report can't be written; 4 the \
      report would replace an input, or the disk is full.
      """)

  @Argument(
    help: ArgumentHelp(
      "The rule documents, or names of formats (see: coffer formats); - is standard input.", valueName: "file"),
    completion: .rules)
  var files: [String]

  @OptionGroup var reportArguments: ReportArguments

  @OptionGroup var ruleArguments: RuleArguments

  func validate() throws {
    if files.isEmpty { throw ValidationError("name at least one rule document, or - for standard input") }
    if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input can be read only once") }
    try ruleArguments.checkReferences(of: files, against: [reportArguments.output])
  }

  func run() throws {
    try reportArguments.checkOutput(reading: files)
    let catalog = FormatCatalog.builtIn
    let checks = files.map { check($0, catalog) }
    try reportArguments.write(json: FileReports(checks)) { renderer in
      var renderer = renderer
      renderer.showsMeasures = false
      return checks.map { renderer.text(of: $0.report) + ($0.cost.map(renderer.text(of:)) ?? "") }.joined(separator: "\n")
    }
    Hint.print(for: checks.map(\.report))
    if let status = checks.map(status(of:)).max(), status != .success { throw status }
  }

  private func check(_ file: String, _ catalog: FormatCatalog) -> RuleCheck {
    let options = ruleArguments.options(ofRulesAt: file)
    if file == "-" { return RuleCheck(FileSource.standardInput(), named: "standard input", options: options) }
    if let format = catalog[file] { return RuleCheck(MemorySource(format.descriptor.utf8), named: file, options: options) }
    do throws(CofferError) {
      let path = FilePath(file)
      return RuleCheck(try FileSource(path: path), named: file, syntax: options.syntax(of: path), options: options)
    } catch {
      return RuleCheck(unreadable: file, error)
    }
  }

  private func status(of check: RuleCheck) -> ExitStatus {
    check.report.error != nil ? .unreadable : check.report.isValid ? .success : .usage
  }
}
