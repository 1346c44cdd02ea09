import ArgumentParser
import ByteStreams
import Coffer
import Reports
import SystemPackage

struct InspectCommand: ReadingVerb, FilesVerb {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show what backups are and contain: the preview before an import.",
    usage: "coffer inspect [<options>] <file> ...",
    discussion: """
      Shows the format and version, whether coffer import would accept the backup, when and by which app it was created, its \
      size, and the number of records in each collection with their first and last date. Use coffer validate to find faults \
      in records.

      For a document of unknown format, inspect reports the structure: its members, and the number of items in its arrays.

      Examples:
        coffer inspect export.json
        coffer inspect backup.zip
        coffer inspect --json backups/*.json.lz4
        coffer inspect --report html=preview.html backups/*.json
        coffer inspect --rules my-app.json export.json

      Exit status: 0 it can be imported; 1 it can't: unknown format or version, no migration, duplicate keys, findings of \
      severity error; 2 wrong usage or rules; 3 it can't be read completely, or the report can't be written; 4 the report would replace an \
      input, or the disk is full; 5 no verdict, because the rules ask for more than a limit allows.
      """)

  @OptionGroup(title: HelpSection.input) var filesArgument: FilesArgument

  @Option(.rules, "The format: its name (see: coffer formats) or the path of its rule document.")
  var rules: String?

  @OptionGroup(title: HelpSection.input) var inputFormatArgument: InputFormatArgument

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<PageReportFormat>

  @OptionGroup(title: HelpSection.input) var onlyArgument: OnlyArgument

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  var use: FileUse {
    FileUse(
      inputs: files, others: filesArgument.lists, rules: [rules], ruleArguments: ruleArguments, reports: reportArguments.outputs)
  }

  func checkArguments() throws {
    try filesArgument.checkPresence()
  }

  mutating func configure() throws { try filesArgument.expand() }

  func run() throws {
    var options = InspectionOptions(now: clock.instant)
    options.syntax = inputFormatArgument.inputFormat
    options.only = onlyArgument.selection
    options.limits = readerLimits.limits
    let configuration = try use.configuration()
    let sources = try configuration.values(of: files, rules: rules) { try configuration.rules(rules, for: $0) }
    let inspections = try work("inspecting") { execution in
      var validation = ValidationOptions(now: options.now)
      validation.syntax = options.syntax
      validation.limits = options.limits
      return try execution.results(for: files) { [options, validation] file, execution in
        var (options, validation) = (options, validation)
        options.execution = execution
        validation.execution = execution
        return try Inspector(sources[file], options: options).inspect(file: file, importingBy: validation)
      }
    }
    Run.note(formats: inspections.map(\.format.name))
    let now = options.now
    try reportArguments.write(
      Reported { renderer in
        inspections.map { renderer.text(of: $0, now: now) }.joined(separator: "\n")
      } others: { format, sink throws(CofferError) in
        switch format {
        case .html: try HTMLReport(toolVersion: Version.text).write(inspections, now: now, to: &sink)
        default: try JSONReport().write(ConfiguredReport(FileReports(inspections)), to: &sink)
        }
      })
    Hint.print(for: inspections.compactMap(\.error))
    if let status = inspections.map(status(of:)).max(), status != .success { throw status }
  }

  private func status(of inspection: Inspection) -> ExitStatus {
    if let error = inspection.error { return ExitStatus(error) }
    return inspection.importability.isPossible ? .success : .findings
  }
}

extension Inspector {
  /// Inspects a file or standard input. If it can't be opened, the inspection has the error.
  fileprivate func inspect(file: String, importingBy validation: ValidationOptions) throws -> Inspection {
    let source: FileSource
    do throws(CofferError) {
      source = try FileSource(argument: file, cancellation: validation.execution.cancellation)
    } catch {
      var inspection = Inspection(file: file)
      inspection.error = error
      return inspection
    }
    return try inspect(source, named: FileSource.name(ofArgument: file), importingBy: validation)
  }
}
