public import ByteStreams
public import JSONEvents
public import Rules

/// How documents are inspected.
public struct InspectionOptions: Sendable {
  /// The current time: a document can't have been created later.
  public var now: Instant
  /// How the documents are written down; `nil`: as their names show.
  public var syntax: JSONSyntax?
  public var limits = ReaderLimits()
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  /// The collections to report; `nil`: all.
  public var only: CollectionSelection?
  /// How collections are sliced; `nil`: they are not. Never affects the results.
  package var slices: Slicer.Options? = Slicer.Options()

  /// Options with the current time, and the defaults above.
  public init(now: Instant) { self.now = now }

  var pass: PassOptions {
    var pass = PassOptions(execution)
    pass.limits = limits
    pass.slices = slices
    return pass
  }
}
