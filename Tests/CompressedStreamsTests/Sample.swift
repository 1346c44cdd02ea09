import ByteStreams
import CompressedStreams
import GzipStreams
import LZ4Streams
import StreamDecoding
import TestSupport
import Testing
import ZstdStreams

/// Content of different kinds.
enum Sample {
  static let contents: [String: [UInt8]] = [
    "nothing": [], "a byte": [65], "records": records(size: 700_000), "many records": records(size: 9_000_000),
    "noise": noise(size: 200_000), "zeros": [UInt8](repeating: 0, count: 9_000_000),
  ]

  static let small = records(size: 400)

  static func records(size: Int) -> [UInt8] {
    var random = SeededRandom(seed: 11)
    var bytes: [UInt8] = []
    while bytes.count < size {
      bytes +=
        "{\"id\": \(random.next() % 100_000), \"odometer\": \(random.next() % 1000), \"note\": \"charged at home\"},\n".utf8
    }
    return Array(bytes.prefix(size))
  }

  /// Returns incompressible bytes.
  static func noise(size: Int) -> [UInt8] {
    var random = SeededRandom(seed: 12)
    return random.bytes(size)
  }

  /// Returns gzip data as Coffer writes it.
  static func gzip(_ content: [UInt8], level: Int = 6) throws -> [UInt8] {
    var writer = GzipStreamWriter(to: MemorySink(), level: level)
    try writer.write(content)
    try writer.finish()
    return writer.sink.bytes
  }

  /// Returns zstd data as Coffer writes it, with a frame for each part.
  static func zstd(_ parts: [[UInt8]], level: Int = 3) throws -> [UInt8] {
    let encoder = ZstdFrameEncoder(level: level)
    var writer = ZstdStreamWriter(to: MemorySink(), level: level)
    for part in parts { try writer.write(part.withUnsafeBytes { encoder.encode($0) }) }
    try writer.finish()
    return writer.sink.bytes
  }

  /// Returns small data of a format, and its content: one member of gzip, several frames of zstd.
  static func small(_ format: CompressionFormat) throws -> (data: [UInt8], content: [UInt8]) {
    let parts = format == .zstd ? (0..<3).map { Array(small.dropFirst(50 * $0)) } : [small]
    return (try compressed(parts, as: format), parts.flatMap(\.self))
  }

  /// Returns gzip or zstd data as Coffer writes it at a level of the format's program (`nil`: the default).
  static func compressed(_ parts: [[UInt8]], as format: CompressionFormat, level: Int? = nil) throws -> [UInt8] {
    switch format {
    case .lz4:
      var writer = LZ4StreamWriter(to: MemorySink())
      for part in parts { try writer.write(part) }
      try writer.finish()
      return writer.sink.bytes
    case .gzip: return try gzip(parts.reduce(into: [], +=), level: level ?? 6)
    case .zstd: return try zstd(parts, level: level ?? 3)
    }
  }
}

extension Decoding {
  /// - Parameters:
  ///   - chunkSize: the number of compressed bytes that arrive at a time.
  ///   - bufferSize: the size of the buffer of each read.
  init(
    _ format: CompressionFormat, _ bytes: [UInt8], chunkSize: Int = .max, bufferSize: Int = 1 << 16,
    limits: ExpansionLimits = ExpansionLimits()
  ) {
    self.init(format, source: MemorySource(bytes, chunkSize: chunkSize), bufferSize: bufferSize, limits: limits)
  }

  init(_ format: CompressionFormat, source: some ByteSource, bufferSize: Int, limits: ExpansionLimits = ExpansionLimits()) {
    func read(_ decoder: consuming some ByteSource) -> Decoding { Decoding(&decoder, bufferSize: bufferSize) }
    self =
      switch format {
      case .lz4: read(LZ4Source(source, limits: limits))
      case .gzip: read(GzipSource(source, limits: limits))
      case .zstd: read(ZstdSource(source, limits: limits))
      }
  }
}
