public import ByteStreams

extension CofferError.Code {
  /// The input does not begin like zstd data.
  public static let notZstd = Self(rawValue: "not-zstd")
  /// Corrupt zstd data: a checksum mismatch, a wrong size, a missing frame.
  public static let zstdCorrupt = Self(rawValue: "zstd-corrupt")
  /// Truncated zstd data.
  public static let zstdTruncated = Self(rawValue: "zstd-truncated")
  /// Zstd data without a detected defect that needs a dictionary or more memory than Coffer gives it.
  public static let zstdUnsupported = Self(rawValue: "zstd-unsupported")
}
