public import ByteStreams

/// Zstd data, decoded as it is read (RFC 8878).
///
/// Reads several frames as one document, passes skippable frames, and verifies every checksum and size present; in data that Coffer wrote
/// also the number and the order of the frames (`StreamSeal`). Frames that need a dictionary or more than 128 MiB of memory are refused.
///
/// For example:
///
///     let source = ZstdSource(try FileSource(path: "export.json.zst"))
///     let report = try validator.validate(source, named: "export.json.zst")
///
/// Cost: one pass. Memory: the window that the frame declares, at most 128 MiB; 8 MiB for data that `zstd` wrote with its default level.
///
/// Errors: `zstdCorrupt`, `zstdTruncated`, `zstdUnsupported` with the position in the compressed data, `notZstd`, `limit`, and those of
/// the source.
public final class ZstdSource: ByteSource {
  private let input: LookaheadInput
  private let decoder = ZstdDecoder()
  private var meter: ExpansionMeter
  private var seal = SealCheck()
  package var failure: CofferError?
  /// The number of frames so far, including skippable ones.
  private var frames = 0
  private var header: ZstdFrameHeader?
  private var isAtEnd = false

  /// - Parameters:
  ///   - source: the zstd data.
  ///   - limits: the maximum size of the content.
  public init(_ source: some ByteSource, limits: ExpansionLimits = ExpansionLimits()) {
    input = LookaheadInput(source)
    meter = ExpansionMeter(.zstd, limits)
  }

  /// Returns true if a frame begins with these four bytes, as a little-endian number.
  package static func isMagic(_ number: UInt32) -> Bool { number == ZstdFrameHeader.magic }

  /// The number of compressed bytes decoded so far.
  public var bytesRead: Int { input.offset }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    try readContent(into: buffer)
  }

  private static var notZstd: CofferError {
    CofferError(.notZstd, "not zstd data: it does not begin with a frame's magic number", at: .init(inputOffset: 0))
  }

  /// Begins the next frame with content unless one is open. Returns false at the end of the data.
  package func beginFrame() throws(CofferError) -> Bool {
    while header == nil {
      if isAtEnd { return false }
      let place = FramePlace(.zstd, frame: frames + 1, offset: input.offset)
      guard try input.have(4) else {
        if frames == 0 { throw Self.notZstd }
        try seal.end(of: input, at: place)
        isAtEnd = true
        return false
      }
      let magic = input.number()
      guard Self.isMagic(magic) || SealCheck.isSkippable(magic) else {
        throw frames == 0 ? Self.notZstd : place.corrupt("bytes after the last frame are not zstd data")
      }
      frames += 1
      if SealCheck.isSkippable(magic) {
        try seal.passSkippable(in: input, at: place)
        continue
      }
      if try seal.passEmptyFrame(ZstdCodec.emptyFrame, in: input) { continue }
      let header = try ZstdFrameHeader(in: input, at: place)
      try seal.check(hasSize: header.contentSize != nil, hasChecksum: header.hasChecksum, at: place)
      decoder.begin()
      self.header = header
    }
    return true
  }

  /// Returns 0 only at the end of the frame, which is then closed.
  package func readFrame(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    while let header {
      // The decoder may hold back content for which it needs no more input.
      if !decoder.mayHoldBack, try !input.have(1) {
        throw header.place.at(input.end).truncated("it ends within a frame")
      }
      let start = header.place.at(input.offset)
      let step: ZstdDecoder.Step
      do throws(ZstdDecoder.Failure) { step = try decoder.step(input.available, into: buffer) } catch {
        throw start.corrupt(
          error.isChecksum ? "the content's checksum does not match" : "a block can't be decoded (\(error.name))")
      }
      input.consume(step.consumed)
      try meter.add(step.produced, compressed: input.offset)
      if step.isAtEnd {
        // The library doesn't compare the sizes if the last block is empty.
        if let size = header.contentSize, size != decoder.size {
          throw start.corrupt("the content does not have the size in the frame's header")
        }
        seal.add(FrameContent(size: decoder.size, checksum: decoder.lastBytes))
        self.header = nil
      } else if step.consumed == 0, step.produced == 0, !input.available.isEmpty {
        throw start.corrupt("a block can't be decoded")
      }
      if step.produced > 0 || step.isAtEnd { return step.produced }
    }
    return 0
  }
}

extension ZstdSource: CompressedSource {
  package static var corruption: CofferError.Code { .zstdCorrupt }
  package var isBeforeChecksum: Bool { header?.hasChecksum ?? false }
}
