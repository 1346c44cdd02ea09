import ByteStreams
import CZlib

/// Expands Deflate data; the only owner of zlib's stream.
final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  /// The checksum and the size of the content since the last reset.
  private(set) var checksum = CRC32()
  private(set) var size = 0
  /// True if the last step filled its target: the stream may have more content, for which it needs no more input.
  private(set) var mayHoldBack = false

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard coffer_zlib_begin_inflate(stream) == Z_OK else { fatalError("out of memory") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  func reset() {
    inflateReset(stream)
    checksum = CRC32()
    size = 0
    mayHoldBack = false
  }

  struct Step {
    let consumed: Int
    let produced: Int
    /// True if the data ended, with the last byte consumed.
    let isAtEnd: Bool
    /// True if the bytes after those consumed, or the last of them, are invalid.
    let hasFailed: Bool
  }

  /// Expands the next bytes.
  func step(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Step {
    let (sourceSize, targetSize) = (min(source.count, 1 << 30), min(target.count, 1 << 30))
    stream.pointee.next_in = UnsafeMutableRawPointer(mutating: source.baseAddress)?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(sourceSize)
    stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(targetSize)
    let status = inflate(stream, Z_NO_FLUSH)
    if status == Z_MEM_ERROR { fatalError("out of memory") }
    let produced = targetSize - Int(stream.pointee.avail_out)
    checksum.add(UnsafeRawBufferPointer(rebasing: target[..<produced]))
    size += produced
    mayHoldBack = produced == targetSize
    return Step(
      consumed: sourceSize - Int(stream.pointee.avail_in), produced: produced, isAtEnd: status == Z_STREAM_END,
      hasFailed: status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
  }
}
