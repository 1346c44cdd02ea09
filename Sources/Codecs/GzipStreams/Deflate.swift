package import ByteStreams
import CZlib

/// Expands raw Deflate data (RFC 1951), as gzip members and ZIP entries hold it; the only owner of zlib's stream for it.
package final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  /// The checksum and the size of the content since the last reset.
  package private(set) var checksum = CRC32()
  package private(set) var size = 0
  /// True if the last step filled its target: the stream may have more content, for which it needs no more input.
  package private(set) var mayHoldBack = false

  package init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard coffer_zlib_begin_inflate(stream) == Z_OK else { fatalError("out of memory") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  package func reset() {
    inflateReset(stream)
    checksum = CRC32()
    size = 0
    mayHoldBack = false
  }

  package struct Step {
    package let consumed: Int
    package let produced: Int
    /// True if the data ended, with the last byte consumed.
    package let isAtEnd: Bool
    /// True if the bytes after those consumed, or the last of them, are invalid.
    package let hasFailed: Bool
  }

  /// Expands the next bytes.
  package func step(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) -> Step {
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

/// Compresses bytes to raw Deflate data; the only owner of zlib's stream for it.
package final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

  package init(level: Int = CompressionFormat.gzip.defaultLevel) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard coffer_zlib_begin(stream, CInt(level)) == Z_OK else { fatalError("out of memory") }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
    output.deallocate()
  }

  /// Begins data that refers to nothing before it.
  package func reset() { deflateReset(stream) }

  /// What of the output must be written at once.
  package enum Flush {
    case none
    /// All of it, up to a whole byte.
    case whole
    /// All of it, up to a whole byte; later data won't refer to it.
    case full
    /// All of it, and the end.
    case last

    fileprivate var value: CInt {
      switch self {
      case .none: Z_NO_FLUSH
      case .whole: Z_SYNC_FLUSH
      case .full: Z_FULL_FLUSH
      case .last: Z_FINISH
      }
    }
  }

  /// Compresses the next bytes, and writes the output that there is.
  package func add<E: Error>(
    _ bytes: UnsafeRawBufferPointer, _ flush: Flush, _ write: (UnsafeRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    precondition(bytes.count <= 1 << 30, "a piece is too large")
    stream.pointee.next_in = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(bytes.count)
    var status = Z_OK
    repeat {
      stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(output.count)
      status = deflate(stream, flush.value)
      let left = Int(stream.pointee.avail_out)
      if left < output.count { try write(UnsafeRawBufferPointer(rebasing: output[..<(output.count - left)])) }
      // A full buffer may be followed by more.
      if left > 0, flush != .last { return }
    } while status == Z_OK
  }
}
