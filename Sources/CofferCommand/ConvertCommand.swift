import ArgumentParser
import Coffer
import SystemPackage

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert",
    abstract: "Write a document in another layout, as JSON Lines, compressed, or one collection of it.",
    discussion: """
      Nothing is changed but the layout: numbers keep their digits, strings their escapes, members their order unless --sort-keys is given.
      Nothing is checked but that the input is well formed; what isn't leaves no output.

      JSON Lines (a value a line: .ndjson, .jsonl) are the items of an array: of the document itself, or of the one that --collection names.
      An output whose name ends in .lz4 is compressed. An input that is LZ4 is told by its content.

      An output that is there already is replaced by a whole document of the same format (coffer formats), or with --force.
      --sort-keys can't sort an object that is larger than 8 MiB and has more than 1048576 members.

      Examples:
        coffer convert export.json compact.json
        coffer convert export.json export.json.lz4
        coffer convert --pretty --sort-keys export.json.lz4 -
        coffer convert --collection /expenses export.json expenses.ndjson
        coffer convert expenses.ndjson expenses.json

      Exit status: 0 done; 2 wrong usage; 3 something can't be read or written, or is no JSON; 4 the output is there already, is the input, or finds the disk full.
      """)

  @Argument(help: ArgumentHelp("The file to read; - is standard input.", valueName: "in"))
  var input: String

  @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "out"))
  var output: String

  @Flag(help: "Without blanks and line breaks, as it is unless told.")
  var compact = false

  @Flag(help: "A member and an item a line, indented.")
  var pretty = false

  @Option(help: ArgumentHelp("With --pretty, how many blanks a level takes: 0 to 16, 2 unless told.", valueName: "n"))
  var indent: Int?

  @Flag(help: "Sort the members of every object by their names.")
  var sortKeys = false

  @Option(help: "What to write; told by the output's name unless given.")
  var to: SyntaxArgument?

  @Option(
    name: [.customLong("input-format"), .customLong("from")], help: "What is read; told by the input's name unless given.")
  var inputFormat: SyntaxArgument?

  @Option(help: ArgumentHelp("Write one array alone, such as /expenses (a JSON Pointer).", valueName: "pointer"))
  var collection: String?

  @Option(
    help: ArgumentHelp("How hard an .lz4 is compressed: 1, the fastest, to 12, the smallest; 1 unless told.", valueName: "n"))
  var level: LevelArgument?

  @OptionGroup var transferArguments: TransferArguments

  func validate() throws {
    if compact, pretty { throw ValidationError("--compact and --pretty exclude each other") }
    if indent != nil, !pretty { throw ValidationError("--indent goes with --pretty") }
    if let indent, !(0...16).contains(indent) { throw ValidationError("--indent is between 0 and 16") }
    if pretty, writesLines { throw ValidationError("JSON Lines have a value a line: they can't be --pretty") }
    if level != nil, !compresses { throw ValidationError("--level goes with an output whose name ends in .lz4") }
    if let collection, !collection.isEmpty, collection.first != "/" {
      throw ValidationError("--collection is a JSON Pointer, such as /expenses")
    }
  }

  func run() throws {
    var options = ConversionOptions()
    options.syntax = inputFormat?.syntax ?? JSONSyntax(ofFileNamed: input)
    options.layout = writesLines ? .lines : pretty ? .pretty(indent: indent ?? 2) : .compact
    options.sortsKeys = sortKeys
    options.collection = collection
    if compresses { options.compression = level?.level ?? .fastest }
    if let jobs = transferArguments.jobs { options.jobs = jobs }
    do {
      try transferArguments.transfer(from: input, to: output, replaces: isOfInputsFormat) { source, file, cancellation in
        options.cancellation = cancellation
        try Converter(options: options).convert(source, to: &file)
      }
    } catch let error as CollectionError {
      let hint = collection == nil ? ": JSON Lines are the items of an array, name one with --collection" : ""
      Output.complain("\(TransferArguments.name(of: input)): \(error.message)\(hint)")
      throw error.code == .invalidPointer ? ExitStatus.usage : ExitStatus.unreadable
    }
  }

  private var compresses: Bool { LZ4Source.isNamed(by: output) }

  private var writesLines: Bool { (to?.syntax ?? JSONSyntax(ofFileNamed: output)) == .jsonLines }

  /// Whether the output is there already and is, as far as its start shows, a backup of the format that the input is of, and stays so.
  private var isOfInputsFormat: Bool {
    guard collection == nil, !writesLines, !transferArguments.force else { return false }
    // What is no regular file can be read once, and not here.
    guard Output.isRegularFile(input), Output.isRegularFile(output) else { return false }
    do {
      let catalog = try FormatCatalog.builtIn()
      guard case .format(let old) = try catalog.detect(FileSource(path: FilePath(output))),
        case .format(let new) = try catalog.detect(FileSource(path: FilePath(input)))
      else { return false }
      return old.name == new.name
    } catch {
      // What can't be read is no backup; whether it can be written shows when it is.
      return false
    }
  }
}
