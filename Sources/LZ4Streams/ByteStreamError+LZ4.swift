public import ByteStreams

extension ByteStreamError.Code {
  /// The input does not begin as LZ4 data does.
  public static let notLZ4 = Self(rawValue: "not-lz4")
  /// LZ4 data that was changed on its way: a checksum that does not match, a size that is wrong, a frame that is missing.
  public static let lz4Corrupt = Self(rawValue: "lz4-corrupt")
  /// LZ4 data that ends too early.
  public static let lz4Truncated = Self(rawValue: "lz4-truncated")
  /// LZ4 data that is sound for all one can see, but needs a dictionary or a newer program.
  public static let lz4Unsupported = Self(rawValue: "lz4-unsupported")
}

/// Where in the compressed stream something stands: what every error about it says.
struct LZ4Place {
  /// The frame's number, from 1; skippable frames count.
  let frame: Int
  /// From 0, in compressed bytes.
  let offset: Int

  func corrupt(_ what: String) -> ByteStreamError { error(.lz4Corrupt, "corrupt LZ4 data", what) }

  func truncated(_ what: String) -> ByteStreamError { error(.lz4Truncated, "truncated LZ4 data", what) }

  func unsupported(_ what: String) -> ByteStreamError { error(.lz4Unsupported, "cannot read this LZ4 data", what) }

  private func error(_ code: ByteStreamError.Code, _ kind: String, _ what: String) -> ByteStreamError {
    ByteStreamError(code: code, message: "\(kind): \(what) (frame \(frame), compressed byte \(offset))", offset: offset)
  }
}
