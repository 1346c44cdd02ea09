import ByteStreams
import GzipStreams
import StreamDecoding
import TestSupport
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
  static func gzip(_ content: [UInt8], level: GzipLevel = .normal) throws -> [UInt8] {
    var writer = GzipStreamWriter(to: MemorySink(), level: level)
    try writer.write(content)
    try writer.finish()
    return writer.sink.bytes
  }

  /// Returns zstd data as Coffer writes it, with a frame for each part.
  static func zstd(_ parts: [[UInt8]], level: ZstdLevel = .normal) throws -> [UInt8] {
    let encoder = ZstdFrameEncoder(level: level)
    var writer = ZstdStreamWriter(to: MemorySink(), level: level)
    for part in parts { try writer.write(part.withUnsafeBytes { encoder.encode($0) }) }
    try writer.finish()
    return writer.sink.bytes
  }
}

extension Decoding {
  /// - Parameters:
  ///   - chunkSize: the number of compressed bytes that arrive at a time.
  ///   - bufferSize: the size of the buffer of each read.
  init(gzip bytes: [UInt8], chunkSize: Int = .max, bufferSize: Int = 1 << 16, limits: ExpansionLimits = ExpansionLimits()) {
    var source = GzipSource(MemorySource(bytes, chunkSize: chunkSize), limits: limits)
    self.init(&source, bufferSize: bufferSize)
  }

  init(zstd bytes: [UInt8], chunkSize: Int = .max, bufferSize: Int = 1 << 16, limits: ExpansionLimits = ExpansionLimits()) {
    var source = ZstdSource(MemorySource(bytes, chunkSize: chunkSize), limits: limits)
    self.init(&source, bufferSize: bufferSize)
  }
}
