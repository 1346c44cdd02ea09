import ByteStreams

/// Finds the frames of a stream without decoding them: skips skippable frames and verifies the content that a seal declares.
struct FrameSequence {
  enum Frame {
    /// The frame's header is next in the input.
    case standard(FrameHeader)
    /// The frame's magic number has been consumed.
    case legacy(number: Int)
  }

  private static let skippable: UInt32 = 0x184D_2A50
  private let input: CompressedInput
  /// The number of frames so far, including skippable ones.
  private var count = 0
  /// True if the last frame was the empty one that begins a Coffer stream.
  private var isStarting = false
  /// The expected trailer, if the stream must have one.
  private var seal: StreamSeal?

  init(_ input: CompressedInput) { self.input = input }

  /// Returns true if a stream can begin with these four bytes, as a little-endian number.
  static func isMagic(_ number: UInt32) -> Bool {
    number == FrameHeader.magic || number == LegacyDecoder.magic || isSkippable(number)
  }

  private static func isSkippable(_ number: UInt32) -> Bool { number & 0xFFFF_FFF0 == skippable }

  /// Returns the next frame that may have content, or `nil` at the stream's end.
  mutating func next() throws(CofferError) -> Frame? {
    while true {
      let place = LZ4Place(frame: count + 1, offset: input.offset)
      guard try input.have(4) else {
        try end()
        return nil
      }
      let magic = input.number()
      guard Self.isMagic(magic) else {
        throw count == 0 ? Self.notLZ4 : place.corrupt("bytes after the last frame are not LZ4 data")
      }
      count += 1
      if Self.isSkippable(magic) {
        try passSkippable(magic, at: place)
      } else if magic == LegacyDecoder.magic {
        isStarting = false
        if seal != nil { throw place.corrupt("unexpected legacy frame") }
        input.consume(4)
        return .legacy(number: count)
      } else {
        let header = try FrameHeader(in: input, at: place)
        isStarting = false
        if seal == nil, try isEmptyFrame {
          isStarting = true
          input.consume(StreamSeal.emptyFrame.count)
          continue
        }
        if seal != nil, header.contentSize == nil || !header.hasContentChecksum {
          throw place.corrupt("unexpected frame without size or checksum")
        }
        return .standard(header)
      }
    }
  }

  /// Adds a frame that was decoded completely or taken as a whole.
  mutating func add(_ content: LZ4Content) { seal?.add(content) }

  static var notLZ4: CofferError {
    CofferError(.notLZ4, "not LZ4 data: it does not begin with a frame's magic number", at: .init(inputOffset: 0))
  }

  private var isEmptyFrame: Bool {
    get throws(CofferError) {
      let size = StreamSeal.emptyFrame.count
      return try input.have(size) && input.available.prefix(size).elementsEqual(StreamSeal.emptyFrame)
    }
  }

  private func end() throws(CofferError) {
    if count == 0 { throw Self.notLZ4 }
    let end = input.end(in: count + 1)
    if !input.available.isEmpty { throw end.truncated("it ends within a magic number") }
    if isStarting || seal != nil { throw end.truncated("frames or the trailer are missing") }
  }

  private mutating func passSkippable(_ magic: UInt32, at place: LZ4Place) throws(CofferError) {
    let wasStarting = isStarting
    isStarting = false
    guard try input.have(8) else { throw input.end(in: count).truncated("it ends within a skippable frame") }
    let size = Int(input.number(at: 4))
    guard magic == StreamSeal.magic, wasStarting || size <= StreamSeal.largestPayload else {
      guard try input.skip(8 + size) else { throw input.end(in: count).truncated("it ends within a skippable frame") }
      return
    }
    // After the empty frame this number can only be the start mark.
    guard size <= StreamSeal.largestPayload else { throw place.corrupt("the stream's start mark is damaged") }
    guard try input.have(8 + size) else { throw input.end(in: count).truncated("it ends within a skippable frame") }
    let payload = Array(input.available[8..<8 + size])
    input.consume(8 + size)
    switch StreamSeal.payload(payload) {
    case .start where seal == nil: seal = StreamSeal()
    case .start: throw place.corrupt("a start mark within another stream")
    case .trailer:
      guard let seal else { throw place.corrupt("a trailer without a start mark") }
      guard seal.agrees(with: payload) else { throw place.corrupt("frames are missing, duplicated or out of order") }
      self.seal = nil
    case .newer: throw place.unsupported("a newer version of Coffer wrote it")
    case .foreign: if wasStarting { throw place.corrupt("the stream's start mark is damaged") }
    }
  }
}
