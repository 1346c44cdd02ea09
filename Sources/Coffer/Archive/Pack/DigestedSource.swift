import ByteStreams

/// A file to pack: its digests are computed as it is read.
struct DigestedSource<Source: ByteSource>: ByteSource {
  private var source: Source
  private let digests: EntryDigests?
  private let cancellation: Cancellation?

  /// - Parameter digests: computes the digests. If `nil`, there are none.
  init(_ source: Source, _ digests: EntryDigests?, _ cancellation: Cancellation?) {
    self.source = source
    self.digests = digests
    self.cancellation = cancellation
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    if cancellation?.isRequested == true { throw CofferError(.cancelled, "packing was cancelled") }
    let count = try source.read(into: buffer)
    digests?.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }
}
