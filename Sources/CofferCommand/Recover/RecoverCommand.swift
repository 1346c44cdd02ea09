public import ArgumentParser
import ByteStreams
public import Coffer
import Findings
import Reports

struct RecoverCommand: ReadingVerb, WritingVerb {
  static let configuration = CommandConfiguration(
    commandName: "recover",
    abstract: "Recover the whole records of a damaged backup.",
    discussion: """
      Writes a well-formed document with every record that is whole, byte for byte and in order. The others are left out: \
      truncated ones, and those with garbage, zeros, bad escapes or invalid UTF-8 in them. Missing and doubled commas and brackets are \
      repaired. The damaged file is not changed.

      What is uncertain, such as a bracket that could close two things, is decided by the names of the records' members, and by the \
      format or rules. The report says what was left out, where and why; --rejects keeps its bytes. The result is validated \
      in the same run.

      With --drop-invalid, records with errors are left out, too, and those that refer to them.

      Of a ZIP archive, the document is recovered; if the output ends in .zip, it also gets the archive's other files that are whole.

      Examples:
        coffer recover damaged.json recovered.json
        coffer recover damaged.json recovered.json --rejects rejects.ndjson
        coffer recover damaged.json --dry-run
        coffer recover --drop-invalid backup.json valid.json
        coffer recover damaged.json.gz recovered.json.gz --rules my-app.json
        coffer recover damaged.zip recovered.zip

      Exit status: 0 nothing was lost; 1 something was left out or corrected, or --drop-invalid leaves errors outside of records; 2 wrong usage or rules; 3 nothing can be recovered, or something can't \
      be read or written; 4 the output exists or is the input, the format is unknown \
      (--drop-invalid), or the disk is full.
      """)

  @Argument(
    .backup.named("damaged"),
    "The damaged backup: JSON, JSON Lines or a sequence (also in LZ4, gzip or zstd), or a ZIP archive; - is standard input.")
  var input: String

  @Argument(
    .file.named("out"),
    "The file to write: compressed if it ends in .lz4, .gz or .zst, an archive if it ends in .zip; - is standard output.")
  var output: String?

  @Flag(help: "Show what would be recovered, and write no document.")
  var dryRun = false

  @OptionGroup var rejectsArgument: RejectsArgument

  @Flag(
    help: """
      Leave out records with errors, too: invalid ones, those whose key another one has, and those that refer to no record, until no \
      more are found.
      """)
  var dropInvalid = false

  @Option(.choice, "With --drop-invalid, which of several records with one key stays (default: first).")
  var duplicates: InvalidRecords.Duplicates?

  @Option(
    .choice,
    "With --drop-invalid, what happens to a record that refers to no record: it is left out, or its reference becomes null (default: drop)."
  )
  var dangling: InvalidRecords.Dangling?

  @Option(
    .rules,
    "The rules of the backup: a format's name (see: coffer formats), or a rule document; - is standard input (default: detected)."
  )
  var rules: String?

  @OptionGroup var levelArgument: LevelArgument

  @OptionGroup(title: HelpSection.input) var inputFormatArgument: InputFormatArgument

  @OptionGroup(title: HelpSection.report) var findingArguments: FindingArguments

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<ReportFormat>

  @Flag(help: "Replace an existing output file.")
  var force = false

  func checkArguments() throws {
    if output == nil, !dryRun { throw ValidationError("name the file to write, - for standard output, or give --dry-run") }
    _ = try levelArgument.compression(output.flatMap(CompressionFormat.init(ofFileNamed:)))
    if !dropInvalid, duplicates != nil || dangling != nil {
      throw ValidationError("--duplicates and --dangling need --drop-invalid")
    }
    if writesDocumentToOutput, reportArguments.format != .text, reportArguments.output == nil {
      throw ValidationError("the report and the document can't both go to standard output: name a file with --output")
    }
  }

  private var writesDocumentToOutput: Bool { output == "-" && !dryRun }

  var use: FileUse {
    FileUse(
      inputs: [input], rules: [rules], ruleArguments: ruleArguments, output: dryRun ? nil : output,
      reports: reportArguments.allOutputs + [rejectsArgument.rejects].compactMap(\.self))
  }

  func run() throws {
    let configuration = try use.configuration()
    var options = RecoveryOptions(now: clock.instant)
    options.validation.syntax = inputFormatArgument.inputFormat
    options.validation.limits = readerLimits.limits
    options.validation.maximumFindings = findingArguments.limit(for: reportArguments.formats)
    options.validation.redacts = findingArguments.redact
    options.compression = try levelArgument.compression(output.flatMap(CompressionFormat.init(ofFileNamed:)))
    options.writesArchive = output.map(ZIPReader.isNamed(by:)) ?? false
    if dropInvalid {
      var policy = InvalidRecords()
      policy.duplicates = duplicates ?? policy.duplicates
      policy.dangling = dangling ?? policy.dangling
      options.invalidRecords = policy
    }
    let source = try configuration.rules(rules, for: input)
    var report = try recover(by: source, &options)
    if options.writesArchive, !dryRun, !report.isEmpty, report.validation.formatProblem == nil, let output {
      try checkFiles(of: &report, in: output, by: source, options.validation)
    }
    Run.note(formats: [report.validation.format])
    Run.note(["leftOut": report.lossCount, "repaired": report.repairCount])
    var results = ValidationResults([report.validation], now: options.validation.now)
    results.isRedacted = findingArguments.redact
    if !report.isEmpty { results.ruleWarnings = configuration.warnings(of: source, named: rules, on: results.reports) }
    try write(report, results)
    if report.isEmpty { throw ExitStatus.unreadable }
    if report.isLossy || report.correctionCount > 0 || dropInvalid && !report.validation.isValid { throw ExitStatus.findings }
  }

  /// Validates the archive that was written: only now its files can be compared with its document.
  private func checkFiles(
    of report: inout RecoveryReport, in output: String, by rules: RuleSource, _ options: ValidationOptions
  ) throws {
    // Rules without a format say nothing about files.
    if case .document = rules { return }
    report.validation = try work("validating") { execution in
      var options = options
      options.execution = execution
      let file = try FileSource(argument: output, cancellation: execution.cancellation)
      return try Validator(rules, options: options).validate(file, named: output)
    }
  }

  private func recover(by rules: RuleSource, _ options: inout RecoveryOptions) throws -> RecoveryReport {
    guard let output, !dryRun else {
      return try progressArgument.show("reading") { progress in
        options.validation.execution = execution(progress)
        var sink = CountingSink()
        let file = try FileSource(argument: input, cancellation: options.validation.execution.cancellation)
        return try recover(file, by: rules, options, to: &sink)
      }
    }
    do {
      return try transfer("recovering", from: input, to: output) { source, file, execution in
        options.validation.execution = execution
        memory.apply(to: &options.validation.execution)
        options.validation.execution.expansion = expansion.limits
        let report = try recover(source, by: rules, options, to: &file)
        // Then no file appears.
        if report.isEmpty { throw NothingRecovered(report: report) }
        return report
      }
    } catch let nothing as NothingRecovered {
      return nothing.report
    }
  }

  private struct NothingRecovered: Error {
    let report: RecoveryReport
  }

  private func recover(
    _ source: FileSource, by rules: RuleSource, _ options: RecoveryOptions, to sink: inout some ByteSink
  ) throws -> RecoveryReport {
    let name = FileSource.name(ofArgument: input)
    let recovery = Recovery(rules, options: options)
    return try rejectsArgument.writing { reject in
      try recovery.recover(source, named: name, to: &sink) { entry, bytes in try reject?(entry, bytes, nil) }
    }
  }

  private func write(_ report: RecoveryReport, _ results: ValidationResults) throws {
    let name = dryRun ? nil : output
    if writesDocumentToOutput, reportArguments.output == nil, reportArguments.report.isEmpty {
      return Output.printNotice(TextReport.plain.unbound.text(of: report, writtenTo: name, results), terminator: "")
    }
    try reportArguments.write(results, by: reportArguments.renderer(), json: report) { renderer in
      renderer.text(of: report, writtenTo: name, results)
    }
  }
}

extension InvalidRecords.Duplicates: ExpressibleByArgument {}
extension InvalidRecords.Dangling: ExpressibleByArgument {}
