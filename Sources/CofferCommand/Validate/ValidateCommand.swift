import ArgumentParser
import Coffer
import Findings
import Reports
import RulesYAML
import SystemPackage

#if !COFFER_WITHOUT_DATABASES
  import CofferSQLite
#endif

struct ValidateCommand: EvaluatingVerb, ConcludingVerb, FilesVerb {
  static let configuration = CommandConfiguration(
    commandName: "validate",
    abstract: "Check backups against the rules of their format, or against rules of your own.",
    discussion: """
      Without --rules, the format is detected. A document of unknown format is not valid; --syntax-only checks any JSON. \
      Each finding has the broken rule and the place: JSON Pointer, line, column and byte offset. \
      coffer split divides a validation among machines; --help-hidden shows the options of its tasks.

      Examples:
        coffer validate export.json
        coffer validate backups --json --output report.json
        coffer validate backup.zip              its document, and all files in it
        xz -dc export.json.xz | coffer validate -
        coffer validate --rules rules.json --now 2026-01-01T00:00:00Z export.json
        coffer validate --baseline known.json export.json
        coffer validate --max-errors foreign-key=0.1% export.json

      Exit status: 0 valid; 1 findings of severity error (see --fail-on), or an unknown format; 2 wrong usage or \
      rules; 3 one can't be read or is not JSON, or the report can't be written; 4 a report or baseline would \
      replace an input, or the disk is full; 5 no verdict, because the rules ask for more than a limit allows, \
      or refer to a document that is not available.
      """)

  @OptionGroup(title: HelpSection.input) var filesArgument: FilesArgument

  @OptionGroup(title: HelpSection.rules) var evaluation: EvaluationArguments

  @OptionGroup(title: HelpSection.input) var inputFormatArgument: InputFormatArgument

  @OptionGroup(title: HelpSection.report) var findingArguments: FindingArguments

  @OptionGroup(title: HelpSection.input) var onlyArgument: OnlyArgument

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<ReportFormat>

  @OptionGroup(title: HelpSection.report) var extentArguments: ExtentArguments

  @OptionGroup(title: HelpSection.report) var rejectsArgument: RejectsArgument

  @OptionGroup(title: HelpSection.report) var logArgument: LogArgument

  @OptionGroup(title: HelpSection.verdict) var failureArguments: FailureArguments

  @OptionGroup(title: HelpSection.verdict) var baselineArguments: BaselineArguments

  @Flag(
    help: """
      Run the checks in SQL that the format declares, on temporary tables (default: a warning says that they were not run).
      """)
  var sqlChecks = false

  @OptionGroup(visibility: .hidden) var taskArguments: TaskArguments

  var log: String? { logArgument.log }

  var use: FileUse {
    guard let plan = taskArguments.plan else {
      return FileUse(
        inputs: files, others: baselineArguments.unchanged + filesArgument.lists, rules: [evaluation.rules],
        ruleArguments: ruleArguments,
        reports: reportArguments.allOutputs + [rejectsArgument.rejects].compactMap(\.self), updated: baselineArguments.updated)
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
      try filesArgument.checkPresence()
      try checkEvaluation()
      try baselineArguments.checkUpdate(by: self)
      if sqlChecks, Run.current.option(among: BaselineArguments.options) != nil {
        throw ValidationError("--sql-checks can't be combined with a baseline")
      }
      #if COFFER_WITHOUT_DATABASES
        if sqlChecks { throw ValidationError("this build has no databases, and so no --sql-checks") }
      #endif
      if sqlChecks, files.contains("-") { throw ValidationError("--sql-checks needs files, which it reads again") }
    }
  }

  /// Finds the files, sets the options that only the project file has, and says so in the reports.
  mutating func configure() throws {
    if taskArguments.plan != nil { return }
    try filesArgument.expand()
    guard let project = try use.project() else { return }
    let given = Run.current.options
    func takes(_ name: String) -> Bool {
      !given.contains("--\(name)") && (name != "fail-on" || !given.contains("--strict"))
    }
    if takes("duplicate-keys"), let choice = project.duplicateKeys { evaluation.duplicateKeys = choice }
    if takes("fail-on"), let severity = project.failOn { failureArguments.failOn = severity }
    if takes("max-errors"), let tolerated = project.maxErrors { failureArguments.maxErrors = tolerated }
    if takes("baseline"), let path = project.baseline { baselineArguments.baseline = path.string }
    Run.note(options: project.options.filter { takes($0.name) })
  }

  func run() throws {
    if taskArguments.plan != nil { return try taskArguments.run(files, jobsArgument, progressArgument) }
    var options = validationOptions()
    let maximumFindings = findingArguments.limit(for: reportArguments.formats)
    options.maximumFindings = maximumFindings
    options.explainsKeys = true
    options.runsSQLChecks = sqlChecks
    let configuration = try use.configuration()
    let sources = try configuration.values(of: files, rules: evaluation.rules) {
      try evaluation.ruleSource(configuration, for: $0)
    }
    let (reports, known) = try work("validating") { execution in
      options.execution = execution
      let known = try baselineArguments.read(execution)
      options.baseline = baselineArguments.compared(known)
      if baselineArguments.updateBaseline { options.keepAllFindings() }
      let validators = sources.map { Validator($0, options: options) }
      for validator in validators.all { try validator.prepare() }
      let reports =
        if rejectsArgument.rejects != nil {
          try reject(validators, execution)
        } else {
          try execution.results(for: files) { file, execution in
            try validators[file].running(execution).validate(file: file, cancellation: execution.cancellation)
          }
        }
      #if !COFFER_WITHOUT_DATABASES
        if sqlChecks {
          return (try zip(files, reports).map { try checkedInSQL($1, $0, sources[$0], configuration.catalog, options) }, known)
        }
      #endif
      return (reports, known)
    }
    Run.note(formats: reports.map(\.format))
    var results = ValidationResults(reports, now: options.now)
    results.isRedacted = findingArguments.redact
    results.ruleWarnings = configuration.warnings(of: sources.all.first, named: evaluation.rules, on: reports)
    try conclude(results, known: known, keeping: maximumFindings)
  }
}

extension ValidateCommand {
  #if !COFFER_WITHOUT_DATABASES
    /// Runs the checks in SQL on a file.
    private func checkedInSQL(
      _ report: ValidationReport, _ file: String, _ rules: RuleSource, _ catalog: FormatCatalog, _ options: ValidationOptions
    ) throws -> ValidationReport {
      let format: BackupFormat? =
        switch rules {
        case .format(let format): format
        case .detected(let catalog): report.format.flatMap { catalog[$0] }
        case .document: nil
        }
      return try format.map { try SQLChecks($0, options: options).add(to: report, of: FilePath(file), catalog: catalog) }
        ?? report
    }
  #endif

  /// Validates the files one after another, and writes their records with errors.
  private func reject(_ validators: FileValues<Validator>, _ execution: Execution) throws -> [ValidationReport] {
    var count = 0
    let reports = try rejectsArgument.writing { reject in
      try files.map { file in
        try validators[file].running(execution).validate(file: file, cancellation: execution.cancellation) { entry, bytes in
          if !entry.continues, !bytes.isEmpty { count += 1 }
          try reject?(entry, bytes, file)
        }
      }
    }
    if let name = rejectsArgument.rejects, reports.contains(where: { $0.counts.count(.error) > 0 || $0.error != nil }) {
      Output.printNotice(
        "coffer: \(count.counted("record")) with errors \(count == 1 ? "is" : "are") in \(name.printable); "
          + "errors outside of records are in the report alone")
    }
    return reports
  }
}

extension Validator {
  /// Validates a file or standard input. If it can't be opened, the report has the error.
  fileprivate func validate(
    file: String, cancellation: Cancellation?, rejecting reject: ((LeftOut, UnsafeRawBufferPointer) throws -> Void)? = nil
  ) throws -> ValidationReport {
    let source: FileSource
    do throws(CofferError) {
      source = try FileSource(argument: file, cancellation: cancellation)
    } catch {
      var report = ValidationReport(file: file)
      report.error = error
      return report
    }
    let name = FileSource.name(ofArgument: file)
    guard let reject else { return try validate(source, named: name) }
    return try validate(source, named: name, rejecting: reject)
  }
}
