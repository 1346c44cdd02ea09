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

struct PlanSplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Divide a validation into tasks.",
    usage: "coffer split [plan] [<options>] --tasks <n> <file> ...",
    discussion: """
      Scans the files, and writes a plan: the parts of each document that can be evaluated separately, the rules, and the \
      options. Every task needs only the plan and the bytes of its parts. Joined, the results of all tasks give the same report as \
      coffer validate, to the byte.

      Large arrays of JSON documents are cut between records, and JSON Lines between lines. Compressed documents, archives and small \
      files are one part each. A plan is for one version of coffer.

      With --scans, the ranges of large files have been scanned by other processes, and this one reads only the envelopes.

      Examples:
        coffer split export.json --tasks 8 --output plan.json
        coffer split plan a.json --scans scans.ndjson --tasks 8 --output plan.json

      Exit status: 0 the plan was written; 2 wrong usage or rules; 3 a file or scan can't be read, or the plan can't be written; \
      4 the plan would replace an input, a scan is missing or belongs to another file, or the disk is full.
      """)

  @Argument(help: ArgumentHelp("The backups: regular files.", valueName: "file"), completion: .backup)
  var files: [String] = []

  @Option(
    help: ArgumentHelp("Also plan the files that this file names, one in each line; - is standard input.", valueName: "list"),
    completion: .file())
  var filesFrom: String?

  @Option(help: ArgumentHelp("The number of tasks.", valueName: "n"))
  var tasks: Int

  @Option(help: ArgumentHelp("Divide keys among this number of buckets, if tasks write them with --keys.", valueName: "n"))
  var keyBuckets = 64

  @Option(
    help: ArgumentHelp(
      "Results of coffer split scan, in any order. They must cover each file that they name. May be repeated.", valueName: "file"
    ),
    completion: .file(extensions: ["ndjson"]))
  var scans: [String] = []

  @Option(
    help: ArgumentHelp("Write the plan to this file, which is replaced (default: standard output).", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var output: String?

  @OptionGroup var rangeServerArgument: RangeServerArgument

  @OptionGroup var evaluation: EvaluationArguments

  @OptionGroup var reading: ReadingArguments

  @OptionGroup var baselineArguments: BaselineArguments

  /// The largest list of files that is read.
  private static let largestList = 1 << 30

  /// The most tasks of a plan.
  private static let mostTasks = 1_000_000

  func validate() throws {
    if files.isEmpty, filesFrom == nil { throw ValidationError("name at least one file") }
    if files.contains("-") { throw ValidationError("a plan needs files: standard input can be read only once") }
    if !(1...Self.mostTasks).contains(tasks) { throw ValidationError("--tasks must be between 1 and 1,000,000") }
    if !(1...KeyRowWriter.bucketLimit).contains(keyBuckets) {
      throw ValidationError("--key-buckets must be between 1 and \(KeyRowWriter.bucketLimit.grouped)")
    }
    if (scans + [evaluation.rules, filesFrom].compactMap(\.self)).count(where: { $0 == "-" }) > 1 {
      throw ValidationError("standard input can be read only once")
    }
    try evaluation.check(files, against: [output], reading)
    try baselineArguments.checkUpdate(by: evaluation)
  }

  /// The names of all files. Prints an error in the list, and throws the exit status.
  private func allFiles() throws -> [String] {
    guard let filesFrom else { return files }
    let list: [UInt8]
    do {
      var source = try FileSource(argument: filesFrom, cancellation: Interruption.start())
      list = try source.readPrefix(Self.largestList + 1)
    } catch {
      throw ExitStatus.ending(with: error, inputs: [filesFrom])
    }
    let listed = list.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map { String(decoding: $0, as: UTF8.self) }
    if list.count > Self.largestList || (files + listed).isEmpty || listed.contains("-") {
      Output.printError("\(filesFrom) is not a usable list of files: it is empty, larger than 1 GiB, or names standard input (-)")
      throw ExitStatus.usage
    }
    return files + listed
  }

  func run() throws {
    let files = try allFiles()
    try Output.checkReports(
      [output].compactMap(\.self), as: "the plan",
      reading: files + scans + [filesFrom, baselineArguments.baseline].compactMap(\.self))
    do {
      let plan = try reading.progressArgument.show("scanning") { progress in
        var options = evaluation.options(reading)
        options.execution = reading.execution(progress)
        let rules = try evaluation.plannedRules(reading)
        let baseline = baselineArguments.use(try baselineArguments.read(options.execution))
        let validator = Validator(rules.source, options: options)
        try validator.prepare()
        let server = rangeServerArgument.server
        var ranges = RangeScans()
        for path in scans {
          try ranges.read(FileSource(argument: path, cancellation: options.execution.cancellation), named: path)
        }
        let planner = SplitPlanner(validator)
        var plan = try planner.plan(
          files, into: tasks, keyBuckets: keyBuckets, tool: Version.text, format: rules.format, rules: rules.own,
          each: evaluation.eachArgument.pointer, scans: ranges
        ) { name throws(CofferError) in
          try .readableAnywhere(name, on: server, options.execution)
        }
        plan.options.baseline = baseline
        return plan
      }
      try Interruption.stop()
      try Output.writeReport(to: output ?? "-") { file throws(CofferError) in try plan.write(to: &file) }
    } catch {
      throw ExitStatus.ending(with: error, inputs: files + scans, rules: evaluation.rules)
    }
  }
}
