/// The bytes already read from a source, followed by the rest of it.
///
/// Code that inspects the start of a stream passes on the whole stream through this source.
package struct PrefixedSource: ByteSource {
  private var prefix: MemorySource
  private var rest: any ByteSource

  package init(prefix: [UInt8], rest: any ByteSource) {
    self.prefix = MemorySource(prefix)
    self.rest = rest
  }

  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try prefix.read(into: buffer)
    return count > 0 ? count : try rest.read(into: buffer)
  }
}

extension PrefixedSource: ChecksummedSource {
  package mutating func damage(within limit: Int) -> CofferError? {
    guard var source = rest as? any ChecksummedSource else { return nil }
    defer { rest = source }
    return source.damage(within: limit)
  }
}
