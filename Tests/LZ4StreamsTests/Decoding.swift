import ByteStreams
import LZ4Streams

/// The result of reading LZ4 data in one of the possible ways.
enum Decoding: Equatable, CustomStringConvertible {
  case content([UInt8])
  case failure(code: String, message: String, offset: Int?)

  /// Reads sequentially through an `LZ4Source`.
  ///
  /// - Parameters:
  ///   - chunkSize: The number of compressed bytes that arrive at a time.
  ///   - bufferSize: The size of the buffer of each read.
  init(_ bytes: [UInt8], chunkSize: Int = .max, bufferSize: Int = 1 << 16) {
    var source = LZ4Source(MemorySource(bytes, chunkSize: chunkSize))
    self.init(&source, bufferSize: bufferSize)
  }

  init(_ source: inout some ByteSource, bufferSize: Int) {
    var content: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 1)
    defer { buffer.deallocate() }
    do throws(CofferError) {
      while true {
        let count = try source.read(into: buffer)
        if count == 0 { break }
        content += UnsafeRawBufferPointer(rebasing: buffer[..<count])
      }
      self = .content(content)
    } catch {
      self = .failure(code: error.code.rawValue, message: error.message, offset: error.place.inputOffset)
    }
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
      self = .failure(code: error.code.rawValue, message: error.message, offset: error.place.inputOffset)
    }
  }

  var code: String? {
    if case .failure(let code, _, _) = self { code } else { nil }
  }

  var message: String? {
    if case .failure(_, let message, _) = self { message } else { nil }
  }

  var offset: Int? {
    if case .failure(_, _, let offset) = self { offset } else { nil }
  }

  var description: String {
    switch self {
    case .content(let bytes): "\(bytes.count) bytes"
    case .failure(let code, let message, _): "\(code): \(message)"
    }
  }
}
