import ArgumentParser
import ByteStreams
import Coffer
import JSONEvents
import Platform
import Synchronization
import SystemPackage

/// What the log says about the current run. A run of `--log FILE` appends a line:
///
///     {"time":"2026-07-10T03:15:00Z","verb":"backup","files":["a.db","backups"],"result":"success","status":0,
///      "error":null,"counts":{"written":1,"records":12},"seconds":0.042}
///
/// A run that is killed appends nothing.
final class OperationLog: Sendable {
  @TaskLocal private static var current: OperationLog?

  private struct State {
    var counts: [(name: String, count: Int)] = []
    var error: String?
  }

  private let state = Mutex(State())

  /// Adds counts to the line of the current run, if it is logged.
  static func note(_ counts: KeyValuePairs<String, Int>) {
    current?.state.withLock { state in state.counts += counts.map { ($0.key, $0.value) } }
  }

  /// Adds an error to the line. Only the first of a run is kept: it is the cause.
  static func note(error: String) {
    current?.state.withLock { state in if state.error == nil { state.error = error } }
  }

  /// Adds the error of the first file that can't be read or is damaged.
  static func note(errorOf reports: [ValidationReport]) {
    if let error = reports.lazy.compactMap(\.error).first { note(error: error.message) }
  }

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

extension ExitStatus {
  /// The outcome's code, stable for programs.
  fileprivate var code: String {
    switch self {
    case .success: "success"
    case .findings: "findings"
    case .usage: "usage"
    case .unreadable: "unreadable"
    case .refused: "refused"
    case .undecided: "undecided"
    case .hungUp, .interrupted, .terminated: "interrupted"
    }
  }
}
