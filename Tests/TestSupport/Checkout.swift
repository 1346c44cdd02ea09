package import Foundation

/// The repository's folder, and what tests read in it and beside it.
package enum Checkout {
  package static let folder = URL(filePath: #filePath).appending(path: "../../..").standardized

  /// A document of each format and dialect that ships with Coffer.
  package static let formatExamples = folder.appending(path: "Tests/Fixtures/Formats")

  /// The public test suites, which `Scripts/conformance.sh` brings; tests that read them are skipped where it could not.
  package static let conformance = folder.appending(path: ".build/conformance")

  /// The names of what a folder holds, sorted; none where it is missing.
  package static func names(in folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []).sorted()
  }
}

extension Checkout {
  /// The names of the files below a folder with this ending, with the folders that lead there, sorted; none where it is missing.
  package static func files(below folder: URL, ending: String) -> [String] {
    // An enumerator doesn't follow a link to the folder itself.
    let folder = folder.resolvingSymlinksInPath()
    let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted()
  }
}
