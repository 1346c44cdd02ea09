/// Why nothing can be measured at all. What goes wrong in one step is a ``Measurement/Failure`` of that.
package struct ThroughputError: Error, Sendable, CustomStringConvertible {
  /// What went wrong, stable for programs. Open: later versions may add codes.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A process could not be started.
    package static let notStarted = Code(rawValue: "not-started")
    /// The document could not be surveyed: the command gave no report on it.
    package static let noReport = Code(rawValue: "no-report")
    /// What the steps write would not fit into the scratch folder.
    package static let noSpace = Code(rawValue: "no-space")
  }

  package let code: Code
  /// In words that a user can act on.
  package let message: String

  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
