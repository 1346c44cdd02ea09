import Subprocess
import SystemPackage
import TestSupport

/// Runs the command as a shell would.
struct Command {
  let status: Int32
  let output: String
  let errors: String

  static let path = BuildFolder.path(of: "coffer")

  init(_ arguments: String..., input: String = "", in folder: TemporaryFolder? = nil) async throws {
    try await self.init(arguments, input: input, in: folder)
  }

  /// Runs a shell's script, which may run the command.
  init(script: String, in folder: TemporaryFolder) async throws {
    try await self.init(program: "/bin/sh", ["-c", script], input: "", in: folder)
  }

  init(_ arguments: [String], input: String = "", in folder: TemporaryFolder? = nil) async throws {
    try await self.init(program: Self.path, arguments, input: input, in: folder)
  }

  private init(program: String, _ arguments: [String], input: String, in folder: TemporaryFolder?) async throws {
    // A file, not a pipe: a run that ends before it has read its input would break that.
    let inputs = try TemporaryFolder()
    try inputs.write(input, to: "input")
    let standardInput = try FileDescriptor.open(inputs.path.appending("input"), .readOnly)
    let result = try await Subprocess.run(
      .path(.init(program)), arguments: Arguments(arguments), environment: .inherit.updating(["NO_COLOR": "1"]),
      workingDirectory: folder?.path, input: .fileDescriptor(standardInput, closeAfterSpawningProcess: true),
      output: .string(limit: 1 << 22),
      error: .string(limit: 1 << 20))
    switch result.terminationStatus {
    case .exited(let code): status = code
    case .signaled(let signal): status = 128 + signal
    }
    output = result.standardOutput
    errors = result.standardError
  }
}
