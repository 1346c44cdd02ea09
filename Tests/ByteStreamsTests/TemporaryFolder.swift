import Foundation
import SystemPackage

/// A folder of its own for one test, gone with it.
final class TemporaryFolder {
  let path: FilePath

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "coffer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = FilePath(url.path(percentEncoded: false))
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  /// The names of what the folder holds, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path.string).sorted() }
  }

  func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path.appending(name).string))
  }

  func text(of name: String) throws -> String {
    try String(contentsOf: URL(filePath: path.appending(name).string), encoding: .utf8)
  }
}
