import Foundation
package import SystemPackage

/// A separate folder for one test, removed after it.
package final class TemporaryFolder: Sendable {
  package let path: FilePath

  package init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "coffer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = FilePath(url.path(percentEncoded: false))
  }

  deinit { try? FileManager.default.removeItem(atPath: path.string) }

  /// The sorted names of the folder's contents.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path.string).sorted() }
  }

  /// Writes a file, and creates the folders around it.
  package func write(_ text: String, to name: String) throws {
    let url = url(of: name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  package func text(of name: String) throws -> String { try String(contentsOf: url(of: name), encoding: .utf8) }

  private func url(of name: String) -> URL { URL(filePath: path.appending(name).string) }
}
