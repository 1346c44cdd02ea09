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

/// A position in the compressed stream, which every error about it states.
struct LZ4Place {
  /// The frame's number, from 1; skippable frames count.
  let frame: Int
  /// The offset from 0, in compressed bytes.
  let offset: Int

  func corrupt(_ what: String) -> CofferError { error(.lz4Corrupt, "corrupt LZ4 data", what) }

  func truncated(_ what: String) -> CofferError { error(.lz4Truncated, "truncated LZ4 data", what) }

  func unsupported(_ what: String) -> CofferError { error(.lz4Unsupported, "cannot read this LZ4 data", what) }

  private func error(_ code: CofferError.Code, _ kind: String, _ what: String) -> CofferError {
    CofferError(code, "\(kind): \(what) (frame \(frame), compressed byte \(offset))", at: .init(inputOffset: offset))
  }
}
