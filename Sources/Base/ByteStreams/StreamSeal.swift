/// The frames around those that Coffer writes, which detect a stream of LZ4 or zstd frames that was truncated between two frames.
///
///     an empty frame, by which tools recognise the format       it differs from the empty frame that `lz4` or `zstd` writes
///     5C 2A 4D 18 │ 08 00 00 00 │ "coffer<1"                    skippable: frames follow, a trailer ends them
///     frame │ frame │ frame …                                   each with its content's size and checksum
///     5C 2A 4D 18 │ 20 00 00 00 │ "coffer>1" │ frames │ bytes │ fold      skippable; three numbers of 8 bytes, little-endian
///
/// `frames` and `bytes` count the frames and their content. `fold` is the 64-bit FNV-1a hash of the frames' content checksums, 4
/// bytes each as stored in the stream, in order: a lost, duplicated or moved frame changes it.
///
/// LZ4 Frame Format 1.6.4 and RFC 8878 (3.1.2) share these skippable frames, and other programs skip them. If the empty frame is the
/// only one, the rest was lost.
package struct StreamSeal: Sendable {
  package init() {}

  /// The last byte is the version.
  private static let startTag = Array("coffer<1".utf8)
  private static let trailerTag = Array("coffer>1".utf8)
  /// One of the sixteen magic numbers of skippable frames.
  static let magic: UInt32 = 0x184D_2A5C
  /// The largest payload of Coffer's skippable frames, in bytes.
  package static let largestPayload = 32

  /// The mark between the empty frame and the first other frame.
  package static let start: [UInt8] = skippable(startTag)

  package static func skippable(_ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: magic)
    bytes.append(littleEndian: UInt32(payload.count))
    return bytes + payload
  }

  // MARK: The count

  private var frames: UInt64 = 0
  private var bytes: UInt64 = 0
  private var fold: UInt64 = 0xCBF2_9CE4_8422_2325

  package mutating func add(_ content: FrameContent) {
    frames &+= 1
    bytes &+= content.size
    var rest = content.checksum
    for _ in 0..<4 {
      fold = (fold ^ UInt64(rest & 0xFF)) &* 0x0000_0100_0000_01B3
      rest >>= 8
    }
  }

  /// The bytes after the frames that were added.
  package var trailer: [UInt8] { Self.skippable(trailerPayload) }

  private var trailerPayload: [UInt8] {
    var payload = Self.trailerTag
    for number in [frames, bytes, fold] { payload.append(littleEndian: number) }
    return payload
  }

  // MARK: Reading

  /// The meaning of a skippable frame's payload.
  enum Payload { case start, trailer, newer, foreign }

  static func payload(_ bytes: [UInt8]) -> Payload {
    if bytes == startTag { return .start }
    if bytes.starts(with: trailerTag) { return .trailer }
    let isOurs = bytes.starts(with: startTag.dropLast()) || bytes.starts(with: trailerTag.dropLast())
    return isOurs ? .newer : .foreign
  }

  /// Returns true if the trailer matches the frames counted.
  func agrees(with payload: [UInt8]) -> Bool { payload == trailerPayload }
}

/// The content size and checksum declared by a frame.
package struct FrameContent: Sendable, Hashable {
  package let size: UInt64
  /// The last four bytes of the frame.
  package let checksum: UInt32

  package init(size: UInt64, checksum: UInt32) {
    self.size = size
    self.checksum = checksum
  }
}

/// Finds the frames of LZ4 or zstd data: passes skippable ones, and verifies the seal in them, see ``StreamSeal``.
package struct FrameSequence: Sendable {
  private let format: CompressionFormat
  private let emptyFrame: [UInt8]
  /// The number of frames so far, including skippable ones.
  private var count = 0
  /// True if the last frame was the empty one that begins a stream of Coffer's.
  private var isStarting = false
  /// The expected trailer, if the stream must have one.
  private var seal: StreamSeal?
  private var ignoresMarks = false

  /// - Parameter emptyFrame: the one that begins a stream of Coffer's.
  package init(_ format: CompressionFormat, emptyFrame: [UInt8]) {
    self.format = format
    self.emptyFrame = emptyFrame
  }

  /// Forgets Coffer's marks, which no longer agree with the frames, because some are damaged.
  package mutating func forgetMarks() {
    seal = nil
    isStarting = false
    ignoresMarks = true
  }

  package static func isSkippable(_ magic: UInt32) -> Bool { magic & 0xFFFF_FFF0 == 0x184D_2A50 }

  /// True between the start mark and the trailer.
  private var isSealed: Bool { seal != nil }

  /// Returns the place of the next frame that may have content, whose magic number is next in the input, or `nil` at the end.
  ///
  /// - Parameters:
  ///   - isMagic: true for a magic number of the format's own.
  ///   - foreign: the error for data of another format.
  package mutating func next(
    in input: LookaheadInput, isMagic: (UInt32) -> Bool, else foreign: CofferError
  ) throws(CofferError) -> FramePlace? {
    while true {
      let place = FramePlace(format, frame: count + 1, offset: input.offset)
      guard try input.have(4) else {
        if count == 0 { throw foreign }
        try end(of: input, at: place)
        return nil
      }
      let magic = input.number()
      guard isMagic(magic) || Self.isSkippable(magic) else {
        throw count == 0 ? foreign : place.corrupt("bytes after the last frame are not \(format.name) data")
      }
      count += 1
      if Self.isSkippable(magic) {
        try passSkippable(in: input, at: place)
        continue
      }
      isStarting = false
      guard !isSealed, try input.have(emptyFrame.count), input.available.prefix(emptyFrame.count).elementsEqual(emptyFrame) else {
        return place
      }
      input.consume(emptyFrame.count)
      isStarting = true
    }
  }

  /// Notes that a legacy frame begins.
  package func beginLegacyFrame(at place: FramePlace) throws(CofferError) {
    if isSealed { throw place.corrupt("unexpected legacy frame") }
  }

  /// Checks the header of the next frame: between the marks, each frame has its size and checksum.
  package func check(hasSize: Bool, hasChecksum: Bool, at place: FramePlace) throws(CofferError) {
    if isSealed, !hasSize || !hasChecksum { throw place.corrupt("unexpected frame without size or checksum") }
  }

  /// Adds a frame that was read completely.
  package mutating func add(_ content: FrameContent) { seal?.add(content) }

  /// Checks that the stream may end here, after less than a magic number.
  ///
  /// - Parameter place: that of the frame that would be next.
  private func end(of input: LookaheadInput, at place: FramePlace) throws(CofferError) {
    let place = place.at(input.end)
    if !input.available.isEmpty { throw place.truncated("it ends within a magic number") }
    if isStarting || seal != nil { throw place.truncated("frames or the trailer are missing") }
  }

  /// Passes a skippable frame, whose magic number is next in `input`.
  private mutating func passSkippable(in input: LookaheadInput, at place: FramePlace) throws(CofferError) {
    let magic = input.number()
    let wasStarting = isStarting
    isStarting = false
    func truncated() -> CofferError { place.at(input.end).truncated("it ends within a skippable frame") }
    guard try input.have(8) else { throw truncated() }
    let size = Int(input.number(at: 4))
    guard magic == StreamSeal.magic, !ignoresMarks, wasStarting || size <= StreamSeal.largestPayload else {
      guard try input.skip(8 + size) else { throw truncated() }
      return
    }
    // After the empty frame this number can only be the start mark.
    guard size <= StreamSeal.largestPayload else { throw place.corrupt("the stream's start mark is damaged") }
    guard try input.have(8 + size) else { throw truncated() }
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
