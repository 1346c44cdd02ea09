package import SystemPackage

/// The backup to measure, and its options.
package struct Document: Sendable, Equatable {
  package let file: FilePath
  package let kind: DocumentKind
  /// The current time for its rules, in RFC 3339 (default: the system's time).
  package let presentTime: String?

  /// - Parameter file: A path that doesn't begin with `-`.
  package init(file: FilePath, kind: DocumentKind, presentTime: String? = nil) {
    self.file = file
    self.kind = kind
    self.presentTime = presentTime
  }

  /// The command's arguments for `presentTime`.
  var now: [String] { presentTime.map { ["--now", $0] } ?? [] }
}
