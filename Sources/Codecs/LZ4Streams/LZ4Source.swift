public import ByteStreams

/// LZ4 data, decoded as it is read.
///
/// Reads everything that LZ4 Frame Format 1.6.4 allows, except frames that need a dictionary: blocks of every size, linked and
/// independent, with and without checksums, skippable frames, concatenated frames, and legacy frames; and the files that Firefox
/// writes (`.jsonlz4`). Verifies every checksum and size present.
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
  private var frames = FrameSequence(.lz4, emptyFrame: LZ4FrameEncoder.emptyFrame)
  var current: Current?
  var meter: ExpansionMeter
  private let decoder = FrameDecoder()
  private lazy var legacy = LegacyDecoder()
  private var mozilla = MozillaDecoder()
  package var failure: CofferError?
  private var isAtEnd = false
  package var onDamage: ((CofferError) -> Void)?

  /// The current frame.
  enum Current {
    case standard(FrameHeader, isBegun: Bool)
    case legacy(number: Int)
    case mozilla(FramePlace)
  }

  /// - Parameters:
  ///   - source: the LZ4 data.
  ///   - limits: the maximum size of the content.
  public init(_ source: some ByteSource, limits: ExpansionLimits = ExpansionLimits()) {
    input = LookaheadInput(source)
    meter = ExpansionMeter(.lz4, limits)
  }

  /// Returns true if a stream can begin with these four bytes, as a little-endian number.
  package static func isMagic(_ number: UInt32) -> Bool {
    number == FrameHeader.magic || number == LegacyDecoder.magic || number == MozillaDecoder.magic
      || FrameSequence.isSkippable(number)
  }

  private static var notLZ4: CofferError {
    CofferError(.notLZ4, "not LZ4 data: it does not begin with a frame's magic number", at: .init(inputOffset: 0))
  }

  /// The number of compressed bytes decoded so far.
  public var bytesRead: Int { input.offset }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    try readContent(into: buffer)
  }

  package func beginFrame() throws(CofferError) -> Bool {
    if current != nil { return true }
    if isAtEnd { return false }
    input.beginFrame()
    guard let place = try frames.next(in: input, isMagic: Self.isMagic, else: Self.notLZ4) else {
      isAtEnd = true
      return false
    }
    // Skippable frames and Coffer's marks precede it.
    input.beginFrame(marks: onDamage != nil)
    if input.number() == MozillaDecoder.magic {
      current = .mozilla(place)
    } else if input.number() == LegacyDecoder.magic {
      try frames.beginLegacyFrame(at: place)
      input.consume(4)
      current = .legacy(number: place.frame)
    } else {
      let header = try FrameHeader(in: input, at: place)
      try frames.check(hasSize: header.contentSize != nil, hasChecksum: header.hasContentChecksum, at: place)
      current = .standard(header, isBegun: false)
    }
    return true
  }

  package func passDamage() throws(CofferError) -> Bool {
    frames.forgetMarks()
    if case .standard(_, isBegun: true) = current, try decoder.passBlock(in: input) { return true }
    current = nil
    isAtEnd = try !input.passFrame(toStart: 4) { $0.loadUnaligned(as: UInt32.self).littleEndian == FrameHeader.magic }
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
    case .mozilla(let place):
      count = try mozilla.read(into: buffer, from: input, at: place)
      if count == 0 { current = nil }
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

/// Reusable memory for one piece of a stream: filled by the reader, passed to a worker, and reused after the piece is written.
///
/// Fresh memory for each piece would cost as much as decoding it: the system has to clear 1000 pages.
package final class PieceBuffer: @unchecked Sendable {
  // @unchecked: no one uses the buffer after passing it on.
  private let memory: UnsafeMutableRawBufferPointer
  /// The number of bytes filled.
  package internal(set) var count = 0

  /// - Parameter capacity: the required capacity in bytes.
  package init(capacity: Int) { memory = .allocate(byteCount: capacity + Self.spare, alignment: 16) }

  deinit { memory.deallocate() }

  /// Room to read past the declared end: a complete frame leaves it empty, and a frame with a wrong size fills it.
  private static let spare = 64

  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

  /// Returns the unfilled part of the first `length` bytes.
  func rest(upTo length: Int = .max) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[count..<min(length, memory.count)])
  }

  /// Refills the buffer from `source` with `length` bytes, or all if there are fewer, in as many reads as needed.
  package func fill(from source: inout some ByteSource, upTo length: Int) throws(CofferError) {
    precondition(length > 0 && length <= memory.count, "the length exceeds the capacity")
    count = 0
    while count < length {
      let read = try source.read(into: rest(upTo: length))
      if read == 0 { break }
      count += read
    }
  }
}
