public import ByteStreams
import CZstd

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
  private var frames = FrameSequence(.zstd, emptyFrame: ZstdFrameEncoder.emptyFrame)
  package var failure: CofferError?
  private var header: ZstdFrameHeader?
  private var isAtEnd = false
  package var onDamage: ((CofferError) -> Void)?

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
    if header != nil { return true }
    if isAtEnd { return false }
    input.beginFrame()
    guard let place = try frames.next(in: input, isMagic: Self.isMagic, else: Self.notZstd) else {
      isAtEnd = true
      return false
    }
    // Skippable frames and Coffer's marks precede it.
    input.beginFrame(marks: onDamage != nil)
    let header = try ZstdFrameHeader(in: input, at: place)
    try frames.check(hasSize: header.contentSize != nil, hasChecksum: header.hasChecksum, at: place)
    decoder.begin()
    self.header = header
    return true
  }

  package func passDamage() throws(CofferError) -> Bool {
    header = nil
    frames.forgetMarks()
    isAtEnd = try !input.passFrame(toStart: 4) { Self.isMagic($0.loadUnaligned(as: UInt32.self).littleEndian) }
    return !isAtEnd
  }

  /// Returns 0 only at the end of the frame, which is then closed.
  package func readFrame(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    while let header {
      // The decoder may hold back content for which it needs no more input.
      if !decoder.mayHoldBack, try !input.have(1) {
        throw header.place.at(input.end).truncated("it ends within a frame")
      }
      let start = header.place.at(input.offset)
      // The library drops what it has decoded before an error in the same step, so that a step must not have two blocks.
      let part = onDamage == nil ? input.available : UnsafeRawBufferPointer(rebasing: input.available.prefix(decoder.nextSize))
      let step: ZstdDecoder.Step
      do throws(ZstdDecoder.Failure) { step = try decoder.step(part, into: buffer) } catch {
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
        frames.add(FrameContent(size: decoder.size, checksum: decoder.lastBytes))
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

/// Decodes frame after frame; the only owner of libzstd's context for it.
final class ZstdDecoder {
  private let context: OpaquePointer
  /// True if the last call filled its target: the context may have more content.
  private(set) var mayHoldBack = false
  /// The size of the content since the frame began.
  private(set) var size: UInt64 = 0
  /// The last four bytes consumed, as a little-endian number: the checksum, at the end of a frame that has one.
  private(set) var lastBytes: UInt32 = 0
  /// The number of compressed bytes up to the end of the next block.
  private(set) var nextSize = ZstdDecoder.headerSize

  private static let headerSize = 18

  init() {
    guard let context = ZSTD_createDCtx() else { fatalError("out of memory") }
    self.context = context
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, CInt(ZstdFrameHeader.largestWindowLog))
  }

  deinit { ZSTD_freeDCtx(context) }

  struct Step {
    let consumed: Int
    let produced: Int
    /// True if the frame ended, with the last byte consumed.
    let isAtEnd: Bool
  }

  struct Failure: Error {
    let isChecksum: Bool
    /// The library's name of the error.
    let name: String
  }

  /// Begins a frame, and discards any previous state.
  func begin() {
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only)
    mayHoldBack = false
    size = 0
    nextSize = Self.headerSize
  }

  /// Decodes the next bytes of the frame.
  func step(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) throws(Failure) -> Step {
    var input = ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
    var output = ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
    let result = ZSTD_decompressStream(context, &output, &input)
    if ZSTD_isError(result) != 0 {
      let code = ZSTD_getErrorCode(result)
      if code == ZSTD_error_memory_allocation { fatalError("out of memory") }
      throw Failure(isChecksum: code == ZSTD_error_checksum_wrong, name: String(cString: ZSTD_getErrorName(result)).lowercased())
    }
    for byte in source.prefix(input.pos).suffix(4) { lastBytes = lastBytes >> 8 | UInt32(byte) << 24 }
    size += UInt64(output.pos)
    mayHoldBack = output.pos == output.size
    nextSize = max(1, result)
    return Step(consumed: input.pos, produced: output.pos, isAtEnd: result == 0)
  }
}

/// The header before a frame's first block (RFC 8878, 3.1.1.1).
///
///     magic (4) │ descriptor │ window? │ dictionary (0 to 4) │ content size (0 to 8) │
///
///     descriptor  7 6: length of the content size │ 5: single segment, without a window │ 3: reserved │ 2: checksum │ 1 0: length of the dictionary
struct ZstdFrameHeader {
  static let magic: UInt32 = 0xFD2F_B528
  /// The largest window, for which the decoder needs as much memory: the default of the `zstd` program.
  static let largestWindowLog = 27

  let place: FramePlace
  let hasChecksum: Bool
  let contentSize: UInt64?

  /// Reads the next header including its magic number, without consuming it.
  init(in input: LookaheadInput, at place: FramePlace) throws(CofferError) {
    self.place = place
    func truncated() -> CofferError {
      place.at(input.end).truncated("it ends within a frame's header")
    }
    guard try input.have(5) else { throw truncated() }
    let descriptor = input.available[4]
    guard descriptor & 0b1000 == 0 else { throw place.corrupt("the frame's header has reserved bits set") }
    hasChecksum = descriptor & 0b100 != 0
    let isSingle = descriptor & 0b10_0000 != 0
    let windowLength = isSingle ? 0 : 1
    let dictionaryLength = [0, 1, 2, 4][Int(descriptor & 0b11)]
    let sizeLength = [isSingle ? 1 : 0, 2, 4, 8][Int(descriptor >> 6)]
    guard try input.have(5 + windowLength + dictionaryLength + sizeLength) else { throw truncated() }
    let dictionary = input.available.littleEndian(at: 5 + windowLength, count: dictionaryLength)
    guard dictionary == 0 else {
      throw place.unsupported("the frame needs dictionary \(dictionary), but dictionaries are not supported")
    }
    let size = input.available.littleEndian(at: 5 + windowLength + dictionaryLength, count: sizeLength)
    contentSize = sizeLength == 0 ? nil : size + (sizeLength == 2 ? 256 : 0)
    let window = isSingle ? size : Self.window(input.available[5])
    guard window <= (1 as UInt64) << UInt64(Self.largestWindowLog) else {
      let size = window >> 20 + (window % (1 << 20) == 0 ? 0 : 1)
      throw place.unsupported(
        """
        the frame needs \(size) MiB of memory, more than \(1 << (Self.largestWindowLog - 20)) MiB; compress it without --long, \
        or decompress it first (zstd -dc --memory=\(size)MB FILE | coffer … -)
        """)
    }
  }

  private static func window(_ descriptor: UInt8) -> UInt64 {
    let base: UInt64 = 1 << UInt64(10 + descriptor >> 3)
    let eighths = UInt64(descriptor & 7)
    return base + base / 8 * eighths
  }
}

extension CofferError.Code {
  /// The input does not begin like zstd data.
  public static let notZstd = Self(rawValue: "not-zstd")
  /// Corrupt zstd data: a checksum mismatch, a wrong size, a missing frame.
  public static let zstdCorrupt = Self(rawValue: "zstd-corrupt")
  /// Truncated zstd data.
  public static let zstdTruncated = Self(rawValue: "zstd-truncated")
  /// Zstd data without a detected defect that needs a dictionary or more memory than Coffer gives it.
  public static let zstdUnsupported = Self(rawValue: "zstd-unsupported")
}
