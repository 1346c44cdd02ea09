import Foundation
import Subprocess
import SystemPackage

/// The reference program for a format, if installed: Coffer must read its output, and it must read Coffer's.
package struct ReferenceProgram: Sendable {
  package static let lz4 = ReferenceProgram("lz4")
  package static let gzip = ReferenceProgram("gzip")
  package static let zstd = ReferenceProgram("zstd")

  private let name: String
  private let path: String?

  private init(_ name: String) {
    self.name = name
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    path = folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  package var isInstalled: Bool { path != nil }

  private struct Failure: Error {
    let errors: String
  }

  /// Returns the standard output. A failure of the program is an error.
  package func run(_ arguments: [String], in folder: TemporaryFolder) async throws -> [UInt8] {
    guard let path else { throw Failure(errors: "\(name) is not installed") }
    let result = try await Subprocess.run(
      .path(FilePath(path)), arguments: Arguments(arguments), workingDirectory: folder.path, output: .bytes(limit: 1 << 26),
      error: .string(limit: 1 << 20))
    guard result.terminationStatus.isSuccess else { throw Failure(errors: result.standardError) }
    return result.standardOutput
  }
}

extension TemporaryFolder {
  package func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: path.appending(name).string))
  }
}
