import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// A run of a command in a folder with one fault: how it ended, and what it did until then.
struct FaultedRun: Sendable {
  enum Ending: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
  }

  let ending: Ending
  let errors: String
  /// The kind of call that went wrong, and its file; nil if none did.
  let fired: (kind: String, path: String)?
  /// The number of calls that changed the folder, by kind; empty for a killed run.
  let callCounts: [String: Int]
  /// The duration; nil for a killed run.
  let microseconds: Int?
  /// The failpoints that were reached, in order.
  let failpoints: [String]

  /// The fault injection library.
  static let library = BuildFolder.path(of: "lib_FaultInjection.so")

  /// A longer run hangs and is killed: on the busiest machine none has taken a hundredth of this.
  private static let hangs = 120_000_000

  /// - Parameter folder: the working directory. Only calls on files in it are counted and can go wrong.
  init(
    _ executable: String, _ arguments: [String], in folder: FilePath, fault: Fault = .none,
    environment own: [String: String] = [:]
  ) async throws {
    let notes = try TemporaryFolder()
    var environment: [Subprocess.Environment.Key: String?] = [
      "NO_COLOR": "1", "XDG_CACHE_HOME": notes.path.string, "LD_PRELOAD": Self.library, "FAULT_FOLDER": folder.string,
      "FAULT_AFTER": "\(Self.hangs)",
      "FAULT_REPORT": notes.path.appending("report").string,
      // A crash must end the process immediately, without a backtrace.
      "SWIFT_BACKTRACE": "enable=no",
      "COFFER_FAILPOINTS_REACHED": notes.path.appending("failpoints").string,
    ]
    for (name, value) in fault.environment.merging(own, uniquingKeysWith: { $1 }) {
      environment[.init(stringLiteral: name)] = value
    }
    let input = try FileDescriptor.open("/dev/null", .readOnly)
    let result = try await Subprocess.run(
      .path(.init(executable)), arguments: Arguments(arguments), environment: .inherit.updating(environment),
      workingDirectory: folder, input: .fileDescriptor(input, closeAfterSpawningProcess: true),
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    switch result.terminationStatus {
    case .exited(let code): ending = .exited(code)
    case .signaled(let signal): ending = .signaled(signal)
    }
    errors = result.standardError
    let report = ((try? notes.text(of: "report")) ?? "").split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
    fired = report.first { $0.first == "fired" && $0.count == 3 }.map { (String($0[1]), String($0[2])) }
    // Each process reports its own counts.
    callCounts = report.reduce(into: [:]) { counts, line in
      if line.first == "count", line.count == 3, let count = Int(line[2]) { counts[String(line[1]), default: 0] += count }
    }
    microseconds = report.first { $0.first == "microseconds" }?.last.flatMap { Int($0) }
    failpoints = ((try? notes.text(of: "failpoints")) ?? "").split(separator: "\n").map(String.init)
  }
}
