import ArgumentParser
import Coffer
import CofferContainers
import CofferTransfer
import Reports
import SystemPackage

struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the backup that a database holds to a file.",
    discussion: """
      It gives back what coffer import has brought in: the same values, numbers digit for digit, fields that nobody knows, in \
      the same order; what was changed in the tables since is written as it is now. It is read within one transaction, so that \
      others may write meanwhile, and the file appears whole or not at all.

      A name that ends in .lz4 compresses it, one that ends in .zip makes an archive with the files that belong to the rows.

      Examples:
        coffer export backup.db export.json
        coffer export backup.db export.json.lz4 --only cars,expenses
        coffer export photos.db backup.zip --created-at now
        coffer export backup.db - --pretty | less

      Exit status: 0 written, and where files don't fit the document that is said; 2 wrong usage; 3 the database holds no backup, \
      or can't be read, or the file can't be written; 4 nothing done, because data would have been lost.
      """)

  @Argument(help: ArgumentHelp("The SQLite database.", valueName: "db"))
  var database: String

  @Argument(help: ArgumentHelp("The file to write, compressed if it ends in .lz4; - is standard output.", valueName: "file"))
  var output: String

  @OptionGroup var onlyArgument: OnlyArgument

  @Flag(help: "A member and an item a line, indented as the format's app does; without blanks unless told.")
  var pretty = false

  @Flag(help: "Sort the members of every object by their names.")
  var sortKeys = false

  @OptionGroup var origin: OriginArguments

  @Option(
    help: ArgumentHelp(
      "A format of your own that the database may hold: the path of a rule document with a backup.", valueName: "name-or-file"))
  var rules: String?

  @OptionGroup var ruleArguments: RuleArguments

  @Option(
    help: ArgumentHelp("What --created-at now means, and the rules take for the present time (RFC 3339).", valueName: "time"))
  var now: TimeArgument?

  @OptionGroup var reportFormat: ReportFormatArguments

  @OptionGroup var transferArguments: TransferArguments

  func validate() throws {
    if reportFormat.isJSON, output == "-" {
      throw ValidationError("the report as JSON and the document can't both go to standard output")
    }
    try ruleArguments.check([rules], against: [output])
    if database == "-" { throw ValidationError("a database is a file: standard input can't be one") }
    if sortKeys || pretty, ZIPReader.isNamed(by: output) {
      throw ValidationError("--pretty and --sort-keys don't apply to ZIP archives: leave them out, or write JSON")
    }
    if JSONSyntax(ofFileNamed: output) == .jsonLines {
      throw ValidationError("JSON Lines are no backup: coffer convert makes them of an exported one")
    }
  }

  func run() throws {
    let format = try rules.map(ruleArguments.format(named:))
    let catalog = try FormatCatalog.builtIn(with: format)
    let now = now?.instant ?? .now()
    var options = origin.options(now: now)
    options.only = onlyArgument.selection
    var layout = DatabaseExporter.Layout()
    layout.isPretty = pretty
    layout.sortsKeys = sortKeys
    layout.compression = LZ4Source.isNamed(by: output) ? .fastest : nil
    layout.isArchive = ZIPReader.isNamed(by: output)
    if let jobs = transferArguments.jobs { layout.jobs = jobs }
    do {
      if !origin.isEmpty {
        try origin.check(try DatabaseExporter(catalog, options: options, now: now).contents(of: FilePath(database)).format)
      }
      let report = try transferArguments.write(
        to: output, reading: [database] + ["-wal", "-shm", "-journal"].map { database + $0 }
      ) { file, cancellation in
        options.cancellation = cancellation
        return try DatabaseExporter(catalog, options: options, layout: layout, now: now)
          .export(FilePath(database), to: &file)
      }
      defer {
        for finding in report.findings { Output.inform("\(output.printable): \(finding.message.printable) [\(finding.code)]") }
      }
      if reportFormat.isJSON { return try Output.print(JSONReport().text(of: report, writtenTo: output)) }
      if output != "-" { Output.inform(TextReport().text(of: report, writtenTo: output), terminator: "") }
    } catch let status as ExitStatus {
      throw status
    } catch {
      throw ExitStatus.transfer(failed: error, file: output, database: database)
    }
  }
}
