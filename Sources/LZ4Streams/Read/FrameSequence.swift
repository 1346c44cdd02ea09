import ByteStreams

/// Finds the frames of a stream without decoding them: skips skippable frames and verifies the content that a seal declares.
struct FrameSequence {
  enum Frame {
    /// The frame's header is next in the input.
    case standard(FrameHeader)
    /// The frame's magic number has been consumed.
    case legacy(number: Int)
  }

  private let input: LookaheadInput
  /// The number of frames so far, including skippable ones.
  private var count = 0
  private var seal = SealCheck()

  init(_ input: LookaheadInput) { self.input = input }

  /// Returns true if a stream can begin with these four bytes, as a little-endian number.
  static func isMagic(_ number: UInt32) -> Bool {
    number == FrameHeader.magic || number == LegacyDecoder.magic || SealCheck.isSkippable(number)
  }

  /// Returns the next frame that may have content, or `nil` at the stream's end.
  mutating func next() throws(CofferError) -> Frame? {
    while true {
      let place = FramePlace(.lz4, frame: count + 1, offset: input.offset)
      guard try input.have(4) else {
        if count == 0 { throw Self.notLZ4 }
        try seal.end(of: input, at: place)
        return nil
      }
      let magic = input.number()
      guard Self.isMagic(magic) else {
        throw count == 0 ? Self.notLZ4 : place.corrupt("bytes after the last frame are not LZ4 data")
      }
      count += 1
      if SealCheck.isSkippable(magic) {
        try seal.passSkippable(in: input, at: place)
      } else if magic == LegacyDecoder.magic {
        try seal.beginLegacyFrame(at: place)
        input.consume(4)
        return .legacy(number: count)
      } else {
        let header = try FrameHeader(in: input, at: place)
        if try seal.passEmptyFrame(LZ4Codec.emptyFrame, in: input) { continue }
        try seal.check(hasSize: header.contentSize != nil, hasChecksum: header.hasContentChecksum, at: place)
        return .standard(header)
      }
    }
  }

  /// Adds a frame that was decoded completely or taken as a whole.
  mutating func add(_ content: FrameContent) { seal.add(content) }

  static var notLZ4: CofferError {
    CofferError(.notLZ4, "not LZ4 data: it does not begin with a frame's magic number", at: .init(inputOffset: 0))
  }
}
