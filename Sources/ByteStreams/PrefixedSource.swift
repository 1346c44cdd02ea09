/// Bytes that were already read from a source, and then the rest of it.
///
/// Whoever looks at the start of a stream (to see what it is) hands on the whole of it through this.
package struct PrefixedSource: ByteSource {
  private var prefix: MemorySource
  private var rest: any ByteSource

  package init(prefix: [UInt8], rest: any ByteSource) {
    self.prefix = MemorySource(prefix)
    self.rest = rest
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
    let count = try prefix.read(into: buffer)
    return count > 0 ? count : try rest.read(into: buffer)
  }
}
