package import ByteStreams

extension CofferError.Code {
  /// A process could not be started.
  package static let notStarted = Self(rawValue: "not-started")
  /// The document could not be surveyed: the command returned no report.
  package static let noReport = Self(rawValue: "no-report")
}
