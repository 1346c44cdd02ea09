import CZlib

/// Compresses independent pieces; the only owner of zlib's stream.
final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>

  init(level: Int) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard coffer_zlib_begin(stream, CInt(level)) == Z_OK else { fatalError("out of memory") }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Returns the blocks of these bytes, and an empty stored block that ends at a whole byte.
  func deflated(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    precondition(bytes.count <= 1 << 30, "a piece is too large")
    if bytes.isEmpty { return [] }
    deflateReset(stream)
    // The bound is for one call with all bytes; the empty block takes up to 6 bytes more.
    let capacity = Int(deflateBound(stream, UInt(bytes.count))) + 16
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      stream.pointee.next_in = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_in = UInt32(bytes.count)
      stream.pointee.next_out = buffer.baseAddress
      stream.pointee.avail_out = UInt32(capacity)
      let status = deflate(stream, Z_SYNC_FLUSH)
      guard status == Z_OK, stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 else {
        fatalError("deflate failed: \(status)")
      }
      count = capacity - Int(stream.pointee.avail_out)
    }
  }
}
