import ByteStreams

/// A memory source that counts its reads.
struct CountedSource: ByteSource {
  final class Tally {
    var reads = 0
  }

  let tally = Tally()
  private var source: MemorySource

  init(_ bytes: some Sequence<UInt8>, chunkSize: Int = .max) {
    source = MemorySource(bytes, chunkSize: chunkSize)
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    tally.reads += 1
    return try source.read(into: buffer)
  }
}
