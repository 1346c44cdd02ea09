package import Foundation

/// The repository's folder, and what tests read in it and beside it.
package enum Checkout {
  package static let folder = URL(filePath: #filePath).appending(path: "../../..").standardized

  /// What lies beside the repository at some places only: whoever reads it passes where it is missing.
  package static let shared = folder.appending(path: "../shared").standardized

  /// The names of what a folder holds, sorted; none where it is missing.
  package static func names(in folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []).sorted()
  }
}
