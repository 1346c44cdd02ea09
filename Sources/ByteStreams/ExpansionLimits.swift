/// The limits of what compressed data may expand to, whatever its headers declare. Beyond them, reading stops with the error
/// `limit`.
///
/// The defaults: 1 TiB, and a ratio that real documents don't reach.
public struct ExpansionLimits: Sendable, Hashable {
  /// The content's size in bytes.
  public var size = 1 << 40
  /// The maximum compression ratio of content of more than 1 MiB. LZ4 data has no such limit, because it can't expand more than 255
  /// times.
  public var ratio = 200

  public init() {}

  /// The largest ratio that Coffer writes: half of the default limit, so that readers accept its output.
  package static let largestWrittenRatio = ExpansionLimits().ratio / 2

  /// Small content is harmless at any ratio.
  package static let ratioFloor = 1 << 20
}

extension CofferError.Code {
  /// Compressed data or an archive exceeds a limit of entries, bytes or compression ratio.
  public static let limit = Self(rawValue: "limit")
}

/// Counts the content of compressed data.
package struct ExpansionMeter: Sendable {
  private let limits: ExpansionLimits
  private let format: CompressionFormat
  private var size = 0

  package init(_ format: CompressionFormat, _ limits: ExpansionLimits) {
    self.format = format
    self.limits = limits
  }

  /// Adds decoded bytes.
  ///
  /// - Parameter compressed: the number of compressed bytes that the decoder has consumed so far.
  package mutating func add(_ count: Int, compressed: Int) throws(CofferError) {
    size += count
    if size > limits.size {
      throw error("the \(format.name) data expands to more than \(limits.size) bytes; --max-size raises the limit", compressed)
    }
    if format != .lz4, size > ExpansionLimits.ratioFloor, size / max(1, compressed) >= limits.ratio {
      throw error(
        "the \(format.name) data expands to more than \(limits.ratio) times its size; --max-ratio raises the limit", compressed)
    }
  }

  private func error(_ message: String, _ offset: Int) -> CofferError {
    CofferError(.limit, message, at: .init(inputOffset: offset))
  }
}
