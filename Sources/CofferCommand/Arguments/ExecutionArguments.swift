import ArgumentParser
import ByteStreams
import Coffer
import Platform
import Rules
import Synchronization
import SystemPackage

/// The number of worker threads.
struct JobsArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp("Worker threads (default: all processors). The result doesn't depend on it.", valueName: "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs must be between 1 and 256") }
  }

  /// Returns the threads, the cancellation and the progress of the run.
  func execution(_ progress: WorkProgress, cancellation: Cancellation = Interruption.start()) -> Execution {
    var execution = Execution()
    if let jobs { execution.jobs = jobs }
    execution.cancellation = cancellation
    execution.progress = progress
    return execution
  }
}

/// The memory for what rules keep.
struct MemoryArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Memory for keys and references, such as 512MiB; the rest goes to a temporary file (default: 256MiB, for imports 64MiB).",
      valueName: "size"))
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

extension WorkProgress {
  /// Returns the results of `body` for each file. If there are several, the progress is that of all, and names the current one.
  ///
  /// - Parameters:
  ///   - files: the paths; `-` is standard input.
  ///   - passes: the number of times that a file is read.
  func results<R>(for files: [String], passes: Int = 1, _ body: (String) throws -> R) rethrows -> [R] {
    if files.count == 1 { return try files.map(body) }
    var byteCount: Int? = 0
    for file in files {
      let size = Self.size(of: file)
      byteCount = byteCount.flatMap { sum in size.map { sum &+ $0 &* passes } }
    }
    begin(byteCount: byteCount)
    return try files.enumerated().map { number, file in
      say("\(FileSource.name(ofArgument: file)) (\(number + 1) of \(files.count))")
      return try body(file)
    }
  }

  /// Returns `nil` for a stream. A file that can't be read has no bytes.
  private static func size(of file: String) -> Int? {
    if file == "-" { return nil }
    var information = stat()
    guard stat(file, &information) == 0 else { return 0 }
    return information.st_mode & S_IFMT == S_IFREG ? Int(information.st_size) : nil
  }
}

/// The file to which a run adds a line.
struct LogArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Append a line of JSON about this run to a file: time, verb, files, result, counts and duration.", valueName: "file"),
    completion: .file())
  var log: String?

  func validate() throws {
    if log == "-" { throw ValidationError("--log needs a file; './-' is a file of this name") }
  }
}

/// A command whose runs can be logged.
protocol LoggedCommand: ParsableCommand {
  var logArgument: LogArgument { get }
  /// The files and folders that the line names, as given. A run uses them.
  var loggedFiles: [String] { get }
  /// The other files that a run reads or writes; `-` is standard input.
  var usedFiles: [String] { get }
  /// The folders whose files a run may read or write.
  var usedFolders: [String] { get }
  /// The options for reading rule documents.
  var ruleArguments: RuleArguments { get }
}

extension LoggedCommand {
  /// Returns what a run uses and the log would damage, or `nil`.
  func use(of log: String) -> String? {
    let files = loggedFiles + usedFiles + ruleArguments.folders.map(\.path.string)
    if let file = files.first(where: { Output.isSameStream($0, log) || $0 != "-" && Output.isSameFile($0, log) }) {
      return file == "-" ? "standard input" : file
    }
    return (usedFolders + ruleArguments.folders.map(\.path.string)).first { folder in
      if Output.isPath(log, within: folder) { return true }
      // A file in the folder may be a link to the log.
      let path = FilePath(folder)
      return FolderNames(path)?.names.contains { Output.isSameExistingFile(path.appending($0).string, log) } ?? false
    }
  }
}

extension OperationLog {
  /// Runs a command and appends a line to the log, even if the run fails. Without the log, nothing is run.
  static func record(_ command: any LoggedCommand, in path: String, _ run: () -> ExitStatus) -> ExitStatus {
    if let use = command.use(of: path) {
      Output.printError("the log \(path) would be written to \(use), which the run uses")
      return .refused
    }
    let time = Instant.now
    let start = ContinuousClock.now
    let log = OperationLog()
    do {
      // Opening a named pipe without a reader would block.
      let file = try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.append, .create, .closeOnExec, .nonBlocking],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      return try file.closeAfter {
        let status = $current.withValue(log, operation: run)
        let line = log.line(on: command, status, at: time, seconds: (ContinuousClock.now - start) / .seconds(1))
        // Lines of runs at the same time stay whole if each is one write.
        let count = try line.withUnsafeBytes { try file.write($0) }
        if count == line.count { return status }
        Output.printError("cannot write all of a line to the log \(path)")
        return max(status, .unreadable)
      }
    } catch {
      let error = CofferError(error as? Errno ?? .ioError, verb: "write the log", name: path)
      Output.printError(error.message)
      return ExitStatus(error)
    }
  }

  private func line(on command: any LoggedCommand, _ status: ExitStatus, at time: Instant, seconds: Double) -> [UInt8] {
    let state = state.withLock { $0 }
    var json = JSONEventWriter()
    json.beginObject()
    json.key("time")
    json.string(time.description)
    json.key("verb")
    json.string(type(of: command).configuration.commandName ?? "")
    json.key("files")
    json.beginArray()
    for file in command.loggedFiles { json.string(file) }
    json.endArray()
    json.key("result")
    json.string(status.code)
    json.key("status")
    json.integer(Int64(status.rawValue))
    json.key("error")
    if let error = state.error { json.string(error) } else { json.null() }
    json.key("counts")
    json.beginObject()
    for (name, count) in state.counts {
      json.key(name)
      json.integer(Int64(count))
    }
    json.endObject()
    json.key("seconds")
    json.number((seconds * 1000).rounded() / 1000)
    json.endObject()
    var memory = MemorySink()
    // Writing to memory can't fail.
    try? json.finish(to: &memory)
    return Array((String(decoding: memory.bytes, as: UTF8.self).printableJSON + "\n").utf8)
  }
}
