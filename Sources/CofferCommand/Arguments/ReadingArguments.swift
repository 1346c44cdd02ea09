import ArgumentParser
import ByteStreams
import Coffer
import Platform
import SystemPackage

/// The options for reading backups: the time, threads, memory, limits, progress and rule documents.
struct ReadingArguments: ParsableArguments {
  @OptionGroup var clock: ClockArgument

  @OptionGroup var jobsArgument: JobsArgument

  @OptionGroup var memory: MemoryArgument

  @OptionGroup var expansion: ExpansionArguments

  @OptionGroup var progressArgument: ProgressArgument

  @OptionGroup var ruleArguments: RuleArguments

  /// Returns the threads, the memory, the cancellation and the progress of the run.
  func execution(_ progress: WorkProgress) -> Execution {
    var execution = jobsArgument.execution(progress)
    memory.apply(to: &execution)
    execution.expansion = expansion.limits
    return execution
  }
}

/// The syntax of the backups that a command reads.
struct InputFormatArgument: ParsableArguments {
  @Option(
    name: [.customLong("input-format"), .customLong("from")],
    help:
      "The syntax of the backups: json, or ndjson with one value per line (default: ndjson if the name ends in .ndjson or .jsonl, else json)."
  )
  var inputFormat: SyntaxArgument?

  var syntax: JSONSyntax? { inputFormat?.syntax }
}

/// The syntax of a document: `json`, or `ndjson` for JSON Lines.
enum SyntaxArgument: String, ExpressibleByArgument, CaseIterable {
  case json, ndjson

  var syntax: JSONSyntax {
    switch self {
    case .json: .json
    case .ndjson: .jsonLines
    }
  }
}

/// Rules for each item of an array.
struct EachArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Apply the rules to each value of JSON Lines, or each item of an array, as a document of its own. A JSON Pointer, such as /expenses, names the array; without one, it is the whole file.",
      valueName: "pointer"), completion: .backup)
  var each: String?

  /// The value for the root, because ArgumentParser takes the next word if a value is empty.
  private static let root = "."

  /// Writes `--each` without a value as `--each=.`: ArgumentParser has no options whose value may be missing. The next word is the
  /// value if it begins with a slash, unless it is the path of a file. (A folder can't be validated.)
  static func withValue(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      result.append(argument)
      if argument == "--" { break }
      guard argument == "--each" || argument == "--each=" else { continue }
      let hasValue = argument == "--each" && rest.first.map { $0.hasPrefix("/") && !isFile($0) } ?? false
      result[result.count - 1] = "--each=" + (hasValue ? rest.removeFirst() : root)
    }
    return result + rest
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
  }

  /// The array as a JSON Pointer.
  var pointer: String? { each == Self.root ? "" : each }

  /// Returns rules for each item, if that is asked for.
  func apply(_ rules: RuleSource) throws(CofferError) -> RuleSource {
    if let pointer { try rules.forEachItem(of: pointer) } else { rules }
  }
}

/// The collections to process.
struct OnlyArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use only these collections: names or JSON Pointers, separated by commas. May be repeated.",
      valueName: "collections"), completion: .collections)
  var only: [String] = []

  func validate() throws {
    if !only.isEmpty, selection?.names.isEmpty ?? true { throw ValidationError("--only names no collection") }
  }

  /// `nil` means all collections.
  var selection: CollectionSelection? {
    only.isEmpty ? nil : CollectionSelection(list: only.joined(separator: ","))
  }
}

/// The limits of what compressed input may expand to.
struct ExpansionArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Maximum size of a compressed document or an archive once it is expanded, such as 10GB.", valueName: "size"))
  var maxSize = ByteSize(bytes: ExpansionLimits().size)

  @Option(help: ArgumentHelp("Maximum compression ratio of a gzip or zstd document, or of an archive's entry.", valueName: "n"))
  var maxRatio = ExpansionLimits().ratio

  func validate() throws {
    if maxRatio < 1 { throw ValidationError("--max-ratio must be at least 1") }
  }

  var limits: ExpansionLimits {
    var limits = ExpansionLimits()
    limits.size = maxSize.bytes
    limits.ratio = maxRatio
    return limits
  }
}

/// Another process that reads files for this one.
struct RangeServerArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The descriptor of a connected socket: the process at its other end reads the files whose names are URIs.",
      valueName: "descriptor"))
  var rangeServer: Int32?

  func validate() throws {
    if let rangeServer, rangeServer < 3 { throw ValidationError("--range-server must be 3 or greater") }
  }

  var server: RangeServer? { rangeServer.map { RangeServer(FileDescriptor(rawValue: $0)) } }
}

extension FileSource {
  /// Opens the file that an argument names; `-` is standard input.
  init(argument: String, cancellation: Cancellation?) throws(CofferError) {
    self =
      argument == "-"
      ? FileSource.standardInput(cancellation: cancellation)
      : try FileSource(path: FilePath(argument), cancellation: cancellation)
  }

  /// Returns the name of an argument's file in messages.
  static func name(ofArgument argument: String) -> String { argument == "-" ? "standard input" : argument }
}
