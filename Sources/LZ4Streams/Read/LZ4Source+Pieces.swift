package import ByteStreams

/// A part of a stream's content, possibly still to be decoded by a worker.
package struct LZ4Piece: Sendable {
  /// The frame to decode into `content`, or `nil` if the content is already decoded.
  let frame: WholeFrame?
  package let content: PieceBuffer
}

/// A frame that can be decoded independently.
struct WholeFrame: Sendable {
  let header: FrameHeader
  let bytes: [UInt8]
}

extension LZ4Source {
  /// The largest content of a frame that is passed on undecoded.
  package static let largestPiece = 4 << 20

  /// Returns the next part of the content: an undecoded frame if it declares a small size and is small, otherwise decoded
  /// content.
  ///
  /// - Parameter buffer: the buffer to decode into, with room for ``largestPiece``.
  /// - Returns: `nil` at the stream's end.
  package func nextPiece(in buffer: PieceBuffer) throws(CofferError) -> LZ4Piece? {
    try orFail { () throws(CofferError) in
      buffer.count = 0
      while try beginFrame() {
        if buffer.count == 0, let frame = try wholeFrame() {
          try meter.add(Int(frame.header.contentSize ?? 0), compressed: input.offset)
          return LZ4Piece(frame: frame, content: buffer)
        }
        // Before a frame that may be small, the content so far is a piece.
        if buffer.count > 0, case .standard(_, isBegun: false) = current { break }
        buffer.count += try readFrame(into: buffer.rest(upTo: Self.largestPiece))
        if buffer.count == Self.largestPiece { break }
      }
      return buffer.count > 0 ? LZ4Piece(frame: nil, content: buffer) : nil
    }
  }

  /// Takes the next frame if it can be decoded independently.
  private func wholeFrame() throws(CofferError) -> WholeFrame? {
    guard case .standard(let header, isBegun: false) = current, let length = try length(of: header),
      let size = header.contentSize
    else { return nil }
    let frame = WholeFrame(header: header, bytes: Array(UnsafeRawBufferPointer(rebasing: input.available[..<length])))
    let checksum = header.hasContentChecksum ? input.number(at: length - 4) : 0
    frames.add(FrameContent(size: size, checksum: checksum))
    input.consume(length)
    current = nil
    return frame
  }

  /// Computes the frame's length from its block sizes. Returns `nil` if it is large, invalid or truncated, which reading it will
  /// show.
  private func length(of header: FrameHeader) throws(CofferError) -> Int? {
    guard let content = header.contentSize, content <= Self.largestPiece else { return nil }
    // Incompressible blocks of 64 KiB with checksums take 8 bytes more each; encoders don't write much smaller blocks.
    let limit = header.size + Int(content) + (64 << 10)
    var length = header.size
    while try input.have(length + 4) {
      let size = Int(input.number(at: length) & 0x7FFF_FFFF)
      if input.number(at: length) == 0 {
        length += header.endSize
        return try input.have(length) ? length : nil
      }
      length += 4 + size + (header.hasBlockChecksums ? 4 : 0)
      if size > header.largestBlock || length > limit { return nil }
    }
    return nil
  }
}

/// Decodes pieces; each worker has its own decoder.
package final class LZ4PieceDecoder {
  private let decoder = FrameDecoder()

  package init() {}

  /// Decodes the piece's content if that has not been done.
  package func decode(_ piece: LZ4Piece) throws(CofferError) {
    guard let frame = piece.frame else { return }
    let input = LookaheadInput(bytes: frame.bytes, offset: frame.header.place.offset)
    decoder.begin(frame.header)
    while !decoder.isAtEnd {
      piece.content.count += try decoder.read(into: piece.content.rest(), from: input)
    }
  }
}
