import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// The `lz4` program, if installed: Coffer must read its output, and it must read Coffer's.
enum LZ4Program {
  static let path: String? = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { "\($0)/lz4" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  struct Failure: Error {
    let errors: String
  }

  static func run(_ arguments: [String], in folder: TemporaryFolder) async throws -> [UInt8] {
    guard let path else { throw Failure(errors: "lz4 is not installed") }
    let result = try await Subprocess.run(
      .path(FilePath(path)), arguments: Arguments(arguments), workingDirectory: folder.path, output: .bytes(limit: 1 << 26),
      error: .string(limit: 1 << 20))
    guard result.terminationStatus.isSuccess else { throw Failure(errors: result.standardError) }
    return result.standardOutput
  }
}

extension TemporaryFolder {
  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: path.appending(name).string))
  }
}
