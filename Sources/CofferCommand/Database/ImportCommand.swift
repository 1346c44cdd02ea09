public import ArgumentParser
import Coffer
public import CofferSQLite
import Reports
import SystemPackage

struct ImportCommand: ImportingVerb {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import a backup into a SQLite database, all or nothing.",
    discussion: """
      The steps: detect the format, validate the backup (errors refuse it), migrate it if it is older, count what would \
      change, copy the database, and write everything in one transaction, which is checked before the commit. Whatever \
      interrupts an import, the database is either as before or complete.

      Each collection is a table, each record a row, each field a column. Numbers are integers or doubles, dates are \
      text, nested values are JSON (--nested-views adds views of them). What a column can't hold or spell (9.50, unknown fields) goes to the column 'coffer_extra'. \
      coffer export restores all of it.

      A file of no known format gets rules that are drafted from it, as coffer rules draft does. The database stores them, and those \
      of --rules: export and the next import need none.

      A merge matches rows by primary key; importing twice changes nothing the second time. A record without a key is added \
      only if the database has fewer equal ones. A replacement asks on a terminal, and needs --force elsewhere.

      Before rows change, the database is copied to DB.before-import-TIME.sqlite. The newest three copies are kept. The \
      files of a ZIP go to DB.files in the same transaction as the rows.

      Examples:
        coffer import export.json --into backup.db
        coffer import export.json --into backup.db --dry-run
        coffer import export.json --into backup.db --skip-invalid
        coffer import anything.json --into any.db
        coffer import friday.json.lz4 --into backup.db --on-conflict keep-newest
        coffer import backup.zip --into photos.db --mode replace --force
        xz -dc export.json.xz | coffer import - --into backup.db

      Exit status: 0 imported; 1 findings of severity error, or imported without some records (--skip-invalid); 2 wrong usage or rules; 3 something can't be read or written, is not \
      JSON or not a database; 4 nothing done, because data would have been lost: a newer version, another format, a conflict, a \
      lock, a full disk; 5 no verdict, because the rules ask for more than a limit \
      allows; 129, 130 and 143 ended by SIGHUP, Ctrl-C or SIGTERM, and rolled back.
      """)

  @Argument(.backup, "The backup: JSON (also in LZ4, gzip or zstd), or a ZIP; - is standard input.")
  var file: String

  @OptionGroup var importArguments: ImportArguments

  @OptionGroup(title: HelpSection.input) var onlyArgument: OnlyArgument

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @OptionGroup(title: HelpSection.report) var logArgument: LogArgument

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  func checkArguments() throws {
    try checkImport()
  }

  var use: FileUse { use(of: file) }

  func run() throws { try load(file) }
}

/// A verb that imports a backup into a database.
protocol ImportingVerb: ReadingVerb {
  var importArguments: ImportArguments { get }
  var onlyArgument: OnlyArgument { get }
  var summary: SummaryArguments { get }
  var logArgument: LogArgument { get }
  var readerLimits: ReaderLimitArguments { get }
}

extension ImportingVerb {
  var log: String? { logArgument.log }

  func checkImport() throws {
    if importArguments.settings != nil, importArguments.mode == .replace || onlyArgument.selection != nil {
      throw ValidationError("--settings is for merges of whole backups: leave out --mode replace and --only")
    }
  }

  /// The files of a run that imports a backup, or one of a folder.
  func use(of backup: String, folder: String? = nil) -> FileUse {
    let database = importArguments.database
    return FileUse(
      inputs: [backup, database], others: ImportArguments.sideFiles(of: database), rules: [importArguments.rules],
      ruleArguments: ruleArguments, reports: [importArguments.rejectsArgument.rejects].compactMap(\.self),
      folders: [folder, database + ".files"].compactMap(\.self))
  }

  /// Imports a backup, and prints the report.
  func load(_ file: String) throws {
    let database = importArguments.database
    let dryRun = importArguments.dryRun
    let configuration = try use(of: file).configuration()
    let format = try configuration.format(importArguments.rules, for: file)
    let catalog = configuration.catalog.preceded(by: format.map { [$0] } ?? [])
    var validation = ValidationOptions(now: clock.instant)
    validation.only = onlyArgument.selection
    validation.limits = readerLimits.limits
    let judged = format.map { RuleSource.format($0) } ?? .detected(catalog)
    do {
      let report = try progressArgument.show("importing") { progress in
        // Interrupting and rolling back a running SQLite statement may take a moment.
        validation.execution = execution(
          progress, cancellation: Interruption.start(patience: .seconds(30)), memoryLimit: DatabaseImportOptions.memoryLimit)
        var importer = DatabaseImporter(judged, catalog: catalog, options: importArguments.options(validation))
        importer.onWaiting = { Output.printNotice("coffer: waiting for another import into this folder to end") }
        importer.onNewerVersion = { warning in
          Output.printNotice("coffer: warning: \(file.printable): \(warning.printable)")
        }
        if !importArguments.force { importer.confirm = importArguments.confirm }
        return try importArguments.rejectsArgument.writing { reject in
          if let reject { importer.onReject = { entry, bytes in try reject(entry, bytes, nil) } }
          return dryRun
            ? try importer.preview(FilePath(file), into: FilePath(database))
            : try importer.run(FilePath(file), into: FilePath(database))
        }
      }
      Interruption.stopListening()
      let collections = dryRun ? [] : report.changes.collections
      Run.note([
        "inserted": collections.reduce(0) { $0 + $1.inserted }, "replaced": collections.reduce(0) { $0 + $1.replaced },
        "removed": collections.reduce(0) { $0 + $1.removed }, "unchanged": collections.reduce(0) { $0 + $1.unchanged },
      ])
      Run.note(formats: [report.format])
      if !summary.quiet {
        try Output.report(
          summary.isJSON
            ? JSONReport().text(of: ConfiguredReport(report))
            : TextReport.plain.unbound.text(of: report) + (dryRun ? "nothing was written\n" : "") + RunConfiguration.current.line,
          on: dryRun ? "nothing was written" : "\(file) was imported")
      }
      if report.skipped != nil { throw ExitStatus.findings }
    } catch {
      if error is CancellationError { Output.printError("interrupted: \(database) is unchanged") }
      if summary.isJSON, let error = error as? CofferError, ![.brokenPipe, .cancelled].contains(error.code) {
        try Output.print(json: RefusedImport(of: file, into: database, error))
      }
      throw error
    }
  }
}

/// How a backup is imported into a database.
struct ImportArguments: ParsableArguments {
  @Option(.database, "The SQLite database; created if it doesn't exist.", name: .customLong("into"))
  var database: String

  @Option(help: "Merge the backup's rows with the existing rows by key, or replace all existing rows.")
  var mode = DatabaseImportOptions.Mode.merge

  @Option(
    .choice,
    "For merges: which of two different records with one key to keep: the database's, the backup's, or the one changed last.")
  var onConflict = ConflictRule.keepExisting

  @Option(
    .choice,
    "For merges: keep the database's settings or replace them with the backup's (default: as the format's app does, otherwise as --on-conflict)."
  )
  var settings: DatabaseImportOptions.Settings?

  @Flag(help: "Show what would change, and write nothing.")
  var dryRun = false

  @Flag(
    help: "Add a view for each list of objects inside records: invoices_lines has a row for each item of 'lines' in invoices.")
  var nestedViews = false

  @Flag(help: "Import a backup that has errors, as far as the tables can store it.")
  var allowFindings = false

  @Flag(
    help: """
      Leave out records with errors, and those that refer to them, and import the others. The import is never called complete: the \
      status is 1.
      """)
  var skipInvalid = false

  @OptionGroup var rejectsArgument: RejectsArgument

  @Flag(help: "Import a backup of a newer version than Coffer knows, with a warning that names unknown fields.")
  var allowNewer = false

  @Flag(help: "Replace existing rows without asking.")
  var force = false

  @Option(.rules, "The rules: a format's name (see: coffer formats) or the path of a rule document with a backup descriptor.")
  var rules: String?

  func validate() throws {
    if database.isEmpty || database == "-" { throw ValidationError("--into must name a database file") }
    if rules == "-" { throw ValidationError("standard input can be read only once") }
    if skipInvalid, allowFindings { throw ValidationError("--skip-invalid and --allow-findings can't be combined") }
    if !skipInvalid, rejectsArgument.rejects != nil { throw ValidationError("--rejects needs --skip-invalid") }
  }

  /// The files that SQLite keeps beside a database.
  static func sideFiles(of database: String) -> [String] { ["-wal", "-shm", "-journal"].map { database + $0 } }

  fileprivate func options(_ validation: ValidationOptions) -> DatabaseImportOptions {
    var options = DatabaseImportOptions(validation: validation)
    options.mode = mode
    options.conflicts = onConflict
    options.settings = settings
    options.allowsNewer = allowNewer
    options.addsNestedViews = nestedViews
    options.allowsFindings = allowFindings
    if skipInvalid { options.invalidRecords = InvalidRecords() }
    return options
  }

  /// Asks the user for confirmation. Throws if there is no terminal to ask on.
  fileprivate func confirm(_ preview: DatabaseImportReport) throws {
    guard Terminal.hasPerson else {
      throw CofferError(
        .conflict,
        "\(database) already holds a backup: --force replaces it, --mode merge adds to it, --dry-run shows what would change")
    }
    Output.printNotice(TextReport.plain.unbound.text(of: preview), terminator: "")
    guard Terminal.asks("Replace the contents of \(database.printable)? A copy is kept. [y/N] ") else {
      throw CofferError(.conflict, "\(database): nothing was replaced")
    }
  }
}

extension DatabaseImportOptions.Mode: ExpressibleByArgument {}
extension DatabaseImportOptions.Settings: ExpressibleByArgument {}
