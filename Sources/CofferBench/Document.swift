package import SystemPackage

/// The backup that is measured, and how.
package struct Document: Sendable, Equatable {
  package let file: FilePath
  package let kind: DocumentKind
  /// What its rules take for the present time, as RFC 3339 writes it; `nil`: the present time.
  package let presentTime: String?

  /// - Parameter file: a path that doesn't begin with `-`.
  package init(file: FilePath, kind: DocumentKind, presentTime: String? = nil) {
    self.file = file
    self.kind = kind
    self.presentTime = presentTime
  }

  /// The same as arguments of the command.
  var now: [String] { presentTime.map { ["--now", $0] } ?? [] }
}
