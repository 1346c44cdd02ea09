package import Foundation

/// The repository's folder, and the other folders that tests read.
package enum Checkout {
  package static let folder = URL(filePath: #filePath).appending(path: "../../..").standardized

  package static let fixtures = folder.appending(path: "Tests/Fixtures")

  /// A document of each built-in format and dialect.
  package static let formatExamples = fixtures.appending(path: "Formats")

  /// The public test suites, which `Scripts/conformance.sh` downloads; tests that read them are skipped if they are missing.
  package static let conformance = folder.appending(path: ".build/conformance")

  /// Returns the sorted names of a folder's contents, or none if it is missing.
  package static func names(in folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []).sorted()
  }
}

extension Checkout {
  /// Returns the sorted relative paths of the files below a folder with this ending, or none if the folder is missing.
  package static func files(below folder: URL, ending: String) -> [String] {
    // An enumerator doesn't follow a link to the folder itself.
    let folder = folder.resolvingSymlinksInPath()
    let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted()
  }
}
