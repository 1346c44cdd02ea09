import ArgumentParser
import Coffer
import CofferFolders
import Findings
import Reports
import SystemPackage

struct DeleteCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete backups by name, but not the last valid one of a format.",
    usage: "coffer delete [<options>] <file> ...",
    discussion: """
      The backups are shown, and deleted after confirmation, or without it with --force. The last valid backup of a format in \
      its folder is deleted only with --force; to know that, Coffer validates other backups of the folder until it finds a \
      valid one. Only backups are deleted (see coffer list --help for which files are backups).

      If one of the files can't be deleted for such a reason, none is. The oldest is deleted first. A file that changed in \
      the meantime is kept. The folder is locked against other writers until the run ends.

      Examples:
        coffer delete backups/old.json
        coffer delete backups/*-2023-*.json --dry-run
        coffer delete backups/old.json --force --json

      Exit status: 0 deleted; 2 wrong usage or rules; 3 a file doesn't exist, has changed or can't be deleted, or the output \
      can't be written; 4 nothing done: one is the last valid backup or is not a backup, the deletion was not confirmed, another process writes to \
      the folder, or the disk is full; 129, 130 and 143 ended by SIGHUP, Ctrl-C or SIGTERM.
      """)

  @Argument(.backup, "The backups to delete.")
  var files: [String]

  @Flag(help: "Delete without asking, also the last valid backup of a format; ignore files that don't exist.")
  var force = false

  @Flag(help: "Show what would be deleted, and delete nothing.")
  var dryRun = false

  @Option(
    .rules,
    "The format of the backups: its name (see: coffer formats) or the path of its rule document (default: all built-in formats).")
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
    if files.isEmpty { throw ValidationError("name at least one backup") }
    for file in files where FilePath(file).lastComponent?.kind != .regular || file == "-" {
      throw ValidationError("'\(file)' is not the name of a file")
    }
  }

  var log: String? { logArgument.log }

  var use: FileUse {
    FileUse(
      inputs: files, rules: [rules], ruleArguments: ruleArguments, folders: folders.map(\.folder.string))
  }

  /// The files' folders in the order of the arguments, and the names in each.
  private var folders: [(folder: FilePath, names: [String])] {
    var folders: [(folder: FilePath, names: [String])] = []
    // The system resolves `link/..`, unlike lexical normalisation, to the parent of the link's target.
    for path in files.map({ FilePath($0) }) {
      guard let name = path.lastComponent?.string else { continue }
      let parent = path.removingLastComponent()
      let folder = parent.isEmpty ? "." : parent
      // A folder can be locked only once.
      if let index = folders.firstIndex(where: {
        $0.folder == folder || FileComparison.isSameExistingFile($0.folder.string, folder.string)
      }) {
        folders[index].names.append(name)
      } else {
        folders.append((folder, [name]))
      }
    }
    return folders
  }

  func run() throws {
    let time = clock.instant
    let runs = try folders.map { folder, names in
      try look(at: folder.string, rules: rules, now: time) { try $0.deleting(names, force: force) }
    }
    Run.note(formats: runs.flatMap(\.backups).map(\.format))
    if runs.contains(where: { !$0.refusals.isEmpty }) {
      if summary.isJSON { try report(runs.map { ($0, nil) }, time) }
      throw refusal(of: runs)
    }
    try show(runs, time)
    if dryRun {
      if summary.isJSON { return try report(runs.map { ($0, nil) }, time) }
      return try Output.print("\(Self.words(runs.flatMap(\.backups))) would be deleted\n" + RunConfiguration.current.line)
    }
    try confirm(runs)
    let outcomes = runs.map { ($0, $0.carryOut()) }
    let deleted = outcomes.flatMap(\.1.removed)
    Run.note([
      "deleted": deleted.count, "bytes": deleted.reduce(0) { $0 + $1.size },
      "failed": outcomes.reduce(0) { $0 + $1.1.failures.count },
    ])
    for (_, outcome) in outcomes {
      for failure in outcome.failures { Output.printError(failure.error.message) }
      if let error = outcome.syncError { Output.printError(error.message) }
    }
    if summary.isJSON {
      try report(outcomes.map { ($0.0, $0.1) }, time)
    } else if !summary.quiet {
      try Output.print("\(Self.words(deleted)) deleted\n" + RunConfiguration.current.line)
    }
    if outcomes.contains(where: \.1.isInterrupted) { throw Interruption.status }
    if !outcomes.allSatisfy(\.1.isClean) { throw ExitStatus.unreadable }
  }

  private func report(_ runs: [(run: DeletionRun, outcome: RemovalOutcome?)], _ now: Instant) throws {
    try Output.print(json: FolderReport.deletion(runs, isDryRun: dryRun, now: now))
  }

  /// Prints why nothing is deleted.
  private func refusal(of runs: [DeletionRun]) -> ExitStatus {
    var status = ExitStatus.unreadable
    for run in runs {
      for refusal in run.refusals {
        let hint = refusal.code == "last-valid" ? ": --force deletes it" : ""
        Output.printError("\(FilePath(run.folder).appending(refusal.name)) \(refusal.words)\(hint)")
        if refusal.code != "not-found" { status = .refused }
      }
    }
    if runs.contains(where: { !$0.backups.isEmpty }) { Output.printError("nothing deleted") }
    return status
  }

  /// Shows the backups before any is deleted. If they can't be shown, nothing is deleted.
  private func show(_ runs: [DeletionRun], _ now: Instant) throws {
    var report = TextReport()
    report.width = Terminal.columns(of: summary.isJSON ? \.errors : \.output)
    var text = ""
    for run in runs where !run.backups.isEmpty {
      text += report.text(of: FolderListing(folder: run.folder, backups: run.backups), now: now)
    }
    if summary.isJSON {
      if !force, !dryRun { Output.printNotice(text, terminator: "") }
    } else if try !Output.isPrinted(text) {
      Output.printError("nothing deleted: the output was closed before the backups were shown")
      throw ExitStatus.unreadable
    }
  }

  private func confirm(_ runs: [DeletionRun]) throws {
    if force { return }
    guard Terminal.hasPerson else {
      Output.printError("nothing deleted: --force deletes without asking, --dry-run shows what would be deleted")
      throw ExitStatus.refused
    }
    guard Terminal.asks("Delete \(Self.words(runs.flatMap(\.backups)))? [y/N] ") else {
      Output.printError("nothing deleted")
      throw ExitStatus.refused
    }
  }

  private static func words(_ backups: [ListedBackup]) -> String {
    "\(backups.count.counted("backup")) (\(TextReport.shortSize(backups.reduce(0) { $0 + $1.size })))"
  }
}
