/// An error that prevents all measurements. An error in one step is a ``Measurement/Failure``.
package struct ThroughputError: Error, Sendable, CustomStringConvertible {
  /// A stable code for programs. Open: later versions may add codes.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// A process could not be started.
    package static let notStarted = Code(rawValue: "not-started")
    /// The document could not be surveyed: the command returned no report.
    package static let noReport = Code(rawValue: "no-report")
    /// The output of the steps would not fit into the scratch folder.
    package static let noSpace = Code(rawValue: "no-space")
  }

  package let code: Code
  /// A message that a user can act on.
  package let message: String

  package init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}
