public import ArgumentParser
public import Coffer
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

      With --only, Coffer checks only the syntax of the other collections. References to their records still count.

      Examples:
        coffer validate export.json
        coffer validate backups/*.json --json --output report.json
        coffer validate export.json.lz4
        coffer validate backup.zip              its document, and all files in it
        gunzip -c export.json.gz | coffer validate -
        coffer validate --rules rules.json --now 2026-01-01T00:00:00Z export.json
        coffer validate --rules rules.json --map urn:example:=schemas export.json
        coffer validate --baseline known.json export.json
        coffer validate --max-errors foreign-key=0.1% export.json
        coffer validate --only cars,expenses export.json
        coffer validate --syntax-only any.json

      Exit status: 0 valid; 1 findings of severity error (see --fail-on), or an unknown format; 2 wrong usage or \
      rules; 3 one can't be read or is not JSON, or the report can't be written; 4 a report or baseline would \
      replace an input, or the disk is full; 5 no verdict, because the rules ask for more than a limit allows.
      """)

  @Argument(
    help: ArgumentHelp("The backups: JSON, JSON in LZ4, or ZIP; - is standard input.", valueName: "file"), completion: .backup)
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "The rules: a format's name (see: coffer formats) or a rule document's path; JSON, or YAML if it ends in .yaml or .yml; - is standard input.",
      valueName: "name-or-file"), completion: .rules)
  var rules: String?

  @Flag(help: "Check only the syntax; apply no rules.")
  var syntaxOnly = false

  @OptionGroup var inputFormatArgument: InputFormatArgument

  @OptionGroup var reportArguments: ValidationReportArguments

  @OptionGroup var logArgument: LogArgument

  @OptionGroup var findingArguments: FindingArguments

  @OptionGroup var reading: ReadingArguments

  @Option(help: "How to treat duplicate keys in an object.")
  var duplicateKeys = ValidationOptions.DuplicateKeys.warn

  @OptionGroup var failureArguments: FailureArguments

  @OptionGroup var baselineArguments: BaselineArguments

  @OptionGroup var onlyArgument: OnlyArgument

  /// All files that are read.
  private var inputs: [String] { files + [rules].compactMap(\.self) }
  /// All files that are written.
  private var outputs: [String] {
    reportArguments.outputs + [baselineArguments.updateBaseline ? baselineArguments.baseline : nil].compactMap(\.self)
  }

  func validate() throws {
    if files.isEmpty { throw ValidationError("name at least one file, or - for standard input") }
    if syntaxOnly, rules != nil || onlyArgument.selection != nil {
      throw ValidationError("--syntax-only applies no rules: it can't be combined with --rules or --only")
    }
    if inputs.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input can be read only once") }
    try ruleArguments.check([rules], against: outputs)
    if baselineArguments.updateBaseline, findingArguments.redact || onlyArgument.selection != nil || syntaxOnly {
      throw ValidationError("--update-baseline needs all findings with their keys, without --redact, --only and --syntax-only")
    }
  }

  func run() throws {
    try reportArguments.checkOutputs(reading: files + [baselineArguments.baseline].compactMap(\.self))
    if baselineArguments.updateBaseline {
      try Output.checkReports([baselineArguments.baseline].compactMap(\.self), as: "the baseline", reading: files)
    }
    var options = ValidationOptions(now: reading.clock.instant)
    options.syntax = inputFormatArgument.syntax
    options.maximumFindings = findingArguments.maxFindings
    options.redacts = findingArguments.redact
    options.only = onlyArgument.selection
    options.duplicateKeys = duplicateKeys
    options.addsPlaces = reportArguments.showsPlaces
    let ruleSource = try syntaxOnly ? .syntaxOnly() : rules.map { try ruleArguments.rules(named: $0) } ?? .detected(.builtIn)
    var reports: [ValidationReport]
    let known: Baseline?
    do {
      (reports, known) = try reading.progressArgument.show("validating") { progress in
        options.execution = reading.execution(progress)
        let known = try baselineArguments.baseline(for: &options)
        let validator = Validator(ruleSource, options: options)
        try validator.prepare()
        let reports = try progress.results(for: files) {
          try validator.validate(file: $0, cancellation: options.execution.cancellation)
        }
        return (reports, known)
      }
    } catch {
      throw ExitStatus.ending(with: error, inputs: files, rules: rules)
    }
    try Interruption.stop()
    let failure = baselineArguments.update(known, by: &reports, keeping: findingArguments.maxFindings)
    reports.joinResolved()
    failureArguments.checkCodes(of: reports)
    var results = ValidationResults(reports)
    results.policy = failureArguments.policy
    results.isRedacted = findingArguments.redact
    OperationLog.note([
      "files": reports.count, "valid": reports.count { results.verdict(on: $0) == .valid },
      "errors": reports.reduce(0) { $0 + $1.counts.count(.error) },
      "warnings": reports.reduce(0) { $0 + $1.counts.count(.warning) },
    ])
    OperationLog.note(errorOf: reports)
    try reportArguments.write(results)
    let status = max(ExitStatus(results), failure ?? .success)
    if status != .success { throw status }
  }
}

extension ValidateCommand: LoggedCommand {
  var loggedFiles: [String] { files }
  var usedFiles: [String] {
    RuleArguments.documents(of: [rules]) + [baselineArguments.baseline].compactMap(\.self) + reportArguments.outputs
  }
  var usedFolders: [String] { [] }
  var ruleArguments: RuleArguments { reading.ruleArguments }
}

extension ValidationOptions.DuplicateKeys: ExpressibleByArgument {}

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
    return try validate(source, named: TransferArguments.name(of: file))
  }
}
