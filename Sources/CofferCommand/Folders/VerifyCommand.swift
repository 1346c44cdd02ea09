import ArgumentParser
import Coffer
import CofferFolders
import Reports

struct VerifyCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Validate every backup in a folder.",
    usage: "coffer verify [<options>] <folder>",
    discussion: """
      Each backup is read to its end and checked against the rules of its format. In a ZIP, all files are checked, too, by \
      the checksums and digests that the backup declares. See coffer list --help for which files are backups.

      A file that ends in .json (also compressed: .json.lz4, .json.gz, .json.zst) or .zip and can't be restored fails the run, too. Other files are only listed.

      Examples:
        coffer verify backups
        coffer verify backups --json --output report.json
        coffer verify backups --report sarif=a.sarif --report html=a.html
        coffer verify backups --rules swiff

      Exit status: 0 all are valid; 1 one has findings of severity error, has a version newer than Coffer knows, or an \
      unknown format; 2 wrong usage or rules; 3 one is damaged or can't be read, there are no backups, the folder can't be read, or a report can't be \
      written; 4 a report would be in the folder, or the disk is full; 5 no verdict, because the rules ask for more than a limit allows.
      """)

  @OptionGroup var folderArguments: FolderArguments

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<ReportFormat>

  @OptionGroup(title: HelpSection.report) var extentArguments: ExtentArguments

  @OptionGroup(title: HelpSection.report) var findingArguments: FindingArguments

  @OptionGroup(title: HelpSection.report) var logArgument: LogArgument

  var log: String? { logArgument.log }

  var use: FileUse { folderArguments.use(ruleArguments, reports: reportArguments.allOutputs) }

  func run() throws {
    let listing = try folderArguments.look(for: self) { folder, now in
      let (listing, reports) = try folder.verify(
        maximumFindings: findingArguments.limit(), redacts: findingArguments.redact)
      try Interruption.stop()
      Run.note([
        "backups": listing.backups.count, "valid": listing.backups.count(where: \.isValid), "lost": listing.lost.count,
      ])
      Run.note(errorOf: reports)
      Run.note(formats: reports.map(\.format))
      var results = ValidationResults(reports)
      results.isRedacted = findingArguments.redact
      let renderer = reportArguments.renderer(of: extentArguments.extent)
      try reportArguments.write(results, by: renderer, json: FolderReport.listing(listing, now: now, results: results)) {
        $0.verdicts(on: listing)
      }
      Hint.print(for: reports)
      return listing
    }
    // A folder to verify is expected to have backups.
    if listing.backups.isEmpty { throw ExitStatus.unreadable }
    let statuses = listing.backups.map(\.validity.status) + listing.lost.map(\.status)
    if let status = statuses.max(), status != .success { throw status }
  }
}

extension FolderListing.Other {
  fileprivate var status: ExitStatus { kind == .damaged || kind == .unreadable ? .unreadable : .findings }
}

extension ListedBackup.Validity {
  /// The error that ended reading, if there was one.
  var error: CofferError? {
    switch self {
    case .valid, .invalid, .newer: nil
    case .damaged(let error), .unreadable(let error): error
    }
  }

  var status: ExitStatus { error.map { ExitStatus($0) } ?? (self == .valid ? .success : .findings) }
}
