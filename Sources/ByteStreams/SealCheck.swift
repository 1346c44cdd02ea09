/// Passes the skippable frames of a stream, and verifies the seal in them: see ``StreamSeal``.
package struct SealCheck: Sendable {
  /// True if the last frame was the empty one that begins a stream of Coffer's.
  private var isStarting = false
  /// The expected trailer, if the stream must have one.
  private var seal: StreamSeal?

  package init() {}

  package static func isSkippable(_ magic: UInt32) -> Bool { magic & 0xFFFF_FFF0 == 0x184D_2A50 }

  /// True between the start mark and the trailer.
  package var isSealed: Bool { seal != nil }

  /// Passes the empty frame that begins a stream of Coffer's. Returns false if another frame is next.
  package mutating func passEmptyFrame(_ frame: [UInt8], in input: LookaheadInput) throws(CofferError) -> Bool {
    isStarting = false
    guard !isSealed, try input.have(frame.count), input.available.prefix(frame.count).elementsEqual(frame) else { return false }
    input.consume(frame.count)
    isStarting = true
    return true
  }

  /// Notes that a legacy frame begins.
  package mutating func beginLegacyFrame(at place: FramePlace) throws(CofferError) {
    isStarting = false
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
  package func end(of input: LookaheadInput, at place: FramePlace) throws(CofferError) {
    let place = place.at(input.end)
    if !input.available.isEmpty { throw place.truncated("it ends within a magic number") }
    if isStarting || seal != nil { throw place.truncated("frames or the trailer are missing") }
  }

  /// Passes a skippable frame, whose magic number is next in `input`.
  package mutating func passSkippable(in input: LookaheadInput, at place: FramePlace) throws(CofferError) {
    let magic = input.number()
    let wasStarting = isStarting
    isStarting = false
    func truncated() -> CofferError { place.at(input.end).truncated("it ends within a skippable frame") }
    guard try input.have(8) else { throw truncated() }
    let size = Int(input.number(at: 4))
    guard magic == StreamSeal.magic, wasStarting || size <= StreamSeal.largestPayload else {
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
