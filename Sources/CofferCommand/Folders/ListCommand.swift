import ArgumentParser
import Coffer
import CofferFolders
import Reports

struct ListCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the backups in a folder: when each was made, what it is, and whether it is valid.",
    usage: "coffer list [<options>] <folder>",
    discussion: """
      A backup is a file that ends in .json (also compressed: .json.lz4, .json.gz, .json.zst) or .zip and whose content has a known format, or whose name is one \
      that a format gives its backups. The newest comes first, by the date in the backup. Without one, the date is that of \
      the file's name (local time), or else of its last change; the table marks such dates.

      Each backup is read to its end and validated, unless an earlier run found it valid and it has not changed since: the \
      user's cache remembers that. coffer verify reads everything. Files with such an ending \
      that can't be restored are listed with the reason.

      On a terminal, long values are cut, so that the table fits.

      Examples:
        coffer list backups
        coffer list backups --json
        coffer list backups --rules swiff         only backups of one format
        coffer list backups --rules my-app.json   only backups of your own format

      Exit status: 0 done, whatever the backups are, and if there are none; 2 wrong usage or rules; 3 the folder can't be \
      read, or has only files that no format fits, or the output can't be written; 4 the report would be in the folder, or the disk is full.
      """)

  @OptionGroup var folderArguments: FolderArguments

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.report) var reportArguments: ReportArguments<PlainReportFormat>

  var use: FileUse { folderArguments.use(ruleArguments, reports: reportArguments.outputs) }

  func run() throws {
    try folderArguments.look(for: self) { folder, now in
      let listing = try folder.listing()
      try Interruption.stop()
      Run.note(formats: listing.formats)
      try reportArguments.write(json: FolderReport.listing(listing, now: now)) {
        $0.text(of: listing, now: now) + $0.total(of: listing)
      }
      Hint.print(for: listing.backups.compactMap(\.validity.error))
      if listing.isUnrecognised { throw ExitStatus.unreadable }
    }
  }
}
