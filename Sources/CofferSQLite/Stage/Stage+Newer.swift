import BackupFormats
import Coffer
import Findings

extension Stage {
  /// A warning that names the unknown fields of a document of an unknown newer version, or `nil` if the version is known.
  package var newerVersionWarning: String? {
    guard let policy = layout.format.version, let version = contents.version, version > policy.current else { return nil }
    var places: [String] = []
    for finding in document.report.findings where finding.code == "unknown-field" {
      let place = finding.place.pointer.withoutIndices
      if !places.contains(place) { places.append(place) }
    }
    let shown = places.prefix(20).joined(separator: ", ") + (places.count > 20 ? " and \(places.count - 20) more" : "")
    let isComplete = document.report.findings.count == document.report.counts.total
    return "version \(version) of '\(layout.format.name)' is newer than \(policy.current), the newest that Coffer knows"
      + (places.isEmpty ? "" : "; unknown fields are kept unchecked: \(shown)")
      + (isComplete ? "" : "; there may be more, because not all findings were kept")
  }
}

extension String {
  /// The pointer with `*` in the place of each array index.
  fileprivate var withoutIndices: String {
    split(separator: "/", omittingEmptySubsequences: false)
      .map { !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } ? "*" : String($0) }
      .joined(separator: "/")
  }
}
