import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// Runs the command as a shell would.
struct Command {
  let status: Int32
  let output: String
  let errors: String

  /// The command beside this test's own bundle.
  static let path: String = {
    // On Linux the test bundle is an executable of the build folder, on macOS a bundle within it.
    var folder = Bundle.main.executableURL?.deletingLastPathComponent() ?? URL(fileURLWithPath: ".")
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
      folder = bundle.bundleURL.deletingLastPathComponent()
    }
    return folder.appending(path: "coffer").path
  }()

  init(_ arguments: String..., input: String = "", in folder: TemporaryFolder? = nil) async throws {
    try await self.init(arguments, input: input, in: folder)
  }

  init(_ arguments: [String], input: String = "", in folder: TemporaryFolder? = nil) async throws {
    // A file, not a pipe: a run that ends before it has read its input would break that.
    let inputs = try TemporaryFolder()
    try inputs.write(input, to: "input")
    let standardInput = try FileDescriptor.open(inputs.path.appending("input"), .readOnly)
    let result = try await Subprocess.run(
      .path(.init(Self.path)), arguments: Arguments(arguments), environment: .inherit.updating(["NO_COLOR": "1"]),
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
