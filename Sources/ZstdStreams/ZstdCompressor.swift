import CZstd

/// Compresses independent frames; the only owner of libzstd's context for it.
final class ZstdCompressor {
  private let context: OpaquePointer

  init(level: Int) {
    guard let context = ZSTD_createCCtx() else { fatalError("out of memory") }
    self.context = context
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, CInt(level))
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
  }

  deinit { ZSTD_freeCCtx(context) }

  func frame(_ content: UnsafeRawBufferPointer) -> [UInt8] {
    let capacity = ZSTD_compressBound(content.count)
    return [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      count = ZSTD_compress2(context, buffer.baseAddress, capacity, content.baseAddress, content.count)
      // The buffer suffices for the worst case, so only memory can be lacking.
      guard ZSTD_isError(count) == 0 else { fatalError("out of memory") }
    }
  }
}
