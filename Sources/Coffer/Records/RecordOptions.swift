public import JSONEvents

/// How records are read. What is read never depends on it.
public struct RecordOptions: Sendable {
  /// How many threads work: at least 1. None of them is one of Swift's cooperative threads.
  ///
  /// Memory: twice as many slices of about 1 MiB, and their records, may be under way, and those of two more wait to be asked for.
  public var jobs = ValidationOptions.processorCount
  public var limits = ReaderLimits()
  /// How collections are cut; `nil`: they are not.
  package var slices: Slicer.Options? = Slicer.Options()

  public init() {}
}
