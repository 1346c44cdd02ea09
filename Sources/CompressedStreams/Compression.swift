public import ByteStreams
import GzipStreams
import LZ4Streams
import ZstdStreams

/// How to compress: a format and its level.
///
/// For example:
///
///     options.compression = .zstd
///     options.compression = Compression(.gzip, level: 9)
public struct Compression: Sendable, Hashable {
  public let format: CompressionFormat
  /// From 1, the fastest, to the largest of ``levels(of:)``, the smallest.
  public let level: Int

  /// The format at its default level.
  public init(_ format: CompressionFormat) {
    self.format = format
    level = Self.defaultLevel(of: format)
  }

  /// - Returns: `nil` if the format doesn't have the level.
  public init?(_ format: CompressionFormat, level: Int) {
    guard Self.levels(of: format).contains(level) else { return nil }
    self.format = format
    self.level = level
  }

  /// Returns the compression that a file name promises, or `nil` for an uncompressed file.
  public init?(ofFileNamed name: String) {
    guard let format = CompressionFormat(ofFileNamed: name) else { return nil }
    self.init(format)
  }

  public static let lz4 = Compression(.lz4)
  public static let gzip = Compression(.gzip)
  public static let zstd = Compression(.zstd)

  /// The levels of a format, as in its program.
  public static func levels(of format: CompressionFormat) -> ClosedRange<Int> {
    switch format {
    case .lz4: LZ4Level.numbers
    case .gzip: GzipLevel.numbers
    case .zstd: ZstdLevel.numbers
    }
  }

  /// The default level of a format: 1 for LZ4, 6 for gzip, 3 for zstd.
  public static func defaultLevel(of format: CompressionFormat) -> Int {
    switch format {
    case .lz4: LZ4Level.fastest.number
    case .gzip: GzipLevel.normal.number
    case .zstd: ZstdLevel.normal.number
    }
  }

  // The levels have been checked.
  var lz4Level: LZ4Level { LZ4Level(level) ?? .fastest }
  var gzipLevel: GzipLevel { GzipLevel(level) ?? .normal }
  var zstdLevel: ZstdLevel { ZstdLevel(level) ?? .normal }
}
