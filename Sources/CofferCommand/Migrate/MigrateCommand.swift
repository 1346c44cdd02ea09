import ArgumentParser
import Coffer
import Reports
import SystemPackage

struct MigrateCommand: WritingVerb {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrate a backup of an older version to the current version of its format.",
    discussion: """
      The format is detected from the start of the document. Its descriptor lists the steps: members are filled in, renamed, \
      dropped, mapped, moved, split, converted or scaled. Everything else keeps its text, including unknown fields. The \
      steps and their counts go to standard error, or as JSON to standard output. Migrating twice changes nothing the second \
      time. The result is not validated: use coffer validate.

      Coffer refuses documents whose version is too new or too old, and documents whose format is unknown or ambiguous.

      The input is read twice, because its version may be at its end. For standard input, a temporary copy is made in \
      TMPDIR.

      In a ZIP backup the document is migrated, and all other entries are copied unchanged. Archives that coffer unpack \
      would refuse are refused.

      Examples:
        coffer migrate export-2025.json export.json
        coffer migrate export-2025.json.lz4 export.json.lz4 --to-version 7
        coffer migrate backup-2025.zip backup.zip
        coffer migrate --rules my-app.json old.json new.json
        coffer migrate old.json - | coffer validate -
        coffer migrate old.json new.json --json > report.json

      Exit status: 0 done; 2 wrong usage or rules; 3 something can't be read or written, is not JSON, or is an archive that is \
      damaged or not safe; 4 the document can't be migrated, or the output exists, is the input, or the disk is full.
      """)

  @Argument(.backup.named("in"), "The backup: JSON (also in LZ4, gzip or zstd), or a ZIP; - is standard input.")
  var input: String

  @Argument(.file.named("out"), "The file to write, compressed if it ends in .lz4, .gz or .zst; - is standard output.")
  var output: String

  @Option(.value("version"), "The version to migrate to (default: the current version).")
  var toVersion: Int?

  @Option(
    .rules,
    """
    The format: its name (see: coffer formats) or the path of a rule document with a backup. If repeated, the first is the document's format, and the others \
    are formats that it may become.
    """)
  var rules: [String] = []

  @Flag(help: "Write one member or item per line, indented (default: no whitespace).")
  var pretty = false

  @Option(.count, "With --pretty: spaces per level, 0 to 16 (default: 2).")
  var indent: Int?

  @OptionGroup(title: HelpSection.run) var clock: ClockArgument

  @OptionGroup var levelArgument: LevelArgument

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @Flag(help: "Replace an existing output file.")
  var force = false

  func checkArguments() throws {
    if indent != nil, !pretty { throw ValidationError("--indent requires --pretty") }
    if let indent, !(0...16).contains(indent) { throw ValidationError("--indent must be between 0 and 16") }
    _ = try levelArgument.compression(CompressionFormat(ofFileNamed: output))
    try summary.check(output)
    if [input, output].contains(where: { JSONSyntax(ofFileNamed: $0) == .jsonLines }) {
      throw ValidationError("can't migrate JSON Lines: they have no version")
    }
  }

  var use: FileUse { FileUse(inputs: [input], rules: rules, ruleArguments: ruleArguments, output: output) }

  func run() throws {
    let configuration = try use.configuration()
    let format = try configuration.format(rules.first, for: input)
    let others = try rules.dropFirst().map(configuration.format(named:))
    let catalog = configuration.catalog.preceded(by: [format].compactMap(\.self) + others)
    var options = MigrationOptions(now: clock.instant)
    options.version = toVersion
    options.limits = readerLimits.limits
    if ZIPReader.isNamed(by: output) {
      options.outputContainer = .zip
    } else if FilePath(output).extension?.lowercased() == "json" {
      options.outputContainer = .json
    }
    if pretty { options.layout = .pretty(indent: indent ?? 2) }
    options.compression = try levelArgument.compression(CompressionFormat(ofFileNamed: output))
    let report = try transfer("migrating", from: input, to: output) { source, file, execution in
      options.execution = execution
      options.execution.expansion = expansion.limits
      return try Migrator(catalog, format: format, options: options).migrate(source, to: &file)
    }
    Run.note(formats: [report.format, report.formatAfter])
    let name = FileSource.name(ofArgument: input)
    try summary.write(
      json: NamedReport(report, named: name), text: TextReport().text(of: report, named: name))
  }
}
