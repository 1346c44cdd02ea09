public import ByteStreams
public import JSONEvents
public import Rules

/// Options for inspecting documents.
public struct InspectionOptions: Sendable {
  /// The current time: later creation dates are reported.
  public var now: Instant
  /// The documents' syntax. If `nil`, their names decide.
  public var syntax: JSONSyntax?
  public var limits = ReaderLimits()
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  /// The collections to report, or `nil` for all.
  public var only: CollectionSelection?
  package var slices: Slicer.Options? = Slicer.Options()

  /// Creates options with the current time and the defaults above.
  public init(now: Instant) { self.now = now }

  var pass: PassOptions { PassOptions(execution, limits: limits, slices: slices) }
}
