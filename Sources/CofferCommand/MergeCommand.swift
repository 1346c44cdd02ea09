public import ArgumentParser
public import Coffer
import Reports

struct MergeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge",
    abstract: "Write one backup of two of one format: the first, and what the second has more or newer.",
    discussion: """
      The result has the first one's order; behind each collection's records stand those that only the second one has. \
      Records are found by the key that the format names, and taken whole, never mixed. Of two that have the same key and are \
      not the same, --on-conflict says which stays:

        keep-existing   that of the first backup
        replace         that of the second
        keep-newest     the one that was changed later, as the format's date of
                        change says; where there is none, that of the backup that
                        was created later; the first one's at equal times

      What stands around the collections (metadata, settings) goes by the same rule, each member as a whole; what only one of \
      the two has is kept. Numbers that the format says are a collection's count are written anew.

      The result is laid out as the first backup is: compact, indented, or as JSON Lines, unless --compact, --pretty or the \
      output's name say otherwise. A first backup of which nothing changes comes through byte for byte: merging a backup \
      with itself gives that backup.

      With --only, all other collections, and what stands around them, are as in the first backup. Whether all references \
      lead anywhere is for coffer validate to find. What was done is said by count, on standard error, or as JSON on standard \
      output.

      Examples:
        coffer merge phone.json tablet.json both.json --on-conflict keep-newest
        coffer merge a.json b.json both.json.lz4 --on-conflict keep-existing
        coffer merge a.json b.json --on-conflict replace --dry-run
        coffer merge --key /trips=id a.json b.json - --on-conflict replace

      Exit status: 0 done; 2 wrong usage, or a key of what is no array; 3 something can't be read or written, or is no JSON; \
      4 nothing was done: the two are of different formats or versions, one has the same key twice, nothing says what is \
      newer, the output is there already or is an input, or the disk is full.
      """)

  @Argument(help: ArgumentHelp("The first backup, as it is or compressed by LZ4; - is standard input.", valueName: "a"))
  var existing: String

  @Argument(help: ArgumentHelp("The second one.", valueName: "b"))
  var other: String

  @Argument(help: ArgumentHelp("The file to write; - is standard output.", valueName: "out"))
  var output: String?

  @Option(name: .customLong("on-conflict"), help: "Which of two records with the same key stays.")
  var conflicts: ConflictRule

  @Flag(help: "Say what would come of it, and write nothing.")
  var dryRun = false

  @Flag(help: "Without blanks and line breaks.")
  var compact = false

  @Flag(help: "A member and an item a line, indented.")
  var pretty = false

  @OptionGroup var reportFormat: ReportFormatArguments

  @OptionGroup var comparisonArguments: ComparisonArguments

  @OptionGroup var transferArguments: TransferArguments

  func validate() throws {
    if output == nil, !dryRun { throw ValidationError("name the file to write, - for standard output, or give --dry-run") }
    if compact, pretty { throw ValidationError("--compact and --pretty exclude each other") }
    if pretty, writesLines { throw ValidationError("JSON Lines have a value a line: they can't be --pretty") }
    if reportFormat.isJSON, output == "-", !dryRun {
      throw ValidationError("the report as JSON and the document can't both go to standard output")
    }
    try comparisonArguments.check([existing, other], output: dryRun ? nil : output)
  }

  private var writesLines: Bool { output.map { JSONSyntax(ofFileNamed: $0) == .jsonLines } ?? false }

  /// What the output's name says against lines, where the first backup is written as such.
  private var isNamedJSON: Bool {
    guard let output else { return false }
    let name = LZ4Source.isNamed(by: output) ? String(output.dropLast(4)) : output
    return name.lowercased().hasSuffix(".json")
  }

  /// `nil`: as that of the first backup.
  private var layout: ConversionOptions.Layout? {
    if writesLines { return .lines }
    if pretty { return .pretty(indent: 2) }
    let readsLines = (comparisonArguments.inputFormat?.syntax ?? JSONSyntax(ofFileNamed: existing)) == .jsonLines
    return compact || readsLines && isNamedJSON ? .compact : nil
  }

  func run() throws {
    let rules = try comparisonArguments.validationRules()
    var options = MergeOptions(conflicts: conflicts)
    options.layout = layout
    if let output, LZ4Source.isNamed(by: output) { options.compression = .fastest }
    let report: MergeReport
    do {
      report = try merged(by: rules, &options)
    } catch {
      throw ExitStatus.comparison(failed: error, refusal: .refused)
    }
    if reportFormat.isJSON { return try Output.print(JSONReport().text(of: report)) }
    var text = TextReport().text(of: report)
    if let only = comparisonArguments.onlyArgument.selection {
      text +=
        "all but \(only.names.map(\.printable).joined(separator: ", ")) is as in \(existing.printable): its references were not looked at (coffer validate does)\n"
    }
    Output.inform(text, terminator: "")
  }

  private func merged(by rules: ValidationRules, _ options: inout MergeOptions) throws -> MergeReport {
    let (a, b) = (Backup(argument: existing), Backup(argument: other))
    guard let output, !dryRun else {
      options.comparison = comparisonArguments.options(jobs: transferArguments.jobs, cancellation: Interruption.start())
      return try Merger(rules, options: options).preview(a, with: b)
    }
    return try transferArguments.write(to: output, reading: [existing, other]) { file, cancellation in
      options.comparison = comparisonArguments.options(jobs: transferArguments.jobs, cancellation: cancellation)
      return try Merger(rules, options: options).merge(a, with: b, to: &file)
    }
  }
}

extension ConflictRule: ExpressibleByArgument {}
