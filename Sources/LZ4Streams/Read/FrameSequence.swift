import ByteStreams

/// Walks a stream from frame to frame, without decoding any: passes over what is skippable, and sees to it that what a seal promises is there.
struct FrameSequence {
  enum Frame {
    /// Its header lies ahead.
    case standard(FrameHeader)
    /// Its magic number has been passed.
    case legacy(number: Int)
  }

  private static let skippable: UInt32 = 0x184D_2A50
  private let input: CompressedInput
  /// How many frames have been met, skippable ones included.
  private var count = 0
  /// The last frame was the one of zero bytes that begins a stream of Coffer's.
  private var isStarting = false
  /// What the trailer must agree with, where one must come.
  private var seal: StreamSeal?

  init(_ input: CompressedInput) { self.input = input }

  /// Whether a stream that begins with these four bytes, as a little-endian number, is one to read.
  static func isMagic(_ number: UInt32) -> Bool {
    number == FrameHeader.magic || number == LegacyDecoder.magic || isSkippable(number)
  }

  private static func isSkippable(_ number: UInt32) -> Bool { number & 0xFFFF_FFF0 == skippable }

  /// The next frame that may have content; `nil` at the stream's end.
  mutating func next() throws(ByteStreamError) -> Frame? {
    while true {
      let place = LZ4Place(frame: count + 1, offset: input.offset)
      guard try input.have(4) else {
        try end()
        return nil
      }
      let magic = input.number()
      guard Self.isMagic(magic) else {
        throw count == 0 ? Self.notLZ4 : place.corrupt("what follows the last frame is no LZ4 data")
      }
      count += 1
      if Self.isSkippable(magic) {
        try passSkippable(magic, at: place)
      } else if magic == LegacyDecoder.magic {
        isStarting = false
        if seal != nil { throw place.corrupt("a legacy frame stands where none was written") }
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
          throw place.corrupt("a frame without size or checksum stands where none was written")
        }
        return .standard(header)
      }
    }
  }

  /// A frame has been read to its end, or taken as a whole.
  mutating func add(_ content: LZ4Content) { seal?.add(content) }

  static var notLZ4: ByteStreamError {
    ByteStreamError(code: .notLZ4, message: "this is no LZ4 data: it does not begin with the magic number of a frame", offset: 0)
  }

  private var isEmptyFrame: Bool {
    get throws(ByteStreamError) {
      let size = StreamSeal.emptyFrame.count
      return try input.have(size) && input.available.prefix(size).elementsEqual(StreamSeal.emptyFrame)
    }
  }

  private func end() throws(ByteStreamError) {
    if count == 0 { throw Self.notLZ4 }
    let end = input.end(in: count + 1)
    if !input.available.isEmpty { throw end.truncated("it ends within a magic number") }
    if isStarting || seal != nil { throw end.truncated("frames, or the trailer that ends them, are missing") }
  }

  private mutating func passSkippable(_ magic: UInt32, at place: LZ4Place) throws(ByteStreamError) {
    let wasStarting = isStarting
    isStarting = false
    guard try input.have(8) else { throw input.end(in: count).truncated("it ends within a skippable frame") }
    let size = Int(input.number(at: 4))
    guard magic == StreamSeal.magic, wasStarting || size <= StreamSeal.largestPayload else {
      guard try input.skip(8 + size) else { throw input.end(in: count).truncated("it ends within a skippable frame") }
      return
    }
    // Behind the frame of zero bytes this number can mean but one thing.
    guard size <= StreamSeal.largestPayload else { throw place.corrupt("the mark that begins the stream is damaged") }
    guard try input.have(8 + size) else { throw input.end(in: count).truncated("it ends within a skippable frame") }
    let payload = Array(input.available[8..<8 + size])
    input.consume(8 + size)
    switch StreamSeal.payload(payload) {
    case .start where seal == nil: seal = StreamSeal()
    case .start: throw place.corrupt("a stream begins within another")
    case .trailer:
      guard let seal else { throw place.corrupt("a trailer ends frames that have no beginning") }
      guard seal.agrees(with: payload) else { throw place.corrupt("frames are missing, doubled or out of their order") }
      self.seal = nil
    case .newer: throw place.unsupported("a newer version of Coffer wrote it")
    case .foreign: if wasStarting { throw place.corrupt("the mark that begins the stream is damaged") }
    }
  }
}
