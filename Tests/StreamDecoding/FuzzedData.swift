package import ByteStreams

/// A fuzzer's input for compressed data: the sizes of its pieces and of the buffers, the level, then the data.
package struct FuzzedData {
  package let data: [UInt8]
  package let chunkSize: Int
  package let bufferSize: Int
  /// Any number from 0.
  package let level: Int

  package init?(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 3 else { return nil }
    (chunkSize, bufferSize, level) = (1 + Int(input[0]), 1 + Int(input[1]), Int(input[2]))
    data = Array(input[3...])
  }

  /// The limit of the content: every byte is slow under AddressSanitizer.
  private static let limit = 2 << 20

  /// Ends the process unless any bytes, read whole and in pieces, give the same content or the same kind of error, and the same
  /// bytes as content, compressed and read back, stay the same.
  ///
  /// - Parameters:
  ///   - decoder: returns a source that decodes another one.
  ///   - compressed: the data as content of a compressed stream.
  package func check<Decoder: ByteSource>(by decoder: (MemorySource) -> Decoder, compressed: [UInt8]) {
    func decoded(_ data: [UInt8], chunkSize: Int = .max, bufferSize: Int = 1 << 16) -> Decoding {
      var source = decoder(MemorySource(data, chunkSize: chunkSize))
      return Decoding(&source, bufferSize: bufferSize, limit: Self.limit)
    }
    let whole = decoded(data)
    let pieces = decoded(data, chunkSize: chunkSize, bufferSize: bufferSize)
    switch (whole, pieces) {
    // Reading stops somewhere beyond the limit.
    case (.content(let a), .content(let b)) where a.prefix(Self.limit) == b.prefix(Self.limit): break
    case (.failure(let a, _, _), .failure(let b, _, _)) where a == b: break
    // An error beyond the limit.
    case (.content(let a), .failure) where a.count >= Self.limit: break
    case (.failure, .content(let b)) where b.count >= Self.limit: break
    default: fatalError("whole and in pieces: \(whole) and \(pieces)")
    }
    let back = decoded(compressed)
    guard back == .content(data) else { fatalError("compressed data came back as \(back)") }
  }
}

extension PieceWriter where Sink == MemorySink {
  /// Writes data, the first half of it as a worker's piece, and returns the stream.
  package consuming func compressed(_ data: [UInt8], worker encode: (UnsafeRawBufferPointer) -> CompressedPiece) -> [UInt8] {
    do throws(CofferError) {
      try write(data.prefix(data.count / 2).withUnsafeBytes { encode($0) })
      try write(Array(data.suffix(data.count - data.count / 2)))
      try finish()
    } catch {
      fatalError("writing to memory can't fail: \(error)")
    }
    return sink.bytes
  }
}
