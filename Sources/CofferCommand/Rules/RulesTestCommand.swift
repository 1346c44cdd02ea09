import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Reports
import RulesYAML
import SystemPackage

struct RulesTestCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Test rules: documents, and what must be found in them.",
    usage: "coffer rules test [<options>] <rules> --cases <file> ...",
    discussion: """
      Runs the cases of a JSON or YAML file. Each has a document (a file, or written in the case), changes to it, and what the rules must \
      find: valid: true (no error), valid: false (at least one), or findings, a list of all codes and JSON Pointers.

      Reports are about the cases: each is a rule of the report, and what differs from its expectation are findings at the case. \
      JUnit has a test case for each.

      Example:

        file: export.json
        cases:
          - name: the export as it is
            valid: true
          - name: an expense of no car
            set: {/expenses/0/carId: 99}
            findings: [{code: foreign-key, pointer: /expenses/0/carId}]

      Examples:
        coffer rules test my-app.yaml --cases cases.yaml
        coffer rules test swiff --cases cases.json --report junit=tests.xml

      Exit status: 0 all cases pass; 1 some fail; 2 wrong usage, rules or cases; 3 something can't be read or written; 4 the report would \
      replace an input, or the disk is full; 5 the rules ask for more than a limit allows.
      """)

  @Argument(.rules.named("rules"), "The rules: a format's name (see: coffer formats), or a rule document.")
  var rules: String

  @Option(.file(ending: RuleSyntax.json.endings + RuleSyntax.yaml.endings), "The cases: JSON or YAML. May be repeated.")
  var cases: [String] = []

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<ReportFormat>

  @OptionGroup(title: HelpSection.report) var extentArguments: ExtentArguments

  @OptionGroup(title: HelpSection.report) var findingArguments: FindingArguments

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  func checkArguments() throws {
    if cases.isEmpty { throw ValidationError("name the cases with --cases") }
    if rules == "-" || cases.contains("-") { throw ValidationError("rules and cases must be files") }
  }

  var use: FileUse {
    FileUse(inputs: cases, rules: [rules], ruleArguments: ruleArguments, reports: reportArguments.allOutputs)
  }

  func run() throws {
    let configuration = try use.configuration()
    let source = try configuration.rules(named: rules)
    var options = ValidationOptions(now: clock.instant)
    options.maximumFindings = findingArguments.limit(for: reportArguments.formats)
    options.redacts = findingArguments.redact
    options.execution.cancellation = Interruption.start()
    var (reports, counts): ([ValidationReport], [Int]) = ([], [])
    for name in cases {
      let path = FilePath(name)
      do {
        let tests = try RuleCases(
          FileSource(path: path), syntax: configuration.syntax(ofRulesAt: name), folder: path.removingLastComponent())
        reports.append(try tests.report(named: name, testing: source, options: options))
        counts.append(tests.count)
      } catch let error as CofferError {
        throw error.inDocument(name)
      }
    }
    var results = ValidationResults(reports, now: options.now)
    results.isRedacted = findingArguments.redact
    try reportArguments.write(results, by: reportArguments.renderer(of: extentArguments.extent), json: FileReports(reports)) {
      [quiet = extentArguments.quiet] renderer in
      zip(reports, counts).map { renderer.text(ofCases: $0, count: $1, quiet: quiet) }.joined()
    }
    if reports.contains(where: { !$0.isValid }) { throw ExitStatus.findings }
  }
}

extension TextReport {
  /// Returns the failures of cases, and how many passed.
  fileprivate func text(ofCases report: ValidationReport, count: Int, quiet: Bool) -> String {
    let failed = Set(report.counts.byRule.keys.map(\.schemaLocation)).count
    if failed == 0 { return quiet ? "" : "\(report.file.printable): \(count.counted("case passes", "cases pass"))\n" }
    var renderer = self
    renderer.showsMeasures = false
    return renderer.text(of: report)
      + "\(report.file.printable): \(failed.grouped) of \(count.counted("case")) \(failed == 1 ? "fails" : "fail")\n"
  }
}
