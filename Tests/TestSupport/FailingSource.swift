package import ByteStreams

/// A memory source that ends with an error.
package struct FailingSource: ByteSource {
  private var source: MemorySource

  package init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try source.read(into: buffer)
    if count == 0 { throw CofferError(.inputOutput, "cannot read the rest") }
    return count
  }
}
