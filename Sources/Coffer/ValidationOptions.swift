public import JSONEvents
public import Rules

/// How documents are validated.
public struct ValidationOptions: Sendable {
  /// How many findings are kept in detail; all are counted.
  public var maximumFindings = 1000
  /// What `now` means in the rules: one clock for the whole run.
  public var now: Instant
  /// Leaves values of the document out of messages and findings.
  public var redacts = false
  public var limits = ReaderLimits()

  public init(now: Instant) { self.now = now }
}
