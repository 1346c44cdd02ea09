import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Reports
import SystemPackage

struct MergeReportsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge the results of all tasks of a plan into the report of one run.",
    discussion: """
      The report and the exit status are those of coffer validate with the plan's files, rules and options. The files of the plan are \
      read again from the place where a task failed, and to locate the ends of values with findings.

      Examples:
        coffer report merge --plan plan.json *.partial
        coffer report merge --plan plan.json *.partial --json --output report.json

      Exit status: 0 valid; 1 findings of severity error (see --fail-on), or an unknown format; 2 wrong usage or rules; 3 a file can't \
      be read or written, is damaged or is not JSON; 4 a result is missing or belongs to another plan, or the disk is full; 5 no verdict, because the rules \
      ask for more than a limit allows.
      """)

  @Argument(help: ArgumentHelp("The results of the tasks, in any order.", valueName: "partial"), completion: .file())
  var partials: [String]

  @Option(help: ArgumentHelp("The plan of coffer split.", valueName: "file"), completion: .file(extensions: ["json"]))
  var plan: String

  @Option(
    help: ArgumentHelp("Another path for a file of the plan, in the plan's order. May be repeated.", valueName: "file"),
    completion: .backup)
  var input: [String] = []

  @Option(
    help: ArgumentHelp(
      "Merge results of consecutive tasks into this file, without a report. It can be merged with others.", valueName: "file"
    ),
    completion: .file())
  var partial: String?

  @Option(
    help: ArgumentHelp(
      "The violations that coffer report keys found in a bucket, if tasks have written keys with --keys. Repeated for each bucket.",
      valueName: "file"), completion: .file())
  var violations: [String] = []

  @Option(
    help: ArgumentHelp(
      "Write the operations on keys that the tasks don't have, for coffer report keys, without a report.", valueName: "file"),
    completion: .file())
  var keys: String?

  @OptionGroup var rangeServerArgument: RangeServerArgument

  @OptionGroup var failureArguments: FailureArguments

  @OptionGroup var baselineArguments: BaselineArguments

  @OptionGroup var reportArguments: ValidationReportArguments

  @OptionGroup var jobsArgument: JobsArgument

  @OptionGroup var progressArgument: ProgressArgument

  func validate() throws {
    if partials.isEmpty { throw ValidationError("name the results of the plan's tasks") }
    if partial != nil, keys != nil || !violations.isEmpty {
      throw ValidationError("--partial can't be combined with --keys or --violations")
    }
    if keys != nil, !violations.isEmpty { throw ValidationError("--keys can't be combined with --violations") }
    let verdict = failureArguments.isGiven ? "--fail-on" : baselineArguments.baseline == nil ? nil : "--baseline"
    if let output = partial == nil ? keys.map({ _ in "--keys" }) : "--partial",
      let option = reportArguments.givenOption ?? verdict
    {
      throw ValidationError("\(option) applies to a report, but \(output) writes none")
    }
  }

  func run() throws {
    let inputs = partials + violations + [plan] + input
    if let output = partial ?? keys {
      try Output.checkReports([output], as: "the result", reading: inputs)
      do {
        try progressArgument.show("joining") { progress in
          let (merge, sources, _, _) = try open(progress)
          var file = try OutputFile(output, existing: .replace)
          if keys == nil { try merge.join(sources, to: &file) } else { try merge.writeKeys(sources, to: &file) }
          try file.commit()
        }
      } catch {
        throw ExitStatus.ending(with: error, inputs: inputs)
      }
      return try Interruption.stop()
    }
    try reportArguments.checkOutputs(reading: inputs + [baselineArguments.baseline].compactMap(\.self))
    let (reports, opened, known): ([ValidationReport], OpenedPlan, Baseline?)
    do {
      (reports, opened, known) = try progressArgument.show("joining") { progress in
        let (merge, sources, opened, known) = try open(progress)
        return (try merge.reports(sources, violations: try Self.sources(violations)), opened, known)
      }
    } catch {
      throw ExitStatus.ending(with: error, inputs: inputs)
    }
    try Interruption.stop()
    let plan = opened.plan
    Output.printNotice(of: opened.ruleWarnings)
    try ValidationConclusion(
      failureArguments: failureArguments, baselineArguments: baselineArguments, reportArguments: reportArguments,
      maximumFindings: plan.options.maxFindings, isRedacted: plan.options.redact, ruleWarnings: opened.ruleWarnings,
      now: Instant(plan.now)
    ).conclude(reports, known)
  }

  private func open(
    _ progress: WorkProgress
  ) throws -> (
    merge: PlanMerge, sources: [(name: String, source: any ByteSource)], opened: OpenedPlan, known: Baseline?
  ) {
    let execution = jobsArgument.execution(progress)
    let opened = try OpenedPlan(
      plan, files: input, on: rangeServerArgument.server, addingPlaces: reportArguments.showsPlaces, execution)
    for output in reportArguments.outputs { try opened.checkOutput(output, as: "the report") }
    for output in [partial, keys].compactMap(\.self) { try opened.checkOutput(output, as: "the result") }
    let planned = opened.plan.options
    var known: Baseline?
    var compared: Baseline?
    if partial == nil, keys == nil {
      known = try baselineArguments.read(execution)
      compared = baselineArguments.compared(known)
      try checkBaseline(known, planned.baseline)
    }
    let kept = baselineArguments.updateBaseline ? Baseline.limit : planned.maxFindings
    let merge = PlanMerge(
      opened.plan, digest: opened.digest, opened.validator, baseline: compared.map { ($0, kept) }, open: opened.open)
    return (merge, try Self.sources(partials), opened, known)
  }

  private static func sources(_ paths: [String]) throws -> [(name: String, source: any ByteSource)] {
    try paths.map { path in (name: path, source: try FileSource(path: FilePath(path), cancellation: Interruption.start())) }
  }

  /// Throws if the tasks didn't keep the findings that this baseline needs.
  private func checkBaseline(_ known: Baseline?, _ planned: SplitPlan.BaselineUse?) throws(CofferError) {
    let given = baselineArguments.use(known)
    if given == planned { return }
    let reason =
      switch (given, planned) {
      case (nil, _): "the plan was made with a baseline: pass it with --baseline"
      case (_, nil): "the plan was made without a baseline: pass --baseline to coffer split, too"
      case (let given?, let planned?) where given.isUpdated != planned.isUpdated:
        "--update-baseline must be given both for coffer split and here"
      case (let given?, let planned?):
        "the plan was made with a baseline of \(planned.count.grouped) findings, but this one has \(given.count.grouped)"
      }
    throw CofferError(.planMismatch, reason)
  }
}
