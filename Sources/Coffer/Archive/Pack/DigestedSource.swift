import ByteStreams

/// A file to pack: its digests are computed as it is read, and the progress counts its bytes.
struct DigestedSource<Source: ByteSource>: ByteSource {
  private var source: Source
  private let digests: EntryDigests?
  private let execution: Execution

  /// - Parameter digests: computes the digests. If `nil`, there are none.
  init(_ source: Source, _ digests: EntryDigests?, _ execution: Execution) {
    self.source = source
    self.digests = digests
    self.execution = execution
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if execution.cancellation?.isRequested == true { throw CofferError(.cancelled, "packing was cancelled") }
    let count = try source.read(into: buffer)
    execution.progress?.add(bytes: count)
    digests?.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }
}
