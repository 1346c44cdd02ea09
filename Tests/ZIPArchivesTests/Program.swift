import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// Third-party programs that read and write ZIP archives, if installed.
struct Program: Sendable {
  let path: String

  static let zip = Program("zip")
  static let unzip = Program("unzip")
  static let bsdtar = Program("bsdtar")
  static let python = Program("python3")

  struct Failure: Error {
    let errors: String
  }

  /// Returns `nil` if the program is not installed.
  init?(_ name: String) {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard let path = folders.map({ "\($0)/\(name)" }).first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
      return nil
    }
    self.path = path
  }

  @discardableResult
  func run(_ arguments: String..., in folder: TemporaryFolder) async throws -> String {
    let result = try await Subprocess.run(
      .path(FilePath(path)), arguments: Arguments(arguments), environment: .inherit.updating(["LC_ALL": "C.UTF-8"]),
      workingDirectory: folder.path, output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    guard result.terminationStatus.isSuccess else { throw Failure(errors: result.standardError) }
    return result.standardOutput
  }
}

extension TemporaryFolder {
  func write(_ bytes: [UInt8], to name: String) throws { try Data(bytes).write(to: url(of: name)) }

  func bytes(of name: String) throws -> [UInt8] { Array(try Data(contentsOf: url(of: name))) }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(at: url(of: name), withIntermediateDirectories: true)
  }

  private func url(of name: String) -> URL { URL(filePath: path.appending(name).string) }
}
