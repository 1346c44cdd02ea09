import ByteStreams

/// Bytes owned by the caller.
struct BorrowedBytes: ByteSource {
  var rest: UnsafeBufferPointer<UInt8>

  mutating func read(into target: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = min(target.count, rest.count)
    target.copyMemory(from: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: rest.prefix(count))))
    rest = UnsafeBufferPointer(rebasing: rest.dropFirst(count))
    return count
  }
}
