import ArgumentParser
import ByteStreams
import Coffer
import Reports
import RulesYAML
import SystemPackage

struct SplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split",
    abstract: "Divide a validation into tasks for several processes or machines.",
    discussion: """
      coffer split FILE is short for coffer split plan FILE.

      Examples:
        coffer split export.json --tasks 8 --output plan.json
        coffer validate --plan plan.json --task 0 --partial 0.partial
        coffer report merge --plan plan.json *.partial
      """,
    subcommands: [PlanSplitCommand.self, ScanRangeCommand.self], defaultSubcommand: PlanSplitCommand.self)
}

struct PlanSplitCommand: EvaluatingVerb, FilesVerb {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Divide a validation into tasks.",
    usage: "coffer split [plan] [<options>] --tasks <n> <file> ...",
    discussion: """
      Scans the files, and writes a plan: the parts of each document that can be evaluated separately, the rules, and the \
      options. Every task needs only the plan and the bytes of its parts. Joined, the results of all tasks give the same report as \
      coffer validate, to the byte.

      Large collections of JSON documents are cut between records, and JSON Lines between lines. Compressed documents, archives and small \
      files are one part each. Standard input can't be divided. A plan is for one version of coffer.

      With --scans, the ranges of large files have been scanned by other processes, and this one reads only the envelopes.

      Examples:
        coffer split export.json --tasks 8 --output plan.json
        coffer split plan a.json --scans scans.ndjson --tasks 8 --output plan.json

      Exit status: 0 the plan was written; 2 wrong usage or rules; 3 a file or scan can't be read, or the plan can't be written; \
      4 the plan would replace an input, a scan is missing or belongs to another file, or the disk is full.
      """)

  @OptionGroup(title: HelpSection.input) var filesArgument: FilesArgument

  @Option(.count, "The number of tasks.")
  var tasks: Int

  @Option(.count, "Divide keys among this number of buckets, if tasks write them with --keys.")
  var keyBuckets = 64

  @Option(
    .file(ending: ["ndjson"]),
    "Results of coffer split scan, in any order. They must cover each file that they name. May be repeated.")
  var scans: [String] = []

  @Option(.file(ending: ["json"]), "Write the plan to this file, which is replaced (default: standard output).")
  var output: String?

  @OptionGroup var rangeServerArgument: RangeServerArgument

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

  @OptionGroup(title: HelpSection.verdict) var baselineArguments: BaselineArguments

  /// The most tasks of a plan.
  private static let mostTasks = 1_000_000

  func checkArguments() throws {
    try filesArgument.checkPresence()
    if files.contains("-") { throw ValidationError("a plan needs files: standard input can be read only once") }
    if !(1...Self.mostTasks).contains(tasks) { throw ValidationError("--tasks must be between 1 and 1,000,000") }
    if !(1...KeyRowWriter.bucketLimit).contains(keyBuckets) {
      throw ValidationError("--key-buckets must be between 1 and \(KeyRowWriter.bucketLimit.grouped)")
    }
    try checkEvaluation()
    try baselineArguments.checkUpdate(by: self)
  }

  var use: FileUse {
    FileUse(
      inputs: files + scans, others: filesArgument.lists + [baselineArguments.baseline].compactMap(\.self),
      rules: [evaluation.rules],
      ruleArguments: ruleArguments, reports: [output].compactMap(\.self), subject: "the plan")
  }

  mutating func configure() throws { try filesArgument.expand() }

  func run() throws {
    let configuration = try use.configuration()
    if let project = configuration.project, !project.options.isEmpty {
      let names = project.options.map { "--\($0.name)" }.joined(separator: ", ")
      Output.printNotice("coffer: the options of \(project.path.string.printable) are not part of a plan: \(names)")
    }
    let plan: SplitPlan
    do { plan = try planned(files, configuration) } catch {
      throw ExitStatus.ending(with: error, inputs: files + scans, rules: evaluation.rules)
    }
    try Output.writeReport(to: output ?? "-") { sink throws(CofferError) in try plan.write(to: &sink) }
  }

  private func planned(_ files: [String], _ configuration: Configuration) throws -> SplitPlan {
    try work("scanning") { execution in
      var options = validationOptions()
      options.execution = execution
      let rules = try evaluation.plannedRules(configuration, for: files)
      let baseline = baselineArguments.use(try baselineArguments.read(execution))
      let validator = Validator(rules.source, options: options)
      try validator.prepare()
      let server = rangeServerArgument.server
      var ranges = RangeScans()
      for path in scans { try ranges.read(FileSource(argument: path, cancellation: execution.cancellation), named: path) }
      var plan = try SplitPlanner(validator).plan(
        files, into: tasks, keyBuckets: keyBuckets, tool: Version.text, format: rules.format, rules: rules.own,
        each: evaluation.eachPointer(configuration, for: files.first ?? "-"), scans: ranges
      ) { name throws(CofferError) in
        try .readableAnywhere(name, on: server, execution)
      }
      plan.options.baseline = baseline
      return plan
    }
  }
}
