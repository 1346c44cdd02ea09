import ArgumentParser
import ByteStreams
import Coffer
import Findings
import Platform
import Reports
import Rules
import Synchronization
import SystemPackage

/// A command that works on files.
protocol Verb: ParsableCommand {
  var use: FileUse { get }
  /// The file to which the run adds a line.
  var log: String? { get }

  /// Throws if the arguments contradict each other. A verb has this instead of `validate()`, which also checks its files.
  func checkArguments() throws

  /// Takes options from the project file. Prints errors in it, and throws the exit status.
  mutating func configure() throws
}

extension Verb {
  var log: String? { nil }

  func checkArguments() throws {}

  mutating func configure() throws {}

  func validate() throws {
    try checkArguments()
    try use.validate()
  }
}

extension Run {
  /// Runs a command and appends a line to its log, even if the run fails. Without the log, nothing is run.
  func logged(_ command: any Verb, _ run: () -> ExitStatus) -> ExitStatus {
    guard let path = command.log else { return run() }
    if let use = command.use.damage(by: path) {
      Output.printError("the log \(path) would be written to \(use), which the run uses")
      return .refused
    }
    let time = Instant.now
    let start = ContinuousClock.now
    do {
      // Opening a named pipe without a reader would block.
      let file = try FileDescriptor.open(
        FilePath(path), .writeOnly, options: [.append, .create, .closeOnExec, .nonBlocking],
        permissions: [.ownerReadWrite, .groupRead, .otherRead])
      return try file.closeAfter {
        let status = run()
        let line = line(on: command.use.logged, status, at: time, seconds: (ContinuousClock.now - start) / .seconds(1))
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

  private func line(on files: [String], _ status: ExitStatus, at time: Instant, seconds: Double) -> [UInt8] {
    let log = log.withLock { $0 }
    let line: ReportMembers = [
      "time": time.description, "verb": verb?.configuration.commandName, "files": files, "result": status.code,
      "status": Int(status.rawValue), "error": log.error, "counts": ReportMembers(log.counts),
      "seconds": (seconds * 1000).rounded() / 1000,
    ]
    return Array(JSONReport.line.text(of: line).utf8)
  }
}
