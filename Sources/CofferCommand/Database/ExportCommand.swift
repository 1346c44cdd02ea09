import ArgumentParser
import BackupFormats
import Coffer
import CofferSQLite
import Reports
import SystemPackage

struct ExportCommand: WritingVerb {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Export the backup in a database to a file.",
    discussion: """
      The export has what coffer import wrote, with all digits, unknown fields and the same order, and all later changes in \
      the tables. It reads one state of the database, so others may write meanwhile. The file appears complete or not at \
      all.

      A name that ends in .lz4, .gz or .zst gives a compressed file; a name that ends in .zip gives an archive with the files that belong \
      to the rows.

      Examples:
        coffer export backup.db export.json
        coffer export backup.db export.json.lz4 --only cars,expenses
        coffer export photos.db backup.zip --created-at now
        coffer export backup.db - --pretty | less

      Exit status: 0 written (files that don't match the document are reported); 2 wrong usage; 3 the database holds no backup, \
      or can't be read, or the file can't be written; 4 nothing done, because data would have been lost.
      """)

  @Argument(.database, "The SQLite database.")
  var database: String

  @Argument(.file, "The file to write, compressed if it ends in .lz4, .gz or .zst; - is standard output.")
  var output: String

  @OptionGroup(title: HelpSection.input) var onlyArgument: OnlyArgument

  @Flag(help: "One member or item per line, indented as the format's app does (default: no whitespace).")
  var pretty = false

  @Flag(help: "Sort the members of every object by name.")
  var sortKeys = false

  @Option(.time, "The creation date to write: a time (RFC 3339), or now.")
  var createdAt: MomentArgument?

  @Option(.text, "The app to write as the backup's creator.")
  var app: String?

  @Option(.text, "The device to write as the backup's origin.")
  var device: String?

  @Option(
    .rules,
    "The format of the backup in the database, if it is one of your own: the path of a rule document with a backup descriptor.")
  var rules: String?

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.report) var logArgument: LogArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @Flag(help: "Replace an existing output file.")
  var force = false

  func checkArguments() throws {
    try summary.check(output)
    if database == "-" { throw ValidationError("the database must be a file, not standard input") }
    if sortKeys || pretty, ZIPReader.isNamed(by: output) {
      throw ValidationError("--pretty and --sort-keys don't apply to ZIP archives: leave them out, or write JSON")
    }
    if JSONSyntax(ofFileNamed: output) == .jsonLines {
      throw ValidationError("can't export JSON Lines: export JSON, then use coffer convert")
    }
  }

  var log: String? { logArgument.log }

  var use: FileUse {
    FileUse(
      inputs: [database], others: ImportArguments.sideFiles(of: database), rules: [rules], ruleArguments: ruleArguments,
      output: output, folders: [database + ".files"])
  }

  func run() throws {
    let configuration = try use.configuration()
    let catalog = configuration.catalog
    let now = clock.instant
    var options = DatabaseExportOptions()
    options.format = try rules.map(configuration.format(named:))
    options.createdAt = createdAt.map { $0.instant ?? now }
    options.backedUpAt = options.createdAt ?? now
    options.app = app
    options.device = device
    options.only = onlyArgument.selection
    var layout = DatabaseExporter.Layout()
    layout.isPretty = pretty
    layout.sortsKeys = sortKeys
    layout.compression = Compression(ofFileNamed: output)
    layout.isArchive = ZIPReader.isNamed(by: output)
    if createdAt != nil || app != nil || device != nil {
      try checkOrigin(try DatabaseExporter(catalog, options: options, now: now).properties(of: FilePath(database)).format)
    }
    var report = try write("exporting", to: output) { file, execution in
      options.execution = execution
      return try DatabaseExporter(catalog, options: options, layout: layout, now: now).export(FilePath(database), to: &file)
    }
    report.file = output
    Run.note(["records": report.records])
    Run.note(formats: [report.format])
    defer {
      for finding in report.findings {
        Output.printNotice("\(output.printable): \(finding.message.printable) [\(finding.code)]")
      }
    }
    try summary.write(
      json: report, text: TextReport().text(of: report), on: output)
  }

  /// Throws the exit status, after printing the reason, if documents of the format have no field for a given option.
  private func checkOrigin(_ format: BackupFormat) throws {
    let options = [
      ("--created-at", createdAt != nil, format.origin.createdAt), ("--app", app != nil, format.origin.app),
      ("--device", device != nil, format.origin.device),
    ]
    for (name, isUsed, pointer) in options where isUsed && pointer == nil {
      Output.printError("\(name) can't be used here: backups of '\(format.name)' have no field for it")
      throw ExitStatus.usage
    }
  }
}

/// A point in time, or `now`.
struct MomentArgument: ExpressibleByArgument {
  /// `nil` means now.
  let instant: Instant?

  init?(argument: String) {
    if argument == "now" {
      instant = nil
    } else if let time = Instant(argument) {
      instant = time
    } else {
      return nil
    }
  }
}
