import ArgumentParser
import Coffer
import CofferFolders
import Findings
import Reports

struct PruneCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove old backups from a folder by number, age and calendar, with a reason for each file.",
    usage: "coffer prune [<options>] <folder>",
    discussion: """
      Each format is handled separately. With both limits, both apply: --keep-last 5 --keep-within 30d keeps the 5 newest \
      backups, and of these none older than 30 days. Only valid backups count for --keep-last. An invalid backup is kept as \
      long as a valid one in its place would be.

      --keep-daily 7 also keeps the newest valid backup of each of the last 7 days that have one, whatever the limits; without \
      limits, it keeps only these. Weeks (from Monday), months and years likewise, all in local time. As long as fewer \
      periods have a backup, the oldest valid one is kept, too.

      Whatever the limits, Coffer keeps the newest valid backup of each format, all backups of a format that has no valid \
      one, files that it can't read, backups of a newer version than it knows, and backups dated more than a day ahead. It \
      never touches other files (see coffer list --help).

      Each backup and the reason are shown before anything is removed, and on a terminal, Coffer asks first. The oldest is removed first. A file that changed in \
      the meantime is kept. The folder is locked against other writers until the run ends.

      Ages are 12h, 30d, 4w, 6m (months), 1y, or ISO 8601 durations such as P30D.

      Examples:
        coffer prune backups --keep-last 5 --keep-within 30d --dry-run
        coffer prune backups --keep-last 5
        coffer prune backups --keep-within 6m --json
        coffer prune backups --keep-daily 7 --keep-weekly 4 --keep-monthly 12
        coffer prune backups --keep-last 3 --rules swiff

      Exit status: 0 done, or nothing to do; 2 wrong usage or rules; 3 the folder can't be read, or has only files that no format fits, a file has \
      changed or can't be removed, or the output can't be written; 4 nothing done: the removal was not confirmed, another process writes to \
      the folder, or the disk is full; 129, 130 and 143 ended by SIGHUP, Ctrl-C or SIGTERM: the next run removes the rest.
      """)

  @Option(.count, "Number of valid backups to keep per format.")
  var keepLast: Int?

  @Option(.age, "Maximum age of the backups to keep, such as 30d.")
  var keepWithin: BackupAge?

  @Option(.count, "Keep the newest valid backup of each of the last n days that have one.")
  var keepDaily: Int?

  @Option(.count, "Keep the newest valid backup of each of the last n weeks that have one.")
  var keepWeekly: Int?

  @Option(.count, "Keep the newest valid backup of each of the last n months that have one.")
  var keepMonthly: Int?

  @Option(.count, "Keep the newest valid backup of each of the last n years that have one.")
  var keepYearly: Int?

  @Flag(help: "Remove without asking.")
  var force = false

  @Flag(help: "Show what would be removed, and remove nothing.")
  var dryRun = false

  @OptionGroup var folderArguments: FolderArguments

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @OptionGroup(title: HelpSection.report) var logArgument: LogArgument

  func checkArguments() throws {
    let numbers = [
      "last": keepLast, "daily": keepDaily, "weekly": keepWeekly, "monthly": keepMonthly, "yearly": keepYearly,
    ]
    for (name, number) in numbers.sorted(by: { $0.key < $1.key }) {
      if let number, number < 1 { throw ValidationError("--keep-\(name) must be at least 1") }
    }
    if policy == nil {
      throw ValidationError(
        "name what to keep: --keep-last, --keep-within, --keep-daily, --keep-weekly, --keep-monthly, --keep-yearly")
    }
  }

  var log: String? { logArgument.log }

  var use: FileUse { folderArguments.use(ruleArguments) }

  private var policy: RetentionPolicy? {
    let periods: [RetentionPeriod: Int?] = [.day: keepDaily, .week: keepWeekly, .month: keepMonthly, .year: keepYearly]
    return RetentionPolicy(keepLast: keepLast, keepWithin: keepWithin, keepEach: periods.compactMapValues(\.self))
  }

  func run() throws {
    guard let policy else { return }
    try folderArguments.look(for: self) { folder, now in
      if dryRun {
        let (listing, plan) = try folder.preview(of: policy)
        try Interruption.stop()
        Run.note(formats: listing.formats)
        if summary.isJSON {
          try Output.print(json: FolderReport.retention(plan, for: listing, outcome: nil, now: now))
        } else {
          try Output.print(text(of: plan, for: listing, now) + text(of: plan, nil) + RunConfiguration.current.line)
        }
        if listing.isUnrecognised { throw ExitStatus.unreadable }
        return
      }
      let run = try folder.pruning(by: policy)
      Run.note(formats: run.listing.formats)
      // Each reason is printed before its file is removed; the JSON report comes only after the removals.
      if summary.isJSON {
        Self.printRemovals(of: run.plan)
      } else if try !summary.quiet && !Output.isPrinted(text(of: run.plan, for: run.listing, now)) {
        // The plan was not read, so nothing is removed.
        Output.printError("nothing removed: the output was closed before the plan was shown")
        throw ExitStatus.unreadable
      }
      try confirm(run.plan)
      let outcome = run.carryOut()
      Run.note([
        "removed": outcome.removed.count, "bytes": outcome.bytes, "failed": outcome.failures.count, "kept": run.plan.keep.count,
      ])
      for failure in outcome.failures { Output.printError(failure.error.message) }
      if let error = outcome.syncError { Output.printError(error.message) }
      if summary.isJSON {
        try Output.print(json: FolderReport.retention(run.plan, for: run.listing, outcome: outcome, now: now))
      } else if !summary.quiet {
        try Output.print(text(of: run.plan, outcome) + RunConfiguration.current.line)
      }
      if outcome.isInterrupted { throw Interruption.status }
      if !outcome.isClean || run.listing.isUnrecognised { throw ExitStatus.unreadable }
    }
  }

  private static func printRemovals(of plan: RetentionPlan) {
    for removed in plan.remove {
      Output.printNotice("remove \(removed.backup.name.printable): \(removed.reasons.map(\.words).joined(separator: "; "))")
    }
  }

  /// Asks for confirmation if a person is at a terminal. Jobs run without asking.
  private func confirm(_ plan: RetentionPlan) throws {
    if force || plan.remove.isEmpty || !Terminal.hasPerson { return }
    // The plan may not be on the terminal.
    if !summary.isJSON, summary.quiet || Terminal.columns(of: \.output) == nil { Self.printRemovals(of: plan) }
    let bytes = plan.remove.reduce(0) { $0 + $1.backup.size }
    guard Terminal.asks("Remove \(plan.remove.count.counted("backup")) (\(TextReport.shortSize(bytes)))? [y/N] ") else {
      Output.printError("nothing removed")
      throw ExitStatus.refused
    }
  }

  /// Returns the plan, or for a folder without backups the empty listing.
  private func text(of plan: RetentionPlan, for listing: FolderListing, _ now: Instant) -> String {
    let report = TextReport.plain
    return listing.backups.isEmpty ? report.text(of: listing, now: now) : report.text(of: plan, now: now)
  }

  private func text(of plan: RetentionPlan, _ outcome: RemovalOutcome?) -> String {
    plan.keep.isEmpty ? "" : TextReport().summary(of: plan, outcome)
  }
}
