import ByteStreams
import CZlib

/// Compresses one entry's data; the only owner of zlib's stream.
final class Deflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private var buffer = [UInt8](repeating: 0, count: 1 << 16)

  init() {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    guard coffer_zlib_begin(stream, Z_DEFAULT_COMPRESSION) == Z_OK else { fatalError("out of memory") }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  enum Flush {
    case none
    /// Writes all pending output, up to a whole byte; later data won't refer to it.
    case full
    /// Writes all remaining output.
    case last

    fileprivate var value: CInt {
      switch self {
      case .none: Z_NO_FLUSH
      case .full: Z_FULL_FLUSH
      case .last: Z_FINISH
      }
    }
  }

  /// Compresses the next bytes and writes the available output.
  func add(
    _ bytes: UnsafeMutableRawBufferPointer, _ flush: Flush, _ write: ([UInt8].SubSequence) throws(CofferError) -> Void
  ) throws(CofferError) {
    stream.pointee.next_in = bytes.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_in = UInt32(bytes.count)
    var status = Z_OK
    repeat {
      let capacity = UInt32(buffer.count)
      let left: UInt32 = buffer.withUnsafeMutableBufferPointer { output in
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = capacity
        status = deflate(stream, flush.value)
        return stream.pointee.avail_out
      }
      try write(buffer[..<Int(capacity - left)])
      // A full buffer may be followed by more.
      if left > 0, flush != .last { return }
    } while status == Z_OK
  }
}
