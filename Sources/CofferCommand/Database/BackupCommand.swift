import ArgumentParser
import Coffer
import CofferFolders
import CofferSQLite
import Reports
import SystemPackage

struct BackupCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Export the backup in a database to a folder of backups, if one is due.",
    usage: "coffer backup [<options>] <db> --into <folder>",
    discussion: """
      The file gets the name that the format's app would give it, in local time; -2 is added if the name is taken. \
      Existing files are never replaced, and the file appears complete or not at all. Its creation date is now.

      The folder is created if it doesn't exist, with its parents. Before that, the database is checked for a backup.

      With --if-due, nothing is written while the newest valid backup of the format is younger than that age. An hour is \
      tolerated, or a 24th of a shorter age, so that a job that runs as often skips none. The new backup is read again and validated.

      Examples:
        coffer backup backup.db --into backups
        coffer backup backup.db --into backups --if-due 7d
        coffer backup backup.db --into backups --quiet       for cron
        coffer backup backup.db --into backups --json
        coffer backup backup.db --into backups --only cars
        coffer backup my.db --into backups --rules my-app.json

      Exit status: 0 written, or not due; 1 written, and not valid; 2 wrong usage or rules; 3 the database holds no backup, or \
      something can't be read or written; 4 nothing done: another process writes to the folder, or the disk is full.
      """)

  @Argument(.database, "The SQLite database.")
  var database: String

  @Option(.folder, "The folder of backups; created if it doesn't exist.", name: .customLong("into"))
  var folder: String

  @Option(.age, "Export only if the newest valid backup is at least this old: 12h, 7d, 4w, 6m (months), 1y, P7D.")
  var ifDue: BackupAge?

  @Option(.text, "Give the file another start of the format's names than new backups have, such as ev_charging_tracker_export.")
  var nameStart: String?

  @OptionGroup(title: HelpSection.input) var onlyArgument: OnlyArgument

  @Option(
    .rules,
    "The format of the backup in the database, if it is one of your own: the path of a rule document with a backup descriptor.")
  var rules: String?

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @OptionGroup(title: HelpSection.report) var logArgument: LogArgument

  func checkArguments() throws {
    if folder.isEmpty { throw ValidationError("--into names no folder") }
    if database == "-" { throw ValidationError("the database must be a file, not standard input") }
  }

  var log: String? { logArgument.log }

  var use: FileUse {
    FileUse(
      inputs: [database, folder], others: ImportArguments.sideFiles(of: database), rules: [rules],
      ruleArguments: ruleArguments, folders: [folder, database + ".files"])
  }

  func run() throws {
    let configuration = try use.configuration()
    var export = DatabaseExportOptions()
    export.format = try rules.map(configuration.format(named:))
    let now = clock.instant
    let held = try DatabaseExporter(configuration.catalog, options: export, now: now).properties(of: FilePath(database))
    let format = held.format
    guard format.isDetectable else {
      Output.printError("nothing in a backup of '\(format.name)' shows its format, so a folder can't list it: use coffer export")
      throw ExitStatus.refused
    }
    // The folder may also have backups of other formats.
    let listed = configuration.catalog.preceded(by: [format])
    var options = BackupFolder.Options(now: now)
    let start = ContinuousClock.now
    let addition = try progressArgument.show("backing up") { progress in
      options.execution = execution(progress)
      return try add(to: BackupFolder(FilePath(folder), formats: listed, options: options), held, options)
    }
    if case .written(let backup) = addition { Run.note(formats: [backup.format]) }
    try report(addition, seconds: (ContinuousClock.now - start) / .seconds(1), now)
  }

  private func add(
    to folder: BackupFolder, _ held: (format: BackupFormat, properties: BackupProperties), _ options: BackupFolder.Options
  ) throws -> BackupFolder.Addition {
    var export = DatabaseExportOptions()
    export.format = held.format
    export.createdAt = options.now
    export.backedUpAt = options.now
    export.only = onlyArgument.selection
    export.execution = options.execution
    // An unknown collection is an error before the folder is created.
    _ = try export.only?.choice(from: held.format)
    var layout = DatabaseExporter.Layout()
    layout.isArchive = held.properties.files != nil
    let exporter = DatabaseExporter(FormatCatalog([held.format]), options: export, layout: layout, now: options.now)
    let names = try nameStart.map { start in
      if let names = held.format.fileName?.starting(with: start) { return names }
      Output.printError("--name-start: no backup of '\(held.format.name)' has a name that begins with '\(start)'")
      throw ExitStatus.usage
    }
    return try folder.add(held.format, isArchive: layout.isArchive, isPart: export.only != nil, named: names, ifOlderThan: ifDue)
    {
      file in
      _ = try exporter.export(FilePath(database), to: &file)
    }
  }

  private func report(_ addition: BackupFolder.Addition, seconds: Double, _ now: Instant) throws {
    let json = FolderReport.addition(addition, from: database, to: folder, seconds: seconds, now: now)
    switch addition {
    case .notDue(let newest, let seconds):
      Run.note(["written": 0])
      if summary.isJSON { return try Output.print(json: json) }
      let age = TextReport.age(of: newest.created.instant, at: now)
      if !summary.quiet {
        try Output.print("not due: \(newest.name.printable) is \(age), due in \(TextReport.span(ofSeconds: seconds))\n")
      }
    case .written(let backup):
      Run.note(["written": 1, "records": backup.counts.reduce(0) { $0 + $1.count }, "bytes": backup.size])
      if !summary.quiet || !backup.isValid {
        try Output.report(
          summary.isJSON
            ? JSONReport().text(of: ConfiguredReport(json))
            : TextReport().verdict(on: backup, writtenTo: folder) + RunConfiguration.current.line,
          on: "\(backup.name) was written")
      }
      if !backup.isValid { throw ExitStatus.findings }
    }
  }
}
