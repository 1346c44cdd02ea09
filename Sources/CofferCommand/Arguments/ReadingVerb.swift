public import ArgumentParser
import ByteStreams
import Coffer
public import JSONEvents
import Platform
import SystemPackage

/// A verb that reads backups, with the options for it: the time, threads, memory, limits, progress and rule documents.
protocol ReadingVerb: Verb {
  var clock: ClockArgument { get }
  var jobsArgument: JobsArgument { get }
  var memory: MemoryArgument { get }
  var expansion: ExpansionArguments { get }
  var progressArgument: ProgressArgument { get }
  var ruleArguments: RuleArguments { get }
}

extension ReadingVerb {
  /// Returns the threads, the memory, the cancellation and the progress of the run.
  ///
  /// - Parameter memoryLimit: the memory for what rules keep if the user gives no limit (default: the usual one).
  func execution(
    _ progress: WorkProgress, cancellation: Cancellation = Interruption.start(), memoryLimit: Int? = nil
  ) -> Execution {
    var execution = jobsArgument.execution(progress, cancellation: cancellation)
    if let memoryLimit { execution.memoryLimit = memoryLimit }
    memory.apply(to: &execution)
    execution.expansion = expansion.limits
    return execution
  }

  /// Does the work of a verb that writes nothing until it is done: shows its progress, and passes what it may use. An interruption ends
  /// the run.
  func work<R>(_ title: String, _ body: (Execution) throws -> R) throws -> R {
    try progressArgument.work(title) { try body(execution($0)) }
  }
}

/// The syntax of the backups that a command reads.
struct InputFormatArgument: ParsableArguments {
  @Option(
    name: [.customLong("input-format"), .customLong("from")],
    help:
      "The syntax of the backups (default: by the name): ndjson has one value per line, seq values one after the other (RFC 7464)."
  )
  var inputFormat: JSONSyntax?
}

extension JSONSyntax: ExpressibleByArgument {
  private static let names: KeyValuePairs<String, JSONSyntax> = ["json": .json, "ndjson": .jsonLines, "seq": .sequence]

  public static var allValueStrings: [String] { names.map(\.key) }

  public init?(argument: String) {
    guard let syntax = Self.names.first(where: { $0.key == argument })?.value else { return nil }
    self = syntax
  }
}

/// The collections to process.
struct OnlyArgument: ParsableArguments {
  @Option(.collections, "Use only these collections: names or JSON Pointers, separated by commas. May be repeated.")
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
  @Option(.size, "Maximum size of a compressed document or an archive once it is expanded, such as 10GB.")
  var maxSize = ByteSize(bytes: ExpansionLimits().size)

  @Option(.count, "Maximum compression ratio of a gzip or zstd document, or of an archive's entry.")
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

/// The limits of what a document's reader keeps in memory.
struct ReaderLimitArguments: ParsableArguments {
  @Option(.count, "Maximum number of open brackets, up to 10000; each takes about 100 bytes per thread.")
  var maxDepth = ReaderLimits().depth

  @Option(
    .size,
    "Maximum size of a string, a name or a number, and of a line of JSON Lines or a value of a sequence, up to 1GiB; the longest one takes a few times its size in memory."
  )
  var maxString = ByteSize(bytes: ReaderLimits().tokenSize)

  func validate() throws {
    guard 1...ReaderLimits.largestDepth ~= maxDepth else {
      throw ValidationError("--max-depth must be between 1 and \(ReaderLimits.largestDepth)")
    }
    guard 1...1 << 30 ~= maxString.bytes else { throw ValidationError("--max-string must be between 1 and 1GiB") }
  }

  var limits: ReaderLimits {
    var limits = ReaderLimits()
    limits.depth = maxDepth
    limits.tokenSize = maxString.bytes
    limits.lineSize = max(limits.lineSize, maxString.bytes)
    return limits
  }
}

/// Another process that reads files for this one.
struct RangeServerArgument: ParsableArguments {
  @Option(
    .value("descriptor"),
    "The descriptor of a connected socket: the process at its other end reads the files whose names are URIs.")
  var rangeServer: Int32?

  func validate() throws {
    if let rangeServer, rangeServer < 3 { throw ValidationError("--range-server must be 3 or greater") }
  }

  var server: RangeServer? { rangeServer.map { RangeServer(FileDescriptor(rawValue: $0)) } }
}
