import ByteStreams
import LZ4Streams

/// The result of reading data.
struct Reading: CustomStringConvertible {
  private(set) var content: [UInt8] = []
  /// The error that ended the reading, or `nil`.
  private(set) var failure: CofferError?
  /// The limit of the content: 16 KiB of data may expand to 4 MiB, and every byte is slow under AddressSanitizer.
  private static let enough = 8 << 20

  init(of data: [UInt8], chunkSize: Int, bufferSize: Int) {
    var source = LZ4Source(MemorySource(data, chunkSize: chunkSize))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 1)
    defer { buffer.deallocate() }
    do throws(CofferError) {
      while content.count < Self.enough {
        let count = try source.read(into: buffer)
        if count == 0 { break }
        content += UnsafeRawBufferPointer(rebasing: buffer[..<count])
      }
    } catch {
      failure = error
    }
  }

  init(byWorkers data: [UInt8]) {
    let source = LZ4Source(MemorySource(data))
    let decoder = LZ4PieceDecoder()
    let buffer = PieceBuffer(capacity: LZ4Source.largestPiece)
    do throws(CofferError) {
      while content.count < Self.enough, let piece = try source.nextPiece(in: buffer) {
        try decoder.decode(piece)
        content += piece.content.bytes
      }
    } catch {
      failure = error
    }
  }

  /// Returns true for the same content and error. After an error, or beyond the limit, one may have more content than the other.
  func agrees(with other: Reading) -> Bool {
    if content.count >= Self.enough || other.content.count >= Self.enough {
      let count = min(content.count, other.content.count)
      return content.prefix(count) == other.content.prefix(count)
    }
    guard failure?.message == other.failure?.message, failure?.code == other.failure?.code else { return false }
    let count = failure == nil ? max(content.count, other.content.count) : min(content.count, other.content.count)
    return content.prefix(count) == other.content.prefix(count)
  }

  var description: String { "\(content.count) bytes, \(failure.map { "\($0.code.rawValue): \($0)" } ?? "no error")" }
}
