import ArgumentParser
import Coffer
import CofferFolders
import Reports

struct PruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove old backups from a folder by number, age or both, with a reason for each file.",
    usage: "coffer prune [<options>] <folder>",
    discussion: """
      Each format is handled separately. With both limits, both apply: --keep-last 5 --keep-within 30d keeps the 5 newest \
      backups, and of these none older than 30 days. Only valid backups count for --keep-last. An invalid backup is kept as \
      long as a valid one in its place would be.

      Whatever the limits, Coffer keeps the newest valid backup of each format, all backups of a format that has no valid \
      one, files that it can't read, backups of a newer version than it knows, and backups dated more than a day ahead. It \
      never touches other files (see coffer list --help).

      Each backup and the reason are shown before anything is removed. The oldest is removed first. A file that changed in \
      the meantime is kept. The folder is locked against other writers until the run ends.

      Ages are 12h, 30d, 4w, 6m (months), 1y, or ISO 8601 durations such as P30D.

      Examples:
        coffer prune backups --keep-last 5 --keep-within 30d --dry-run
        coffer prune backups --keep-last 5
        coffer prune backups --keep-within 6m --json
        coffer prune backups --keep-last 3 --rules swiff

      Exit status: 0 done, or nothing to do; 2 wrong usage or rules; 3 the folder can't be read, a file can't be \
      removed or was changed, or the output can't be written; 4 another process writes to the folder, or the \
      disk is full; 129, 130 and 143 ended by SIGHUP, Ctrl-C or SIGTERM: the next run removes the rest.
      """)

  @Option(help: ArgumentHelp("Number of valid backups to keep per format.", valueName: "n"))
  var keepLast: Int?

  @Option(help: ArgumentHelp("Maximum age of the backups to keep.", valueName: "age"))
  var keepWithin: BackupAge?

  @Flag(help: "Show what would be removed, and remove nothing.")
  var dryRun = false

  @OptionGroup var catalogArguments: FolderArguments

  @OptionGroup var reportFormat: ReportFormatArguments

  func validate() throws {
    if let keepLast, keepLast < 1 { throw ValidationError("--keep-last must be at least 1") }
    if policy == nil { throw ValidationError("--keep-last, --keep-within or both are required") }
  }

  private var policy: RetentionPolicy? { RetentionPolicy(keepLast: keepLast, keepWithin: keepWithin) }

  func run() throws {
    guard let policy else { return }
    try catalogArguments.look { catalog, now in
      if dryRun {
        let (listing, plan) = try catalog.preview(of: policy)
        try Interruption.stop()
        if reportFormat.isJSON { return try Output.print(json: RetentionReport(plan, for: listing, outcome: nil, now: now)) }
        return try Output.print(text(of: plan, for: listing, now) + summary(of: plan, nil))
      }
      let run = try catalog.pruning(by: policy)
      // Each reason is printed before its file is removed; the JSON report comes only after the removals.
      if reportFormat.isJSON {
        for removed in run.plan.remove {
          Output.printNotice("remove \(removed.backup.name.printable): \(removed.reasons.map(\.words).joined(separator: "; "))")
        }
      } else if try !Output.isPrinted(text(of: run.plan, for: run.listing, now)) {
        // The plan was not read, so nothing is removed.
        Output.printError("nothing removed: the output was closed before the plan was shown")
        throw ExitStatus.unreadable
      }
      let outcome = run.carryOut()
      for failure in outcome.failures { Output.printError(failure.error.message) }
      if let error = outcome.syncError { Output.printError(error.message) }
      if reportFormat.isJSON {
        try Output.print(json: RetentionReport(run.plan, for: run.listing, outcome: outcome, now: now))
      } else {
        try Output.print(summary(of: run.plan, outcome))
      }
      if outcome.isInterrupted { throw Interruption.status }
      if !outcome.isClean { throw ExitStatus.unreadable }
    }
  }

  /// Returns the plan, or for a folder without backups the empty listing.
  private func text(of plan: RetentionPlan, for listing: FolderListing, _ now: Instant) -> String {
    let report = TextReport()
    return listing.backups.isEmpty ? report.text(of: listing, now: now) : report.text(of: plan, now: now)
  }

  private func summary(of plan: RetentionPlan, _ outcome: PruneOutcome?) -> String {
    plan.keep.isEmpty ? "" : TextReport().summary(of: plan, outcome)
  }
}
