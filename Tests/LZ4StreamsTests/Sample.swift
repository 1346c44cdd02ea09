import ByteStreams
import Foundation
import LZ4Streams
import TestSupport

/// Sample content and its streams.
enum Sample {
  /// Returns similar lines, like records. They repeat after 200 000 bytes, which is beyond the reach of a match.
  static func records(size: Int) -> [UInt8] {
    var bytes = someRecords
    while bytes.count < size { bytes += someRecords }
    bytes.removeLast(bytes.count - size)
    return bytes
  }

  private static let someRecords: [UInt8] = {
    var random = SeededRandom(seed: 11)
    var bytes: [UInt8] = []
    while bytes.count < 200_000 {
      bytes +=
        "{\"id\": \(random.next() % 100_000), \"odometer\": \(random.next() % 1000), \"note\": \"charged at home\"},\n".utf8
    }
    return bytes
  }()

  /// Returns incompressible bytes.
  static func noise(size: Int) -> [UInt8] {
    var random = SeededRandom(seed: 12)
    let words = (0...size / 8).map { _ in random.next() }
    return words.withUnsafeBytes { Array(UnsafeRawBufferPointer(rebasing: $0[..<size])) }
  }

  /// Returns a stream as Coffer writes it, with a frame for each part.
  static func stream(_ parts: [[UInt8]], level: Int = 1) throws -> [UInt8] {
    let encoder = LZ4FrameEncoder(level: level)
    var writer = LZ4StreamWriter(to: MemorySink(), level: level)
    for part in parts { try writer.write(part.withUnsafeBytes { encoder.encode($0) }) }
    try writer.finish()
    return writer.sink.bytes
  }

  /// Seven different small frames, and their content.
  static let small: (content: [UInt8], stream: [UInt8]) = {
    let parts = (0..<7).map { index in Array(String(repeating: "{\"id\": \(index)}, ", count: 3 + 2 * index).utf8) }
    return (parts.flatMap(\.self), (try? stream(parts)) ?? [])
  }()
}

/// Frames built by hand, field by field.
enum Handmade {
  /// Returns a frame's header with its correct checksum.
  static func header(flags: UInt8, blocks: UInt8, size: UInt64? = nil, dictionary: UInt32? = nil) -> [UInt8] {
    var descriptor: [UInt8] = [flags, blocks]
    if let size { descriptor += withUnsafeBytes(of: size.littleEndian) { Array($0) } }
    if let dictionary { descriptor += number(dictionary) }
    return [0x04, 0x22, 0x4D, 0x18] + descriptor + [UInt8(truncatingIfNeeded: checksum(descriptor) >> 8)]
  }

  static func number(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

  static func skippable(_ payload: [UInt8], kind: UInt32 = 0) -> [UInt8] {
    number(0x184D_2A50 + kind) + number(UInt32(payload.count)) + payload
  }

  static let endMark = number(0)

  /// Returns an uncompressed block.
  static func stored(_ bytes: [UInt8]) -> [UInt8] { number(UInt32(bytes.count) | 0x8000_0000) + bytes }

  /// Returns the XXH32 of fewer than 16 bytes.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    func turned(_ number: UInt32, _ count: UInt32) -> UInt32 { number << count | number >> (32 - count) }
    var hash: UInt32 = 374_761_393 &+ UInt32(bytes.count)
    let words = bytes.count / 4
    for index in 0..<words {
      let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[4 * index + $1]) << UInt32(8 * $1) }
      hash = turned(hash &+ word &* 3_266_489_917, 17) &* 668_265_263
    }
    for byte in bytes[(4 * words)...] { hash = turned(hash &+ UInt32(byte) &* 374_761_393, 11) &* 2_654_435_761 }
    hash = (hash ^ hash >> 15) &* 2_246_822_519
    hash = (hash ^ hash >> 13) &* 3_266_489_917
    return hash ^ hash >> 16
  }
}
