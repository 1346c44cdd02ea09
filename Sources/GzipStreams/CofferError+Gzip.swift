public import ByteStreams

extension CofferError.Code {
  /// The input does not begin like gzip data.
  public static let notGzip = Self(rawValue: "not-gzip")
  /// Corrupt gzip data: a checksum mismatch, a wrong size, data that can't be expanded.
  public static let gzipCorrupt = Self(rawValue: "gzip-corrupt")
  /// Truncated gzip data.
  public static let gzipTruncated = Self(rawValue: "gzip-truncated")
  /// Gzip data that needs a newer program.
  public static let gzipUnsupported = Self(rawValue: "gzip-unsupported")
}
