import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Reports
import RulesYAML
import SystemPackage

struct RulesTestCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Test rules: with defects planted in your backups, or with cases of your own.",
    usage: """
      coffer rules test [<options>] <rules> <file> ...
      coffer rules test [<options>] <rules> --cases <file> ...
      """,
    discussion: """
      With backups: plants one defect at a time in samples of them, such as a wrong type, a missing member or a dangling reference, and \
      shows what the rules let pass, worst first, with the keyword that would find it. A defect counts as missed if the rules \
      don't find it, though rules drafted from all the backups do. The score is the share of the defects that are caught. It doesn't depend \
      on threads or the machine.

      With --cases: runs the cases of a JSON or YAML file. Each has a document (a file, or written in the case), changes to it, and what \
      the rules must find: valid: true (no error), valid: false (at least one), or findings, a list of all codes and JSON Pointers. \
      Reports are about the cases: each is a rule of the report, and what differs from its expectation are findings at the case. \
      JUnit has a test case for each.

      Example of cases:

        file: export.json
        cases:
          - name: the export as it is
            valid: true
          - name: an expense of no car
            set: {/expenses/0/carId: 99}
            findings: [{code: foreign-key, pointer: /expenses/0/carId}]

      Examples:
        coffer rules test my-app.yaml export.json
        coffer rules test my-app.yaml backups/*.json --min-score 0.9
        coffer rules test my-app.yaml export.json --report html=score.html
        coffer rules test my-app.yaml export.json --suggest my-app.patch
        coffer rules test my-app.yaml --cases cases.yaml
        coffer rules test swiff --cases cases.json --report junit=tests.xml

      Exit status: 0 all cases pass, or the score is high enough; 1 some fail, or it is below --min-score; 2 wrong usage, rules or cases; 3 \
      something can't be read or written; 4 the output would replace an input, or the disk is full; 5 the rules ask for more than a limit \
      allows.
      """)

  @Argument(.rules.named("rules"), "The rules: a format's name (see: coffer formats), or a rule document.")
  var rules: String

  @Argument(.backup, "The backups to plant defects in: JSON, also compressed, or ZIP; - is standard input.")
  var files: [String] = []

  @Option(.file(ending: RuleSyntax.json.endings + RuleSyntax.yaml.endings), "The cases: JSON or YAML. May be repeated.")
  var cases: [String] = []

  @Option(
    .value("seconds"),
    "Roughly how long to plant defects, such as 30s or 5m (default: 30s). A fast machine plants as many as a slow one.")
  var budget: Seconds?

  @Option(.count, "Chooses other records and values (default: 0).")
  var seed: UInt64?

  @Option(.value("share"), "Fail if the score is below this number, from 0 to 1.")
  var minScore: Double?

  @Option(.file, "Write what the rules lack, as far as the backups support it, to this file: a patch of the rule document.")
  var suggest: String?

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<ReportFormat>

  @OptionGroup(title: HelpSection.report) var extentArguments: ExtentArguments

  @OptionGroup(title: HelpSection.report) var findingArguments: FindingArguments

  @OptionGroup(title: HelpSection.input) var inputFormatArgument: InputFormatArgument

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  func checkArguments() throws {
    if rules == "-" || cases.contains("-") { throw ValidationError("rules and cases must be files") }
    if cases.isEmpty {
      if files.isEmpty { throw ValidationError("name backups to plant defects in, or cases with --cases") }
      if let minScore, !(0...1).contains(minScore) { throw ValidationError("--min-score must be between 0 and 1") }
      if suggest != nil, files.contains("-") {
        throw ValidationError("--suggest reads the backups again: name files instead of standard input")
      }
      if suggest == "-" { throw ValidationError("--suggest needs a file; './-' is a file of this name") }
      let formats = reportArguments.formats.filter { ![.text, .json, .html].contains($0) }
      if let format = formats.first {
        throw ValidationError("a score has no report as \(format.rawValue): only text, json and html")
      }
    } else {
      if !files.isEmpty { throw ValidationError("backups and --cases can't be combined: cases name their documents") }
      if let option = Run.current.option(among: ["--budget", "--seed", "--min-score", "--suggest"]) {
        throw ValidationError("\(option) and --cases can't be combined")
      }
    }
  }

  var use: FileUse {
    FileUse(
      inputs: cases + files, rules: [rules], ruleArguments: ruleArguments,
      reports: reportArguments.allOutputs + [suggest].compactMap(\.self))
  }

  func run() throws {
    let configuration = try use.configuration()
    let source = try configuration.rules(named: rules)
    if cases.isEmpty { try score(source, configuration) } else { try runCases(by: source, configuration) }
  }

  private var options: ValidationOptions {
    var options = ValidationOptions(now: clock.instant)
    options.maximumFindings = findingArguments.limit(for: reportArguments.formats)
    options.redacts = findingArguments.redact
    options.syntax = inputFormatArgument.inputFormat
    options.limits = readerLimits.limits
    return options
  }

  /// Says which checks only validating a whole backup runs.
  private func noteChecks(of source: RuleSource) {
    guard case .format(let format) = source, !format.checks.isEmpty else { return }
    Output.printNotice("coffer: checks in SQL are not run: \(format.checks.map(\.name).joined(separator: ", "))")
  }

  // MARK: Defects

  private func score(_ source: RuleSource, _ configuration: Configuration) throws {
    let document = configuration.document(ofRules: rules)
    if suggest != nil {
      if FormatCatalog.builtIn.names.contains(document) {
        Output.printError("--suggest needs a rule document of your own: coffer formats \(rules) --print-rules writes one")
        throw ExitStatus.usage
      }
      if CompressionFormat(ofFileNamed: document) != nil {
        Output.printError("--suggest needs rules that aren't compressed, so that a patch applies to them")
        throw ExitStatus.usage
      }
    }
    let (score, suggestions): (RuleScore, RuleSuggestions?) = try work("planting defects") { execution in
      var options = RuleScorer.Options(validation: self.options)
      options.validation.execution = execution
      options.budget = budget?.count ?? options.budget
      options.seed = seed ?? options.seed
      let scorer = RuleScorer(source, options: options)
      let paths = files.map { FilePath($0) }
      let score = try scorer.score(paths)
      if suggest == nil { return (score, nil) }
      return (score, try self.suggestions(by: scorer, for: score, document, paths, configuration))
    }
    let isEnough = minScore.map { score.score ?? 0 >= $0 } ?? (score.missed == 0)
    try write(findingArguments.redact ? score.redacted : score, isEnough: isEnough)
    noteChecks(of: source)
    if let suggest, let suggestions { try write(suggestions, to: suggest, for: document) }
    if let minScore, !isEnough {
      let reason =
        score.score == nil
        ? "there is no score, because no defect could be planted" : "the score is below --min-score \(minScore)"
      Output.printNotice("coffer: \(reason)")
      throw ExitStatus.findings
    }
  }

  private func write(_ score: RuleScore, isEnough: Bool) throws {
    let limit = findingArguments.limit(for: reportArguments.formats)
    let (extent, quiet) = (extentArguments.extent, extentArguments.quiet)
    try reportArguments.write(
      Reported { renderer in
        quiet && isEnough ? "" : renderer.text(of: score, listing: extent == .counts ? 0 : limit)
      } others: { format, sink throws(CofferError) in
        switch format {
        case .html: try HTMLReport(toolVersion: Version.text).write(score, to: &sink)
        default: try JSONReport().write(ConfiguredReport(score), to: &sink)
        }
      })
  }

  // MARK: Suggestions

  private func suggestions(
    by scorer: RuleScorer, for score: RuleScore, _ document: String, _ paths: [FilePath], _ configuration: Configuration
  ) throws -> RuleSuggestions {
    do {
      let path = FilePath(document)
      return try scorer.suggestions(
        for: score, RuleDocument.text(of: FileSource(path: path)), configuration.syntax(ofRulesAt: document),
        configuration.options(ofRulesAt: document), named: Self.place(ofPatched: path).name, admitting: paths)
    } catch let error as CofferError where error.place.document == nil {
      throw error.inDocument(document)
    }
  }

  /// Returns the name of the patched file in a patch, and the folder where to apply it, if it isn't the current one.
  private static func place(ofPatched path: FilePath) -> (name: String, folder: String?) {
    let path = path.lexicallyNormalized()
    if path.isRelative, path.components.first?.kind != .parentDirectory { return (path.string.printable, nil) }
    return ((path.lastComponent?.string ?? "").printable, path.removingLastComponent().string)
  }

  private func write(_ suggestions: RuleSuggestions, to path: String, for document: String) throws {
    try Output.writeReport(to: path) { sink throws(CofferError) in try sink.write(suggestions.patch) }
    if suggestions.patch.isEmpty {
      Output.printNotice("\(path.printable): nothing to add")
    } else {
      let folder = Self.place(ofPatched: FilePath(document)).folder.map { " in \($0.printable)" } ?? ""
      Output.printNotice(
        "\(path.printable): \(suggestions.additions.count.counted("keyword")) to add; apply it with git apply -p0\(folder)")
    }
    for line in suggestions.leftOut { Output.printNotice("not suggested: \(line.printable)") }
  }

  // MARK: Cases

  private func runCases(by source: RuleSource, _ configuration: Configuration) throws {
    var (reports, counts): ([ValidationReport], [Int]) = ([], [])
    var options = options
    try work("running cases") { execution in
      options.execution = execution
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
    }
    noteChecks(of: source)
    var results = ValidationResults(reports, now: options.now)
    results.isRedacted = findingArguments.redact
    try reportArguments.write(results, by: reportArguments.renderer(of: extentArguments.extent), json: FileReports(reports)) {
      [reports, counts, quiet = extentArguments.quiet] renderer in
      zip(reports, counts).map { renderer.text(ofCases: $0, count: $1, quiet: quiet) }.joined()
    }
    if reports.contains(where: { !$0.isValid }) { throw ExitStatus.findings }
  }
}

/// A time such as `30s` or `5m`.
struct Seconds: ExpressibleByArgument {
  let count: Int

  init?(argument: String) {
    let units = ["s": 1, "m": 60, "h": 3600]
    let unit = argument.last.flatMap { units[String($0)] }
    guard let number = Int(unit == nil ? argument : String(argument.dropLast())), number > 0, number <= 86_400 else { return nil }
    count = number * (unit ?? 1)
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
