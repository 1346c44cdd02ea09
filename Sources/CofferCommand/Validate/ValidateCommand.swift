import ArgumentParser
import Coffer
import Findings
import Reports
import RulesYAML
import SystemPackage

struct ValidateCommand: ParsableCommand {
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

  @Argument(
    help: ArgumentHelp("The backups: JSON (also in LZ4, gzip or zstd), or ZIP; - is standard input.", valueName: "file"),
    completion: .backup)
  var files: [String] = []

  @OptionGroup var evaluation: EvaluationArguments

  @OptionGroup var reading: ReadingArguments

  @OptionGroup var reportArguments: ValidationReportArguments

  @OptionGroup var logArgument: LogArgument

  @OptionGroup var failureArguments: FailureArguments

  @OptionGroup var baselineArguments: BaselineArguments

  @OptionGroup var taskArguments: TaskArguments

  /// All files that are written.
  private var outputs: [String] {
    reportArguments.outputs
      + [baselineArguments.updateBaseline ? baselineArguments.baseline : nil].compactMap(\.self) + taskArguments.outputs
  }

  func validate() throws {
    if let plan = taskArguments.plan {
      if let option = evaluation.givenOption(reading) ?? reportArguments.givenOption {
        throw ValidationError("\(option) can't be combined with --plan: the plan of coffer split has the options of the run")
      }
      if baselineArguments.baseline != nil || failureArguments.isGiven {
        throw ValidationError("name baselines and thresholds when the results are joined: coffer report merge")
      }
      if taskArguments.outputs.contains(where: { Output.isSameFile(plan, $0) }) {
        throw ValidationError("--partial and --keys can't replace the plan")
      }
      if let partial = taskArguments.partial, let keys = taskArguments.keys, Output.isSameFile(partial, keys) {
        throw ValidationError("--partial and --keys need different files")
      }
      return
    }
    if files.isEmpty { throw ValidationError("name at least one file, or - for standard input") }
    try evaluation.check(files, against: outputs, reading)
    try baselineArguments.checkUpdate(by: evaluation)
  }

  func run() throws {
    if taskArguments.plan != nil { return try taskArguments.run(files, reading) }
    try reportArguments.checkOutputs(reading: files + [baselineArguments.baseline].compactMap(\.self))
    if baselineArguments.updateBaseline {
      try Output.checkReports([baselineArguments.baseline].compactMap(\.self), as: "the baseline", reading: files)
    }
    var options = evaluation.options(reading)
    let maximumFindings = evaluation.findingArguments.limit(for: reportArguments.formats)
    options.maximumFindings = maximumFindings
    options.explainsKeys = true
    let ruleSource = try evaluation.ruleSource(reading)
    var reports: [ValidationReport]
    let known: Baseline?
    do {
      (reports, known) = try reading.progressArgument.show("validating") { progress in
        options.execution = reading.execution(progress)
        let known = try baselineArguments.read(options.execution)
        options.baseline = baselineArguments.compared(known)
        if baselineArguments.updateBaseline { options.keepAllFindings() }
        let validator = Validator(ruleSource, options: options)
        try validator.prepare()
        let reports = try progress.results(for: files) {
          try validator.validate(file: $0, cancellation: options.execution.cancellation)
        }
        return (reports, known)
      }
    } catch {
      throw ExitStatus.ending(with: error, inputs: files, rules: evaluation.rules)
    }
    try Interruption.stop()
    let ruleWarnings = evaluation.rules.flatMap { ruleSource.warnings(of: FileSource.name(ofArgument: $0)) }
    if evaluation.rules != nil, ruleWarnings?.notApplied ?? 0 == 0,
      reports.allSatisfy({ $0.error == nil && $0.format != nil && $0.checkedRules.isEmpty })
    {
      Output.printNotice("coffer: the rules accept every document")
    }
    try ValidationConclusion(
      failureArguments: failureArguments, baselineArguments: baselineArguments, reportArguments: reportArguments,
      maximumFindings: maximumFindings, isRedacted: evaluation.findingArguments.redact,
      ruleWarnings: ruleWarnings, now: options.now
    ).conclude(reports, known)
  }
}

/// The end of a run that has validated files: the baseline, the verdict, the reports and the exit status.
struct ValidationConclusion {
  let failureArguments: FailureArguments
  let baselineArguments: BaselineArguments
  let reportArguments: ValidationReportArguments
  let maximumFindings: Int
  let isRedacted: Bool
  let ruleWarnings: RuleWarnings?
  let now: Instant?

  /// - Parameter known: the baseline that the reports were compared with.
  /// - Throws: the exit status, unless it is that of success.
  func conclude(_ reports: [ValidationReport], _ known: Baseline?) throws {
    if let report = reports.first(where: { $0.mayNeedEach && $0.error == nil }) {
      Output.printNotice(
        "coffer: \(report.file.printable) is a list of values, but the rules describe a single one; --each applies them to each value"
      )
    }
    var reports = reports
    let failure = baselineArguments.update(known, by: &reports, keeping: maximumFindings)
    reports.joinResolved()
    failureArguments.checkCodes(of: reports)
    var results = ValidationResults(reports, now: now)
    results.policy = failureArguments.policy
    results.isRedacted = isRedacted
    results.ruleWarnings = ruleWarnings
    results.source = SourceText.read
    OperationLog.note([
      "files": reports.count, "valid": reports.count { results.verdict(on: $0) == .valid },
      "errors": reports.reduce(0) { $0 + $1.counts.count(.error) },
      "warnings": reports.reduce(0) { $0 + $1.counts.count(.warning) },
    ])
    OperationLog.note(errorOf: reports)
    try reportArguments.write(results)
    Hint.print(for: reports)
    let status = max(ExitStatus(results), failure ?? .success)
    if status != .success { throw status }
  }
}

extension ValidateCommand: LoggedCommand {
  var loggedFiles: [String] { files }
  var usedFiles: [String] {
    RuleArguments.documents(of: [evaluation.rules])
      + [baselineArguments.baseline, taskArguments.plan].compactMap(\.self) + taskArguments.outputs
      + reportArguments.outputs
  }
  var usedFolders: [String] { [] }
  var ruleArguments: RuleArguments { reading.ruleArguments }
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
