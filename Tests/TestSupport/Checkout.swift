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

extension Checkout {
  /// The names of the files below a folder with this ending, with the folders that lead there, sorted; none where it is missing.
  package static func files(below folder: URL, ending: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted()
  }
}
