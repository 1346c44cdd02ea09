import CZstd

/// Decodes frame after frame; the only owner of libzstd's context for it.
final class ZstdDecoder {
  private let context: OpaquePointer
  /// True if the last call filled its target: the context may have more content.
  private(set) var mayHoldBack = false
  /// The size of the content since the frame began.
  private(set) var size: UInt64 = 0
  /// The last four bytes consumed, as a little-endian number: the checksum, at the end of a frame that has one.
  private(set) var lastBytes: UInt32 = 0

  init() {
    guard let context = ZSTD_createDCtx() else { fatalError("out of memory") }
    self.context = context
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, CInt(ZstdFrameHeader.largestWindowLog))
  }

  deinit { ZSTD_freeDCtx(context) }

  struct Step {
    let consumed: Int
    let produced: Int
    /// True if the frame ended, with the last byte consumed.
    let isAtEnd: Bool
  }

  struct Failure: Error {
    let isChecksum: Bool
    /// The library's name of the error.
    let name: String
  }

  /// Begins a frame, and discards any previous state.
  func begin() {
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    mayHoldBack = false
    size = 0
  }

  /// Decodes the next bytes of the frame.
  func step(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws(Failure) -> Step {
    var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
    var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
    let result = ZSTD_decompressStream(context, &output, &input)
    if ZSTD_isError(result) != 0 {
      let code = ZSTD_getErrorCode(result)
      if code == ZSTD_error_memory_allocation { fatalError("out of memory") }
      throw Failure(isChecksum: code == ZSTD_error_checksum_wrong, name: String(cString: ZSTD_getErrorName(result)).lowercased())
    }
    for byte in source.prefix(input.pos).suffix(4) { lastBytes = lastBytes >> 8 | UInt32(byte) << 24 }
    size += UInt64(output.pos)
    mayHoldBack = output.pos == output.size
    return Step(consumed: input.pos, produced: output.pos, isAtEnd: result == 0)
  }
}
