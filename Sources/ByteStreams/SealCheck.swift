/// Passes the skippable frames of a stream, and verifies the seal in them: see ``StreamSeal``.
package struct SealCheck: Sendable {
  /// True if the last frame was the empty one that begins a stream of Coffer's.
  private var isStarting = false
  /// The expected trailer, if the stream must have one.
  private var seal: StreamSeal?

  package init() {}

  package static func isSkippable(_ magic: UInt32) -> Bool { magic & 0xFFFF_FFF0 == 0x184D_2A50 }

  /// True between the start mark and the trailer: each frame must have its size and checksum.
  package var isSealed: Bool { seal != nil }

  /// Notes the empty frame that begins a stream of Coffer's.
  package mutating func passEmptyFrame() { isStarting = true }

  /// Notes that a frame with content begins.
  package mutating func beginFrame() { isStarting = false }

  /// Adds a frame that was read completely.
  package mutating func add(_ content: FrameContent) { seal?.add(content) }

  /// Checks that the stream may end here.
  package func end(at place: FramePlace) throws(CofferError) {
    if isStarting || seal != nil { throw place.truncated("frames or the trailer are missing") }
  }

  /// Passes a skippable frame, whose magic number is next in `input`.
  package mutating func passSkippable(in input: LookaheadInput, at place: FramePlace, _ format: CompressionFormat)
    throws(CofferError)
  {
    let magic = input.number()
    let wasStarting = isStarting
    isStarting = false
    func truncated() -> CofferError {
      FramePlace(format, frame: place.frame, offset: input.end).truncated("it ends within a skippable frame")
    }
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
