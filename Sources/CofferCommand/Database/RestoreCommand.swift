import ArgumentParser
import Coffer
import CofferFolders
import SystemPackage

struct RestoreCommand: ImportingVerb {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Import the latest valid backup of a folder, or a named one, into a SQLite database.",
    usage: "coffer restore [<options>] <folder> [<name>] --into <db>",
    discussion: """
      Without a name, the newest valid backup is restored; newer ones that are not valid are listed. The rest is an import \
      (see coffer import --help): the backup is validated again, the database is copied, and one transaction writes \
      everything or nothing.

      Examples:
        coffer restore backups --into backup.db --dry-run
        coffer restore backups --into new.db
        coffer restore backups --latest --into backup.db --mode replace --force
        coffer restore backups export-2026-06.json --into backup.db
        coffer restore backups --rules swiff --into swiff.db

      Exit status: 0 restored; 1 findings of severity error, or restored without some records (--skip-invalid); 2 wrong usage or rules, or the folder has backups of several formats; \
      3 there is no valid backup, or something can't be read or written; 4 nothing done, because data would have been lost; 5 no \
      verdict, because the rules ask for more than a limit allows; 129, \
      130 and 143 ended by SIGHUP, Ctrl-C or SIGTERM, and rolled back.
      """)

  @Argument(.folder, "The folder of backups.")
  var folder: String

  @Argument(.name, "The backup's name (default: the newest valid backup).")
  var name: String?

  @Flag(help: "Restore the newest valid backup, the default.")
  var latest = false

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
    if folder.isEmpty { throw ValidationError("the folder's name is empty; '.' is the current folder") }
    if latest, name != nil { throw ValidationError("--latest and a name can't be combined") }
    if let name, name.isEmpty || name.contains("/") || name == "-" {
      throw ValidationError("'\(name)' is not the name of a file in the folder; coffer import takes any path")
    }
    try checkImport()
  }

  func run() throws {
    let path = FilePath(folder).appending(try name ?? latestName())
    // A link may lead out of the folder. FileManager would also look up the owner's name, for which glibc loads libraries.
    if (try? path.stat(followTargetSymlink: false).type) == .symbolicLink {
      Output.printError("\(path.string.printable) is a symbolic link, and not a backup of the folder")
      throw ExitStatus.unreadable
    }
    try load(path.string)
  }

  var use: FileUse {
    use(of: name.map { FilePath(folder).appending($0).string } ?? folder, folder: folder)
  }

  private func latestName() throws -> String {
    let now = clock.instant
    let listing = try look(at: folder, rules: importArguments.rules, now: now) { try $0.listing() }
    switch listing.restoreChoice(at: now) {
    case .backup(let backup, let skipped):
      for newer in skipped { Output.printNotice("skipping \(newer.name.printable), which is \(newer.reason)") }
      Output.printNotice("restoring \(backup.name.printable), made \(backup.created.instant)")
      return backup.name
    case .noBackups:
      Output.printError("\(folder): no backups found")
      throw ExitStatus.unreadable
    case .severalFormats(let formats):
      Output.printError(
        "\(folder) has backups of several formats: name one with --rules (\(formats.joined(separator: ", "))), or the backup")
      throw ExitStatus.usage
    case .noneValid:
      let states = listing.backups.map { "\($0.name) is \($0.validity.code)" }
      Output.printError(
        "\(folder): no valid backup found: \(states.prefix(5).joined(separator: ", "))\(states.count > 5 ? ", …" : "")")
      throw listing.backups.contains { $0.validity.status == .undecided } ? ExitStatus.undecided : .unreadable
    }
  }
}
