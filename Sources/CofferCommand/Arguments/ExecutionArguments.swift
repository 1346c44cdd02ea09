public import ArgumentParser
import ByteStreams
import Coffer
import Platform
public import Rules
import Synchronization
import SystemPackage

/// The number of worker threads.
struct JobsArgument: ParsableArguments {
  @Option(.count, "Worker threads (default: all processors). The result doesn't depend on it.")
  var jobs: Int?

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be between 1 and 256") }
  }

  /// Returns the threads, the cancellation and the progress of the run.
  func execution(_ progress: WorkProgress, cancellation: Cancellation = Interruption.start()) -> Execution {
    var execution = Execution(progress, cancellation)
    if let jobs { execution.jobs = jobs }
    return execution
  }
}

/// The memory for what rules keep.
struct MemoryArgument: ParsableArguments {
  @Option(
    .size,
    "Memory for keys and references, such as 512MiB; the rest goes to a temporary file (default: 256MiB, for imports 64MiB).")
  var memoryLimit: ByteSize?

  func validate() throws {
    if let memoryLimit, memoryLimit.bytes < 1 << 20 { throw ValidationError("--memory-limit must be at least 1MiB") }
  }

  /// Sets the limit, if one is given.
  func apply(to execution: inout Execution) {
    if let memoryLimit { execution.memoryLimit = memoryLimit.bytes }
  }
}

/// Whether and how the progress is shown.
struct ProgressArgument: ParsableArguments {
  enum Choice: String, ExpressibleByArgument, CaseIterable { case auto, plain, never }

  @Option(help: "Show the progress on standard error: as a line on a terminal, as plain lines every minute, or never.")
  var progress = Choice.auto

  @Flag(help: "Short for --progress never.")
  var noProgress = false

  /// For logs.
  private static let interval = Duration.seconds(60)

  func validate() throws {
    if noProgress, progress == .plain { throw ValidationError("--no-progress and --progress plain can't be combined") }
  }

  /// Shows the progress of `body`, which passes it to the library.
  ///
  /// - Parameters:
  ///   - title: what the command does, such as `validating`.
  ///   - output: the document to write, which may go to the same terminal; `-` is standard output.
  func show<R, E>(_ title: String, writing output: String? = nil, _ body: (WorkProgress) throws(E) -> R) throws(E) -> R {
    try ProgressDisplay(title, style(writing: output)).run(body)
  }

  /// Shows progress for a verb that writes nothing until it is done. An interruption ends the run.
  func work<R>(_ title: String, _ body: (WorkProgress) throws -> R) throws -> R {
    let result = try show(title, body)
    try Interruption.stop()
    return result
  }

  func style(writing output: String?) -> ProgressDisplay.Style {
    if noProgress { return .never }
    switch progress {
    case .never: return .never
    case .plain: return .plain(every: Self.interval)
    case .auto:
      let isDisturbing = output == "-" && Terminal.isOpen(\.output)
      return Terminal.isOpen(\.errors) && !Terminal.isDumb && !isDisturbing ? .line : .never
    }
  }
}

extension Execution {
  init(_ progress: WorkProgress, _ cancellation: Cancellation = Interruption.start()) {
    self.init()
    self.cancellation = cancellation
    self.progress = progress
  }

  /// Returns the results of `body` for each file, in their order, as the library does.
  ///
  /// - Parameter files: the paths; `-` is standard input.
  func results<R: Sendable>(for files: [String], _ body: @escaping @Sendable (String, Execution) throws -> R) throws -> [R] {
    let named = files.map { (FileSource.name(ofArgument: $0), FileComparison.size(of: $0)) }
    return try results(for: named) { try body(files[$0], $1) }
  }
}

/// The file to which a run adds a line.
struct LogArgument: ParsableArguments {
  @Option(.file, "Append a line of JSON about this run to a file: time, verb, files, result, counts and duration.")
  var log: String?

  func validate() throws {
    if log == "-" { throw ValidationError("--log needs a file; './-' is a file of this name") }
  }
}

/// The time of the run.
struct ClockArgument: ParsableArguments {
  @Option(.time, "The time that counts as now, in rules and reports, such as 2026-01-01T00:00:00Z (default: the clock).")
  var now: Instant?

  var instant: Instant { now ?? .now }
}

extension Instant: ExpressibleByArgument {
  public init?(argument: String) { self.init(argument) }
}
