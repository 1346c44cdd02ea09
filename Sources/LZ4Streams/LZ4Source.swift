public import ByteStreams

/// LZ4 data, decoded as it is read.
///
/// Reads everything that LZ4 Frame Format 1.6.4 allows, except frames that need a dictionary: blocks of every size, linked and
/// independent, with and without checksums, skippable frames, concatenated frames, and legacy frames. Verifies every checksum and
/// size present.
///
/// For example:
///
///     let source = LZ4Source(try FileSource(path: "export.json.lz4"))
///     let report = try validator.validate(source, named: "export.json.lz4")
///
/// Cost: one pass. Memory: about 12 MiB for blocks of 4 MiB, the largest size, and 16 MiB more for legacy frames, whatever the
/// headers claim.
///
/// Errors: `lz4Corrupt`, `lz4Truncated`, `lz4Unsupported` with the position in the compressed stream, `notLZ4`, `limit`, and those of
/// the source.
public final class LZ4Source: ByteSource {
  let input: LookaheadInput
  var frames: FrameSequence
  var current: Current?
  var meter: ExpansionMeter
  private let decoder = FrameDecoder()
  private lazy var legacy = LegacyDecoder()
  package var failure: CofferError?
  private var isAtEnd = false

  /// The current frame.
  enum Current {
    case standard(FrameHeader, isBegun: Bool)
    case legacy(number: Int)
  }

  /// - Parameters:
  ///   - source: the LZ4 data.
  ///   - limits: the maximum size of the content.
  public init(_ source: some ByteSource, limits: ExpansionLimits = ExpansionLimits()) {
    input = LookaheadInput(source)
    frames = FrameSequence(input)
    meter = ExpansionMeter(.lz4, limits)
  }

  /// Returns true if a stream can begin with these four bytes, as a little-endian number.
  package static func isMagic(_ number: UInt32) -> Bool { FrameSequence.isMagic(number) }

  /// The number of compressed bytes decoded so far.
  public var bytesRead: Int { input.offset }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    try readContent(into: buffer)
  }

  package func beginFrame() throws(CofferError) -> Bool {
    if current != nil { return true }
    if isAtEnd { return false }
    switch try frames.next() {
    case .standard(let header): current = .standard(header, isBegun: false)
    case .legacy(let number): current = .legacy(number: number)
    case nil: isAtEnd = true
    }
    return !isAtEnd
  }

  package func readFrame(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    var count = 0
    switch current {
    case .standard(let header, let isBegun):
      if !isBegun {
        decoder.begin(header)
        current = .standard(header, isBegun: true)
      }
      count = try decoder.read(into: buffer, from: input)
      if decoder.isAtEnd {
        frames.add(decoder.content)
        current = nil
      }
    case .legacy(let number):
      count = try legacy.read(into: buffer, from: input, frame: number)
      if count == 0 { current = nil }
    case nil: break
    }
    try meter.add(count, compressed: input.offset)
    return count
  }
}

extension LZ4Source: CompressedSource {
  package static var corruption: CofferError.Code { .lz4Corrupt }

  /// Checksums of blocks are verified before a block is returned, so only that of the frame's content can still show damage.
  package var isBeforeChecksum: Bool {
    if case .standard(let header, _) = current { header.hasContentChecksum } else { false }
  }
}
