import ArgumentParser
import Coffer
import Findings
import Reports
import RulesYAML
import SystemPackage

struct ValidateCommand: EvaluatingVerb, ConcludingVerb {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check backups against the rules of their format, or against rules of your own.",
    discussion: """
      Without --rules, the format is detected from the start of the document. A document of unknown format is not valid, \
      even if it is well-formed JSON; use --syntax-only to check only the syntax. Each finding has the broken rule and the \
      place: JSON Pointer, line, column and byte offset.

      With --baseline, Coffer accepts findings that are known, and reports others as new. --update-baseline writes the \
      findings of a run. The file identifies them by code, collection and primary key, so that records may move.

      With --plan, Coffer runs one task of a validation that coffer split has divided among processes or machines, and writes \
      its result for coffer report merge. Files are those of the plan; other names may be given in the same order, or - \
      for the bytes of the task's parts.

      With --only, Coffer checks only the syntax of the other collections. References to their records still count.

      Examples:
        coffer validate export.json
        coffer validate backups/*.json --json --output report.json
        coffer validate export.json.lz4
        coffer validate backup.zip              its document, and all files in it
        xz -dc export.json.xz | coffer validate -
        coffer validate --rules rules.json --now 2026-01-01T00:00:00Z export.json
        coffer validate --rules rules.json --map urn:example:=schemas export.json
        coffer validate --baseline known.json export.json
        coffer validate --max-errors foreign-key=0.1% export.json
        coffer validate --only cars,expenses export.json
        coffer validate --syntax-only any.json
        coffer validate --plan plan.json --task 3 --partial 3.partial

      Exit status: 0 valid; 1 findings of severity error (see --fail-on), or an unknown format; 2 wrong usage or \
      rules; 3 one can't be read or is not JSON, or the report can't be written; 4 a report or baseline would \
      replace an input, or the disk is full; 5 no verdict, because the rules ask for more than a limit allows, \
      or refer to a document that is not available.
      """)

  @Argument(.backup, "The backups: JSON (also in LZ4, gzip or zstd), or ZIP; - is standard input.")
  var files: [String] = []

  @OptionGroup var evaluation: EvaluationArguments

  @OptionGroup var inputFormatArgument: InputFormatArgument

  @OptionGroup var findingArguments: FindingArguments

  @OptionGroup var onlyArgument: OnlyArgument

  @OptionGroup var clock: ClockArgument

  @OptionGroup var jobsArgument: JobsArgument

  @OptionGroup var memory: MemoryArgument

  @OptionGroup var expansion: ExpansionArguments

  @OptionGroup var progressArgument: ProgressArgument

  @OptionGroup var ruleArguments: RuleArguments

  @OptionGroup var reportArguments: ReportArguments<ReportFormat>

  @OptionGroup var extentArguments: ExtentArguments

  @OptionGroup var logArgument: LogArgument

  @OptionGroup var failureArguments: FailureArguments

  @OptionGroup var baselineArguments: BaselineArguments

  @OptionGroup var taskArguments: TaskArguments

  var log: String? { logArgument.log }

  var use: FileUse {
    guard let plan = taskArguments.plan else {
      return FileUse(
        inputs: files, others: baselineArguments.unchanged, rules: [evaluation.rules], ruleArguments: ruleArguments,
        reports: reportArguments.allOutputs, updated: baselineArguments.updated)
    }
    return FileUse(inputs: files, others: [plan], reports: taskArguments.outputs, subject: "the partial result")
  }

  /// The options of a task. The plan has the others.
  private static let taskOptions: Set = [
    "--plan", "--task", "--partial", "--keys", "--jobs", "--progress", "--no-progress", "--color", "--log",
  ]

  func checkArguments() throws {
    try extentArguments.check(reportArguments.format)
    if taskArguments.plan != nil {
      if Run.current.option(among: BaselineArguments.options.union(FailureArguments.options)) != nil {
        throw ValidationError("name baselines and thresholds when the results are joined: coffer report merge")
      }
      if let option = Run.current.option(among: Self.taskOptions, false) {
        throw ValidationError("\(option) can't be combined with --plan: the plan of coffer split has the options of the run")
      }
    } else {
      if files.isEmpty { throw ValidationError("name at least one file, or - for standard input") }
      try checkEvaluation()
      try baselineArguments.checkUpdate(by: self)
    }
  }

  func run() throws {
    if taskArguments.plan != nil { return try taskArguments.run(files, jobsArgument, progressArgument) }
    var options = validationOptions()
    let maximumFindings = findingArguments.limit(for: reportArguments.formats)
    options.maximumFindings = maximumFindings
    options.explainsKeys = true
    let ruleSource = try evaluation.ruleSource(ruleArguments)
    let (reports, known) = try work("validating") { execution in
      options.execution = execution
      let known = try baselineArguments.read(execution)
      options.baseline = baselineArguments.compared(known)
      if baselineArguments.updateBaseline { options.keepAllFindings() }
      let validator = Validator(ruleSource, options: options)
      try validator.prepare()
      let reports = try execution.results(for: files) { try validator.validate(file: $0, cancellation: execution.cancellation) }
      return (reports, known)
    }
    let ruleWarnings = evaluation.rules.flatMap { ruleSource.warnings(of: FileSource.name(ofArgument: $0)) }
    if evaluation.rules != nil, ruleWarnings?.notApplied ?? 0 == 0,
      reports.allSatisfy({ $0.error == nil && $0.format != nil && $0.checkedRules.isEmpty })
    {
      Output.printNotice("coffer: the rules accept every document")
    }
    var results = ValidationResults(reports, now: options.now)
    results.isRedacted = findingArguments.redact
    results.ruleWarnings = ruleWarnings
    try conclude(results, known: known, keeping: maximumFindings)
  }
}

extension Validator {
  /// Validates a file or standard input. If it can't be opened, the report has the error.
  fileprivate func validate(file: String, cancellation: Cancellation?) throws -> ValidationReport {
    let source: FileSource
    do throws(CofferError) {
      source = try FileSource(argument: file, cancellation: cancellation)
    } catch {
      var report = ValidationReport(file: file)
      report.error = error
      return report
    }
    return try validate(source, named: FileSource.name(ofArgument: file))
  }
}
