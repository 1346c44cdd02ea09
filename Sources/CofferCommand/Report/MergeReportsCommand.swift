import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Reports
import SystemPackage

struct MergeReportsCommand: ConcludingVerb {
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

  @Argument(.file.named("partial"), "The results of the tasks, in any order.")
  var partials: [String]

  @Option(.file(ending: ["json"]), "The plan of coffer split.")
  var plan: String

  @Option(.backup, "Another path for a file of the plan, in the plan's order. May be repeated.")
  var input: [String] = []

  @Option(.file, "Merge results of consecutive tasks into this file, without a report. It can be merged with others.")
  var partial: String?

  @Option(
    .file,
    "The violations that coffer report keys found in a bucket, if tasks have written keys with --keys. Repeated for each bucket.")
  var violations: [String] = []

  @Option(.file, "Write the operations on keys that the tasks don't have, for coffer report keys, without a report.")
  var keys: String?

  @OptionGroup var rangeServerArgument: RangeServerArgument

  @OptionGroup(title: HelpSection.verdict) var failureArguments: FailureArguments

  @OptionGroup(title: HelpSection.verdict) var baselineArguments: BaselineArguments

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<ReportFormat>

  @OptionGroup(title: HelpSection.report) var extentArguments: ExtentArguments

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  func checkArguments() throws {
    if partials.isEmpty { throw ValidationError("name the results of the plan's tasks") }
    if partial != nil, keys != nil || !violations.isEmpty {
      throw ValidationError("--partial can't be combined with --keys or --violations")
    }
    if keys != nil, !violations.isEmpty { throw ValidationError("--keys can't be combined with --violations") }
    if let output = Run.current.option(among: ["--partial", "--keys"]),
      let option = Run.current.option(among: Self.joiningOptions, false)
    {
      throw ValidationError("\(option) applies to a report, but \(output) writes none")
    }
  }

  /// The options of a run that writes no report.
  private static let joiningOptions: Set = [
    "--plan", "--input", "--partial", "--keys", "--violations", "--range-server", "--jobs", "--progress", "--no-progress",
    "--color",
  ]

  var use: FileUse {
    let inputs = partials + violations + [plan] + input
    let joined = [partial, keys].compactMap(\.self)
    if !joined.isEmpty { return FileUse(inputs: inputs, reports: joined, subject: "the result") }
    return FileUse(
      inputs: inputs, others: baselineArguments.unchanged, reports: reportArguments.allOutputs, updated: baselineArguments.updated
    )
  }

  func run() throws {
    if let output = partial ?? keys {
      return try progressArgument.work("joining") { progress in
        let (merge, sources, _, _) = try open(progress)
        var file = try OutputFile(output, existing: .replace)
        if keys == nil { try merge.join(sources, to: &file) } else { try merge.writeKeys(sources, to: &file) }
        try file.commit()
      }
    }
    let (reports, opened, known) = try progressArgument.work("joining") { progress in
      let (merge, sources, opened, known) = try open(progress)
      return (try merge.reports(sources, violations: try Self.sources(violations)), opened, known)
    }
    let plan = opened.plan
    Output.printNotice(of: opened.ruleWarnings)
    var results = ValidationResults(reports, now: Instant(plan.now))
    results.isRedacted = plan.options.redact
    results.ruleWarnings = opened.ruleWarnings
    try conclude(results, known: known, keeping: plan.options.maxFindings)
  }

  private func open(_ progress: WorkProgress) throws -> (
    merge: PlanMerge, sources: [(name: String, source: any ByteSource)], opened: OpenedPlan, known: Baseline?
  ) {
    let execution = jobsArgument.execution(progress)
    let opened = try OpenedPlan(
      plan, files: input, on: rangeServerArgument.server, addingPlaces: reportArguments.showsPlaces, execution)
    try opened.use(writing: use.reports, as: use.subject).checkOutputs()
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
