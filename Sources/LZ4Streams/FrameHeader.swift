import ByteStreams

/// The header before a frame's first block (LZ4 Frame Format 1.6.4, "Frame Descriptor").
///
///     magic (4) │ FLG │ BD │ content size (8, if FLG says so) │ dictionary (4, if FLG says so) │ HC
///
///     FLG  7 6: version 01 │ 5: independent blocks │ 4: block checksums │ 3: content size │ 2: content checksum
///          1: reserved │ 0: dictionary
///     BD   7: reserved │ 6 5 4: the largest block, 4 to 7 for 64 KiB to 4 MiB │ 3 2 1 0: reserved
struct FrameHeader: Sendable {
  static let magic: UInt32 = 0x184D_2204

  let place: FramePlace
  /// The size in bytes.
  let size: Int
  let largestBlock: Int
  let hasBlockChecksums: Bool
  let hasContentChecksum: Bool
  /// The content size that the frame declares.
  let contentSize: UInt64?

  /// Reads the next header including its magic number, without consuming it.
  ///
  /// The decoder verifies the header checksum.
  init(in input: LookaheadInput, at place: FramePlace) throws(CofferError) {
    guard try input.have(7) else {
      throw place.at(input.end).truncated("it ends within a frame's header")
    }
    let flags = input.available[4]
    let blocks = input.available[5]
    guard flags >> 6 == 1 else { throw place.corrupt("the frame's version is not 1") }
    guard flags & 0b10 == 0, blocks & 0b1000_1111 == 0 else { throw place.corrupt("the frame's header has reserved bits set") }
    guard blocks >> 4 >= 4 else { throw place.corrupt("the frame's header has an invalid block size") }
    hasBlockChecksums = flags & 0b1_0000 != 0
    hasContentChecksum = flags & 0b100 != 0
    largestBlock = 1 << (8 + 2 * Int(blocks >> 4))
    let hasSize = flags & 0b1000 != 0
    let hasDictionary = flags & 1 != 0
    size = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0)
    guard try input.have(size) else {
      throw place.at(input.end).truncated("it ends within a frame's header")
    }
    if hasDictionary {
      let number = input.number(at: size - 5)
      throw place.unsupported("the frame needs dictionary \(number), but dictionaries are not supported")
    }
    contentSize = hasSize ? UInt64(input.number(at: 6)) | UInt64(input.number(at: 10)) << 32 : nil
    self.place = place
  }

  /// The number of bytes between the last block and the next frame: the end mark and the checksum.
  var endSize: Int { hasContentChecksum ? 8 : 4 }
}

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
        if try seal.passEmptyFrame(LZ4FrameEncoder.emptyFrame, in: input) { continue }
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
