import ArgumentParser
import Coffer
import CofferContainers
import SystemPackage

struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring a backup of an older version up to date, as its format says.",
    discussion: """
      The format is told from the document's start, and says what is to be done: members that are filled in, renamed, \
      dropped, mapped, moved, split, converted, scaled. What no step is for keeps its text, unknown fields too. What was done \
      is said by count, on standard error, or as JSON on standard output; whoever does it again changes nothing. What comes \
      out is not validated: coffer validate does that.

      A document that is newer than what is known here is refused, and so is one that is too old, or shows itself to be of no \
      format or of several.

      The input is read twice, for its version may stand at its end; of standard input a copy is kept in TMPDIR meanwhile.

      Of a ZIP backup the document is migrated, and all other entries are copied as they are; one that coffer unpack would \
      refuse is refused.

      Examples:
        coffer migrate export-2025.json export.json
        coffer migrate export-2025.json.lz4 export.json.lz4 --to 7
        coffer migrate backup-2025.zip backup.zip
        coffer migrate --rules my-app.json old.json new.json
        coffer migrate old.json - | coffer validate -
        coffer migrate old.json new.json --json > report.json

      Exit status: 0 done; 2 wrong usage or rules; 3 something can't be read or written, is no JSON, or an archive that is \
      damaged or not safe; 4 the document can't be migrated, or the output is there already, is the input, or finds the disk full.
      """)

  @Argument(help: ArgumentHelp("The backup, as it is, compressed by LZ4 or in a ZIP; - is standard input.", valueName: "in"))
  var input: String

  @Argument(help: ArgumentHelp("The file to write, compressed if it ends in .lz4; - is standard output.", valueName: "out"))
  var output: String

  @Option(help: ArgumentHelp("The version to stop at; the current one unless told.", valueName: "version"))
  var to: Int?

  @Option(
    help: ArgumentHelp(
      """
      The format: its name (see: coffer formats) or the path of a rule document with a backup. Given several times, the first is what the document is of, and \
      the others are what it may become.
      """, valueName: "name-or-file"))
  var rules: [String] = []

  @Flag(help: "A member and an item a line, indented; without blanks unless told.")
  var pretty = false

  @Option(help: ArgumentHelp("With --pretty, how many blanks a level takes: 0 to 16, 2 unless told.", valueName: "n"))
  var indent: Int?

  @OptionGroup var reportFormat: ReportFormatArguments

  @Option(help: ArgumentHelp("What is filled in as the present time (RFC 3339).", valueName: "time"))
  var now: TimeArgument?

  @Option(
    help: ArgumentHelp("How hard an .lz4 is compressed: 1, the fastest, to 12, the smallest; 1 unless told.", valueName: "n"))
  var level: LevelArgument?

  @OptionGroup var ruleArguments: RuleArguments

  @OptionGroup var transferArguments: TransferArguments

  func validate() throws {
    if indent != nil, !pretty { throw ValidationError("--indent goes with --pretty") }
    if let indent, !(0...16).contains(indent) { throw ValidationError("--indent is between 0 and 16") }
    if level != nil, !LZ4Source.isNamed(by: output) {
      throw ValidationError("--level goes with an output whose name ends in .lz4")
    }
    if reportFormat.isJSON, output == "-" {
      throw ValidationError("the report as JSON and the document can't both go to standard output")
    }
    let (isJSON, isZIP) = (FilePath(input).extension?.lowercased() == "json", ZIPReader.isNamed(by: input))
    if isJSON, ZIPReader.isNamed(by: output) {
      throw ValidationError("a document stays one: coffer pack makes a ZIP of it and its files")
    }
    if isZIP, FilePath(output).extension?.lowercased() == "json" {
      throw ValidationError("a ZIP stays one: coffer unpack takes it apart")
    }
    if [input, output].contains(where: { JSONSyntax(ofFileNamed: $0) == .jsonLines }) {
      throw ValidationError("JSON Lines are no backup: they have no place for its version")
    }
    try ruleArguments.check(rules, against: [output])
    if ([input] + rules).count(where: { $0 == "-" }) > 1 { throw ValidationError("standard input can be read only once") }
  }

  func run() throws {
    let formats = try rules.map(ruleArguments.format(named:))
    let catalog = try FormatCatalog.builtIn().preceded(by: formats)
    var options = MigrationOptions(now: now?.instant ?? .now())
    options.version = to
    if pretty { options.layout = .pretty(indent: indent ?? 2) }
    if LZ4Source.isNamed(by: output) { options.compression = level?.level ?? .fastest }
    if let jobs = transferArguments.jobs { options.jobs = jobs }
    do {
      let report = try transferArguments.transfer(from: input, to: output) { source, file, cancellation in
        options.cancellation = cancellation
        return try ContainerMigrator(catalog, format: formats.first, options: options).migrate(source, to: &file)
      }
      let name = TransferArguments.name(of: input)
      guard reportFormat.isJSON else { return Output.inform(report.text(named: name), terminator: "") }
      try Output.print(report.json(named: name))
    } catch let error as MigrationError {
      Output.complain("\(TransferArguments.name(of: input)): \(error.message)")
      throw ExitStatus.refused
    }
  }
}
