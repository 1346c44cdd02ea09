import ByteStreams
import LZ4Streams
import StreamDecoding

extension Decoding {
  /// Reads sequentially through an `LZ4Source`.
  ///
  /// - Parameters:
  ///   - chunkSize: The number of compressed bytes that arrive at a time.
  ///   - bufferSize: The size of the buffer of each read.
  init(_ bytes: [UInt8], chunkSize: Int = .max, bufferSize: Int = 1 << 16) {
    var source = LZ4Source(MemorySource(bytes, chunkSize: chunkSize))
    self.init(&source, bufferSize: bufferSize)
  }

  /// Reads in pieces, like workers.
  init(piecesOf bytes: [UInt8], chunkSize: Int = .max) {
    let source = LZ4Source(MemorySource(bytes, chunkSize: chunkSize))
    let decoder = LZ4PieceDecoder()
    let buffer = PieceBuffer(capacity: LZ4Source.largestPiece)
    var content: [UInt8] = []
    do throws(CofferError) {
      while let piece = try source.nextPiece(in: buffer) {
        try decoder.decode(piece)
        content += piece.content.bytes
      }
      self = .content(content)
    } catch {
      self.init(error)
    }
  }
}
