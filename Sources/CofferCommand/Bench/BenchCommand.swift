import ArgumentParser
import Coffer
import CofferBench
import Reports
import SystemPackage

struct BenchCommand: Verb {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure how fast this machine works on a backup.",
    usage: "coffer bench [<options>] <file>",
    discussion: """
      Each step is a run of this command in its own process. The table has megabytes (of the uncompressed document) and \
      records per second, peak memory, and the speed relative to fewer threads and to the sqlite3 shell, if that is \
      installed.

        parse            read the document and check its syntax
        validate         check it against all rules of its format
        convert          write it as compact JSON
        compress         compress it to LZ4
        decompress       decompress the result
        import           import into a new database
        merge            import again into that database
        sqlite3-import   the same rows as CSV, by the sqlite3 shell, without keys
        export           export from that database
        sqlite3-export   the rows of that database as JSON, by the sqlite3 shell

      The file is in the page cache, because it is read once before. Output is discarded, or written to a temporary folder. A backup \
      of 1 GB takes up to three minutes and 8 GB of disk.

      For a ZIP archive, validate, import, merge and export are measured; sizes count all bytes in the archive.

      Examples:
        coffer bench export.json
        coffer bench export.json.lz4 --jobs 1,2,4 --rounds 5
        coffer bench export.json --steps parse,validate --json
        coffer bench export.json --svg throughput.svg

      Exit status: 0 everything was measured; 1 some steps refused the backup because it has findings; 2 wrong usage; 3 a step failed, \
      or something can't be read or written; 4 there is too little disk space, or the output would replace the \
      input.
      """)

  @Argument(.backup, "The backup: JSON (also in LZ4, gzip or zstd), or a ZIP.")
  var file: String

  @Option(
    .rules,
    "The rules: a format's name (see: coffer formats), or a rule document in JSON or YAML (default: detected)."
  )
  var rules: String?

  @Option(.value("n,n"), "Numbers of threads to measure (default: 1 and all processors).")
  var jobs: JobsListArgument?

  @Option(.count, "Runs per figure; the report has the median and the range.")
  var rounds = 1

  @Option(.value("step,step"), "Measure only these steps.")
  var steps: StepsArgument?

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<PlainReportFormat>

  @Option(.file, "Also write a chart of the results to this SVG file.")
  var svg: String?

  @Option(.folder, "The folder for temporary files (default: TMPDIR or /tmp).")
  var scratch: String?

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  func checkArguments() throws {
    if file == "-" || rules == "-" { throw ValidationError("standard input can be read only once: name a file") }
    if svg == "-" { throw ValidationError("--svg must name a file") }
    if !(1...1000).contains(rounds) { throw ValidationError("--rounds must be between 1 and 1000") }
  }

  var use: FileUse {
    FileUse(
      inputs: [file], rules: [rules], ruleArguments: ruleArguments,
      reports: reportArguments.outputs + [svg].compactMap(\.self), subject: "the output")
  }

  func run() throws {
    // Ending the child process and removing gigabytes takes time.
    let cancellation = Interruption.start(patience: .seconds(60))
    // Opened first, so that an unwritable file fails before minutes of measuring.
    let picture = try svg.map { try OutputFile($0, existing: .replace) }
    let report = try measured(cancellation)
    Run.note(formats: [report.survey.format])
    if var picture {
      try picture.write(ThroughputPicture(of: report).svg)
      try picture.commit()
    }
    try reportArguments.write(json: report) { $0.text(of: report) }
    if report.hasFailures { throw ExitStatus.unreadable }
    if report.hasFindings { throw ExitStatus.findings }
  }

  private func measured(_ cancellation: Cancellation) throws -> ThroughputReport {
    let processors = Execution.processorCount
    var options = ThroughputPlan.Options(jobs: jobs?.jobs ?? (processors == 1 ? [1] : [1, processors]))
    options.rounds = rounds
    if let steps { options.steps = steps.steps }
    let path = Self.path(file)
    var document = Document(file: path, kind: try DocumentKind(ofFileAt: path), presentTime: clock.now?.description)
    let configuration = try use.configuration()
    if let name = try configuration.rulesForOthers(rules, readingAll: [file]) {
      document.rules = configuration.arguments(forRulesAt: name)
      if case .document = try configuration.rules(rules, for: file) { options.hasFormat = false }
    }
    var bench = Bench(of: document, on: .current(processors: processors))
    if let scratch { bench.scratchParent = Self.path(scratch) }
    bench.cancellation = cancellation
    return try progressArgument.work("measuring") { progress in
      try bench.report(named: file, options: options) { progress.say($0) }
    }
  }

  /// Returns a path that can't be taken for an option.
  private static func path(_ text: String) -> FilePath { FilePath(text.hasPrefix("-") ? "./" + text : text) }
}

/// The numbers of workers to measure: `1,2`.
struct JobsListArgument: ExpressibleByArgument {
  let jobs: [Int]

  init?(argument: String) {
    var jobs: [Int] = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let number = Int(part), (1...256).contains(number) else { return nil }
      if !jobs.contains(number) { jobs.append(number) }
    }
    self.jobs = jobs
  }
}

/// The steps to measure: `parse,import`.
struct StepsArgument: ExpressibleByArgument {
  let steps: Set<Step>

  init?(argument: String) {
    var steps: Set<Step> = []
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      guard let step = Step(rawValue: String(part)) else { return nil }
      steps.insert(step)
    }
    self.steps = steps
  }

  static let allValueStrings = Step.allCases.map(\.rawValue)
}
