import ArgumentParser
import ByteStreams
import Coffer
import Reports
import SystemPackage

struct InspectCommand: ParsableCommand {
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

  @Argument(
    help: ArgumentHelp("The backups: JSON (also in LZ4, gzip or zstd), or ZIP; - is standard input.", valueName: "file"),
    completion: .backup)
  var files: [String]

  @Option(
    help: ArgumentHelp(
      "The format: its name (see: coffer formats) or the path of its rule document.", valueName: "name-or-file"),
    completion: .rules)
  var rules: String?

  @OptionGroup var inputFormatArgument: InputFormatArgument

  @OptionGroup var reportArguments: ReportOutputArguments<PageReportFormat>

  @OptionGroup var onlyArgument: OnlyArgument

  @OptionGroup var reading: ReadingArguments

  /// All files that are read.
  private var inputs: [String] { files + [rules].compactMap(\.self) }

  func validate() throws {
    if files.isEmpty { throw ValidationError("name at least one file, or - for standard input") }
    if inputs.count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input can be read only once") }
    try reading.ruleArguments.check([rules], against: reportArguments.outputs)
  }

  func run() throws {
    try reportArguments.checkOutputs(reading: files)
    var options = InspectionOptions(now: reading.clock.instant)
    options.syntax = inputFormatArgument.syntax
    options.only = onlyArgument.selection
    let rules = try rules.map { try reading.ruleArguments.rules(named: $0) } ?? .detected(.builtIn)
    let inspections: [Inspection]
    do {
      inspections = try reading.progressArgument.show("inspecting") { progress in
        options.execution = reading.execution(progress)
        var validation = ValidationOptions(now: options.now)
        validation.syntax = options.syntax
        validation.execution = options.execution
        let inspector = Inspector(rules, options: options)
        return try progress.results(for: files) { try inspector.inspect(file: $0, importingBy: validation) }
      }
    } catch {
      throw ExitStatus.ending(with: error, inputs: files, rules: self.rules)
    }
    try Interruption.stop()
    try reportArguments.write(InspectionResults(inspections: inspections, now: options.now))
    if let status = inspections.map(status(of:)).max(), status != .success { throw status }
  }

  private func status(of inspection: Inspection) -> ExitStatus {
    if let error = inspection.error { return ExitStatus(error) }
    return inspection.importability.isPossible ? .success : .findings
  }
}

private struct InspectionResults: ReportedResults {
  let inspections: [Inspection]
  let now: Instant

  func text(by renderer: TextReport) -> String {
    inspections.map { renderer.text(of: $0, now: now) }.joined(separator: "\n")
  }

  func write(as format: PageReportFormat, to sink: inout some ByteSink) throws(CofferError) {
    switch format {
    case .text: try sink.write(text(by: TextReport()))
    case .json: try JSONReport().write(FileReports(inspections), to: &sink)
    case .html: try HTMLReport(toolVersion: Version.text).write(inspections, now: now, to: &sink)
    }
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
