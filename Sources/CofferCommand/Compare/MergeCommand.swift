public import ArgumentParser
public import Coffer
import Reports

struct MergeCommand: ComparingVerb, WritingVerb {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Merge two backups of one format: the first, plus what is new or newer in the second.",
    discussion: """
      The result has the order of the first backup. Records that only the second backup has come last in each collection. \
      Records are matched by the key that the format names, and never mixed: each comes from one backup. For two different \
      records with one key, --on-conflict decides:

        keep-existing   the record of the first backup
        replace         the record of the second backup
        keep-newest     the record that was changed last, by the format's date of
                        change; without such a date, the record of the backup that
                        was created last; at equal times, that of the first backup

      The same rule decides about each member outside the collections (metadata, settings) as a whole. Members that only one \
      backup has are kept. Declared counts of collections are updated. Different records in an array without a key are refused: \
      name their key (--key /trips=id), compare them as whole values (--key /trips=), or let the rule decide about the whole \
      array (--whole-arrays).

      The result has the layout of the first backup (compact, indented or JSON Lines), unless --compact, --pretty or the \
      output's name says otherwise. If nothing changes in the first backup, the result is the same byte for byte.

      With --only, all other collections and members come from the first backup. The merge doesn't check references: use \
      coffer validate. The counts of changes go to standard error, or as JSON to standard output.

      Examples:
        coffer merge phone.json tablet.json both.json --on-conflict keep-newest
        coffer merge a.json b.json both.json.lz4 --on-conflict keep-existing
        coffer merge a.json b.json --on-conflict replace --dry-run
        coffer merge --key /trips=id a.json b.json - --on-conflict replace

      Exit status: 0 done; 2 wrong usage, or a key for something that is not an array; 3 something can't be read or written, or is not JSON; \
      4 nothing was done: the two have different formats or versions, an unknown format needs --key, records have no key, one has duplicate keys, no date shows which is \
      newer, the output exists or is an input, or the disk is full.
      """)

  @Argument(.backup.named("a"), "The first backup: JSON, also in LZ4, gzip or zstd; - is standard input.")
  var existing: String

  @Argument(.backup.named("b"), "The second backup.")
  var other: String

  @Argument(.file.named("out"), "The file to write; - is standard output.")
  var output: String?

  @Option(name: .customLong("on-conflict"), help: "Which of two records with one key to keep.")
  var conflicts: ConflictRule

  @Flag(help: "Let --on-conflict decide about each array of records without a key as a whole.")
  var wholeArrays = false

  @Flag(help: "Show what the merge would change, and write nothing.")
  var dryRun = false

  @Flag(help: "Write no whitespace.")
  var compact = false

  @Flag(help: "Write one member or item per line, indented.")
  var pretty = false

  @OptionGroup var comparisonArguments: ComparisonArguments

  @OptionGroup(title: HelpSection.rules) var ruleArguments: RuleArguments

  @OptionGroup(title: HelpSection.input) var onlyArgument: OnlyArgument

  @OptionGroup(title: HelpSection.run) var memory: MemoryArgument

  @OptionGroup(title: HelpSection.input) var expansion: ExpansionArguments

  @OptionGroup(title: HelpSection.input) var readerLimits: ReaderLimitArguments

  @OptionGroup(title: HelpSection.run) var jobsArgument: JobsArgument

  @OptionGroup(title: HelpSection.run) var progressArgument: ProgressArgument

  @OptionGroup(title: HelpSection.report) var summary: SummaryArguments

  @Flag(help: "Replace an existing output file.")
  var force = false

  func checkArguments() throws {
    if output == nil, !dryRun { throw ValidationError("name the file to write, - for standard output, or give --dry-run") }
    if compact, pretty { throw ValidationError("--compact and --pretty can't be combined") }
    if pretty, writesLines { throw ValidationError("JSON Lines have one value per line: leave out --pretty") }
    if !dryRun { try summary.check(output) }
  }

  var use: FileUse {
    var use = use([existing, other])
    use.output = dryRun ? nil : output
    return use
  }

  private var writesLines: Bool { output.map { JSONSyntax(ofFileNamed: $0) == .jsonLines } ?? false }

  /// True if the output's name asks for JSON, although the first backup may be JSON Lines.
  private var isNamedJSON: Bool {
    guard let output else { return false }
    let name = CompressionFormat.plainName(of: output)
    return name.lowercased().hasSuffix(".json")
  }

  /// `nil` means the layout of the first backup.
  private var layout: FormatLayout? {
    if writesLines { return .lines }
    if pretty { return .pretty(indent: 2) }
    let readsLines = (comparisonArguments.inputFormat ?? JSONSyntax(ofFileNamed: existing)) == .jsonLines
    return compact || readsLines && isNamedJSON ? .compact : nil
  }

  func run() throws {
    let configuration = try use.configuration()
    let rules = try rules(configuration, for: [existing, other])
    var options = MergeOptions(conflicts: conflicts)
    options.decidesWholeArrays = wholeArrays
    options.layout = layout
    options.compression = output.flatMap(Compression.init(ofFileNamed:))
    let report = try merged(by: rules, &options)
    Run.note(formats: [report.format])
    var text = TextReport().text(of: report)
    if let only = onlyArgument.selection {
      text +=
        "everything but \(only.names.map(\.printable).joined(separator: ", ")) is as in \(existing.printable): references were not checked (use coffer validate)\n"
    }
    try summary.write(json: report, text: text)
  }

  private func merged(by rules: RuleSource, _ options: inout MergeOptions) throws -> MergeReport {
    let (a, b) = (Backup(argument: existing), Backup(argument: other))
    guard let output, !dryRun else {
      return try progressArgument.show("comparing") { progress in
        options.comparison = comparisonOptions(jobsArgument.execution(progress))
        return try Merger(rules, options: options).preview(a, with: b)
      }
    }
    return try write("merging", to: output) { file, execution in
      options.comparison = comparisonOptions(execution)
      return try Merger(rules, options: options).merge(a, with: b, to: &file)
    }
  }
}

extension ConflictRule: ExpressibleByArgument {}
