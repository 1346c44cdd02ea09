import CXXHash

/// The 32-bit checksum of LZ4 frames (xxHash fast digest algorithm, version 0.1.1, seed 0).
struct XXH32 {
  private var state = coffer_xxh32()

  init() { coffer_xxh32_begin(&state) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) { coffer_xxh32_add(&state, bytes.baseAddress, bytes.count) }

  /// The hash of all bytes so far.
  var digest: UInt32 { withUnsafePointer(to: state) { coffer_xxh32_digest($0) } }

  static func digest(of bytes: UnsafeRawBufferPointer) -> UInt32 {
    var hash = XXH32()
    hash.update(bytes)
    return hash.digest
  }
}
