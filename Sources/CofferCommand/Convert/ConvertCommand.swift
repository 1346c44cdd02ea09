import ArgumentParser
import Coffer
import Reports
import SystemPackage

struct ConvertCommand: WritingVerb {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Convert a document to another layout, to JSON Lines, compress it, or extract one collection.",
    discussion: """
      Only the layout changes: numbers keep their digits, strings their escapes, and members their order, unless --sort-keys \
      is given. Coffer checks only that the input is well-formed. If it isn't, no output is written.

      With --only, all other collections become empty, and their declared counts become 0. References that no longer \
      lead to a record are reported.

      JSON Lines (.ndjson, .jsonl; one value per line, up to 64 MiB) are the items of an array: of the document itself, or \
      of the array that --collection names. Of an object, each line has one member. An output whose name ends in .lz4, .gz or .zst is compressed. Compressed input is \
      detected by its content.

      To convert a ZIP backup, use coffer unpack first, and coffer pack afterwards.

      --sort-keys can't sort an object that is larger than 8 MiB and has more than 1048576 members.

      Examples:
        coffer convert export.json compact.json
        coffer convert export.json export.json.lz4
        coffer convert --pretty --sort-keys export.json.lz4 -
        coffer convert --collection /expenses export.json expenses.ndjson
        coffer convert expenses.ndjson expenses.json
        coffer convert --only cars,expenses export.json part.json

      Exit status: 0 done; 2 wrong usage; 3 something can't be read or written, or is not JSON; 4 the output exists, \
      is the input, or the disk is full.
      """)

  @Argument(.backup.named("in"), "The file to read; - is standard input.")
  var input: String

  @Argument(.file.named("out"), "The file to write; - is standard output.")
  var output: String

  @Flag(help: "Write no whitespace (the default).")
  var compact = false

  @Flag(help: "Write one member or item per line, indented.")
  var pretty = false

  @Option(.count, "With --pretty: spaces per level, 0 to 16 (default: 2).")
  var indent: Int?

  @Flag(help: "Sort the members of every object by name.")
  var sortKeys = false

  enum OutputFormat: String, CaseIterable, ExpressibleByArgument { case json, ndjson }

  @Option(help: "The output format (default: by the output's name).")
  var to: OutputFormat?

  @Option(
    name: [.customLong("input-format"), .customLong("from")], help: "The input format (default: by the input's name).")
  var inputFormat: JSONSyntax?

  @Option(.collection, "Write only this collection, such as /expenses (a JSON Pointer).")
  var collection: String?

  @OptionGroup(title: HelpSection.input) var onlyArgument: OnlyArgument

  @Option(.rules, "For --only, the source of the collections: a format's name or a rule document's path (default: detected).")
  var rules: String?

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
    if compact, pretty { throw ValidationError("--compact and --pretty can't be combined") }
    if indent != nil, !pretty { throw ValidationError("--indent requires --pretty") }
    if let indent, !(0...16).contains(indent) { throw ValidationError("--indent must be between 0 and 16") }
    if ZIPReader.isNamed(by: output) {
      throw ValidationError("\(output) would not be a ZIP: convert writes documents; use coffer pack for archives")
    }
    if pretty, writesLines { throw ValidationError("JSON Lines have one value per line: leave out --pretty") }
    _ = try levelArgument.compression(CompressionFormat(ofFileNamed: output))
    if onlyArgument.selection != nil, collection != nil || writesLines {
      throw ValidationError("--only keeps the document: it can't be combined with --collection or JSON Lines")
    }
    if rules != nil, onlyArgument.selection == nil { throw ValidationError("--rules requires --only") }
    try summary.check(output)
    if let collection, !collection.isEmpty, collection.first != "/" {
      throw ValidationError("--collection must be a JSON Pointer, such as /expenses")
    }
  }

  var use: FileUse { FileUse(inputs: [input], rules: [rules], ruleArguments: ruleArguments, output: output) }

  func run() throws {
    var options = ConversionOptions()
    options.syntax = inputFormat ?? JSONSyntax(ofFileNamed: input)
    options.layout = writesLines ? .lines : pretty ? .pretty(indent: indent ?? 2) : .compact
    options.sortsKeys = sortKeys
    options.limits = readerLimits.limits
    options.collection = collection
    options.only = onlyArgument.selection
    if options.only != nil {
      options.rules = try use.configuration().rules(rules, for: input)
      if case .format(let format) = options.rules { Run.note(formats: [format.name]) }
    }
    options.compression = try levelArgument.compression(CompressionFormat(ofFileNamed: output))
    let conversion = try transfer("converting", from: input, to: output) { source, file, execution in
      options.execution = execution
      options.execution.expansion = expansion.limits
      return try Converter(options: options).convert(source, to: &file)
    }
    let summary = summary
    if summary.isJSON { return try Output.print(json: NamedReport(conversion, named: output)) }
    if let choice = conversion.choice, !choice.leftOut.isEmpty {
      if !summary.quiet {
        Output.printNotice(
          "left out: \(choice.leftOutTitles.map(\.printable).joined(separator: ", "))\n" + RunConfiguration.current.line,
          terminator: "")
      }
      for reference in conversion.danglingReferences { Output.printNotice(reference.description.printable) }
    }
  }

  private var writesLines: Bool { to.map { $0 == .ndjson } ?? (JSONSyntax(ofFileNamed: output) == .jsonLines) }
}
