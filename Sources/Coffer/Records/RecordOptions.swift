public import ByteStreams
public import JSONEvents

/// Options for reading records. The records never depend on them.
public struct RecordOptions: Sendable {
  /// Threads, memory, temporary files, cancellation and progress.
  public var execution = Execution()
  public var limits = ReaderLimits()
  package var slices: Slicer.Options? = Slicer.Options()

  public init() {}
}
