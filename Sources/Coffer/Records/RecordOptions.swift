public import ByteStreams
public import JSONEvents

/// How records are read. The records never depend on it.
public struct RecordOptions: Sendable {
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  public var limits = ReaderLimits()
  /// How collections are sliced; `nil`: they are not.
  package var slices: Slicer.Options? = Slicer.Options()

  public init() {}
}
