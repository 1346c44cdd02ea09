public import ByteStreams

extension CofferError.Code {
  /// The input does not begin like LZ4 data.
  public static let notLZ4 = Self(rawValue: "not-lz4")
  /// Corrupt LZ4 data: a checksum mismatch, a wrong size, a missing frame.
  public static let lz4Corrupt = Self(rawValue: "lz4-corrupt")
  /// Truncated LZ4 data.
  public static let lz4Truncated = Self(rawValue: "lz4-truncated")
  /// LZ4 data without a detected defect that needs a dictionary or a newer program.
  public static let lz4Unsupported = Self(rawValue: "lz4-unsupported")
}
