public import ByteStreams
public import JSONEvents
public import Rules

/// How documents are inspected.
public struct InspectionOptions: Sendable {
  /// What the present is: a document can't have been made later.
  public var now: Instant
  /// How the documents are written down; `nil`: as their names show.
  public var syntax: JSONSyntax?
  public var limits = ReaderLimits()
  /// How many threads work, the caller's included: at least 1. Results never depend on it.
  public var jobs = ValidationOptions.processorCount
  /// The collections that are told of; `nil`: all.
  public var only: CollectionSelection?
  /// Ends the inspection early, with a `CancellationError`.
  public var cancellation: Cancellation?
  /// How collections are cut; `nil`: they are not. Results never depend on it.
  package var slices: Slicer.Options? = Slicer.Options()

  /// Options of which nothing is told but the present, in all else as they stand above.
  public init(now: Instant) { self.now = now }

  var pass: PassOptions {
    var pass = PassOptions(jobs: jobs)
    pass.limits = limits
    pass.slices = slices
    pass.cancellation = cancellation
    return pass
  }
}
