import ByteStreams
import CLZ4

/// Decodes successive frames, one block at a time.
///
///     header │ size, block, checksum? │ size, block, checksum? │ … │ 0, content checksum?
///     └─ part ┘└─────── part ────────┘
///
/// The library gets whole parts. It therefore decodes without copying its input, directly into the target if a block fits, and
/// each error belongs to a known part. The content checksum is computed here in half the library's time; see `XXH32`.
///
/// Memory: the library's, two blocks of the size in the header, at most 8 MiB and 128 KiB.
final class FrameDecoder {
  private let context: OpaquePointer
  private var header: FrameHeader?
  /// The number of bytes of the current part that the library has not consumed yet, and the place where the part began.
  private var rest = 0
  private var place = FramePlace(.lz4, frame: 0, offset: 0)
  private var part = Part.header
  /// True if the last call filled its target: the block may have more bytes.
  private var mayHoldBack = false
  private var decoded: UInt64 = 0
  /// The content checksum stored in the frame.
  private var checksum: UInt32 = 0
  private var hash = XXH32()
  /// The header's bytes, and true if a block was passed, so that sizes and checksums of the content don't fit.
  private var headerBytes: [UInt8] = []
  private var lacksBlocks = false
  /// Options for frames whose checksums the library need not verify.
  private var unchecked = coffer_lz4_unchecked()

  private enum Part { case header, block, end }

  init() {
    var context: OpaquePointer?
    let result = LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))
    guard LZ4F_isError(result) == 0, let context else { fatalError("out of memory") }
    self.context = context
  }

  deinit { LZ4F_freeDecompressionContext(context) }

  /// Starts a frame whose header is next in `input`, and discards any previous state.
  func begin(_ header: FrameHeader) {
    LZ4F_resetDecompressionContext(context)
    self.header = header
    rest = header.size
    part = .header
    place = header.place
    mayHoldBack = false
    decoded = 0
    checksum = 0
    hash = XXH32()
    lacksBlocks = false
  }

  /// Passes a block that can't be decoded. Returns false if the following ones depend on it, or if it isn't a block.
  func passBlock(in input: LookaheadInput) throws(CofferError) -> Bool {
    guard let header, header.hasIndependentBlocks, part == .block, rest > 0, try input.have(rest) else { return false }
    input.consume(rest)
    (rest, mayHoldBack, lacksBlocks) = (0, false, true)
    // After an error, the library only accepts a frame's start.
    LZ4F_resetDecompressionContext(context)
    var (written, taken) = (0, headerBytes.count)
    return LZ4F_isError(headerBytes.withUnsafeBytes { decode(into: nil, &written, from: $0.baseAddress, &taken, header) }) == 0
  }

  /// True if the frame was read and consumed completely.
  var isAtEnd: Bool { header == nil }

  /// The content size and checksum of the completed frame.
  var content: FrameContent { FrameContent(size: decoded, checksum: checksum) }

  /// Fills the front of `target`, which is not empty. Returns 0 only at the frame's end, which can also be reached with the last
  /// bytes.
  func read(into target: UnsafeMutableRawBufferPointer, from input: LookaheadInput) throws(CofferError) -> Int {
    guard let header else { return 0 }
    while true {
      if rest == 0, !mayHoldBack { try nextPart(of: header, in: input) }
      var written = target.count
      var taken = rest
      if part == .header { headerBytes = Array(input.available.prefix(rest)) }
      if lacksBlocks, part == .end {
        input.consume(rest)
        (self.header, rest) = (nil, 0)
        return 0
      }
      let result = decode(into: target.baseAddress, &written, from: input.available.baseAddress, &taken, header)
      if LZ4F_isError(result) != 0 { throw error(named: String(cString: LZ4F_getErrorName(result))) }
      input.consume(taken)
      rest -= taken
      decoded += UInt64(written)
      if let size = header.contentSize, decoded > size, !lacksBlocks { throw wrongSize(header) }
      if header.hasContentChecksum { hash.update(UnsafeRawBufferPointer(rebasing: target[..<written])) }
      if result == 0 {
        self.header = nil
        if let size = header.contentSize, decoded != size { throw wrongSize(header) }
        if header.hasContentChecksum, hash.digest != checksum { throw error(named: "ERROR_contentChecksum_invalid") }
      } else if written == 0, taken == 0, !mayHoldBack {
        throw place.corrupt("a block can't be decoded")
      }
      mayHoldBack = written == target.count
      if written > 0 || result == 0 { return written }
    }
  }

  private func decode(
    into target: UnsafeMutableRawPointer?, _ written: inout Int, from source: UnsafeRawPointer?, _ taken: inout Int,
    _ header: FrameHeader
  ) -> Int {
    // Block checksums are left to the library, which verifies all checksums or none.
    if header.hasBlockChecksums { return LZ4F_decompress(context, target, &written, source, &taken, nil) }
    return LZ4F_decompress(context, target, &written, source, &taken, &unchecked)
  }

  /// Makes the whole next part available.
  private func nextPart(of header: FrameHeader, in input: LookaheadInput) throws(CofferError) {
    place = header.place.at(input.offset)
    guard try input.have(4) else {
      throw place.at(input.end).truncated("it ends within a frame")
    }
    let size = input.number()
    if size == 0 {
      part = .end
      rest = header.endSize
    } else {
      part = .block
      let length = Int(size & 0x7FFF_FFFF)
      guard length <= header.largestBlock else {
        throw place.corrupt("a block of \(length) bytes exceeds the header's maximum of \(header.largestBlock)")
      }
      rest = 4 + length + (header.hasBlockChecksums ? 4 : 0)
    }
    guard try input.have(rest) else {
      throw place.at(input.end).truncated("it ends within a frame")
    }
    if part == .end, header.hasContentChecksum { checksum = input.number(at: 4) }
  }

  private func wrongSize(_ header: FrameHeader) -> CofferError {
    place.corrupt("the frame's content does not have the size in its header, \(header.contentSize ?? 0) bytes")
  }

  private func error(named name: String) -> CofferError {
    switch (part, name) {
    case (_, "ERROR_allocation_failed"): fatalError("out of memory")
    case (.header, _): place.corrupt("the header's checksum does not match")
    case (.block, "ERROR_blockChecksum_invalid"): place.corrupt("a block's checksum does not match")
    case (.block, _): place.corrupt("a block can't be decoded")
    case (.end, "ERROR_contentChecksum_invalid"): place.corrupt("the content's checksum does not match")
    case (.end, _): place.corrupt("the frame's content does not have the size in its header")
    }
  }
}

/// Decodes legacy frames, as written by `lz4 -l`: sizes and blocks of at most 8 MiB, up to the end of the stream or the magic
/// number of another frame in place of a size. The format has no checksum and no total size, so a loss at the end is not
/// detected.
///
/// Memory: two blocks, 16 MiB, from the first such frame on.
final class LegacyDecoder {
  static let magic: UInt32 = 0x184C_2102
  private static let blockSize = 8 << 20
  private static let largestCompressed = Int(LZ4_compressBound(CInt(blockSize)))

  private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockSize, alignment: 16)
  /// The part of the block that was decoded but not read.
  private var decoded = 0..<0

  deinit { block.deallocate() }

  /// Fills the front of `target`; 0 only at the frame's end.
  func read(
    into target: UnsafeMutableRawBufferPointer, from input: LookaheadInput, frame: Int
  ) throws(CofferError) -> Int {
    if decoded.isEmpty, try !decodeBlock(from: input, frame: frame) { return 0 }
    let part = decoded.prefix(target.count)
    target.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[part]))
    decoded = decoded.dropFirst(part.count)
    return part.count
  }

  /// Decodes the next block; false at the frame's end.
  private func decodeBlock(from input: LookaheadInput, frame: Int) throws(CofferError) -> Bool {
    let place = FramePlace(.lz4, frame: frame, offset: input.offset)
    guard try input.have(4) else {
      if input.available.isEmpty { return false }
      throw place.at(input.end).truncated("it ends within a block")
    }
    let number = input.number()
    if LZ4Source.isMagic(number) { return false }
    guard number > 0, number <= Self.largestCompressed else {
      throw place.corrupt("a block of \(number) bytes exceeds the format's maximum of \(Self.largestCompressed)")
    }
    let size = Int(number)
    guard try input.have(4 + size) else {
      throw place.at(input.end).truncated("it ends within a block")
    }
    let source = input.available.baseAddress.map { ($0 + 4).assumingMemoryBound(to: CChar.self) }
    let target = block.baseAddress?.assumingMemoryBound(to: CChar.self)
    let count = LZ4_decompress_safe(source, target, CInt(size), CInt(Self.blockSize))
    guard count > 0 else { throw place.corrupt("a block can't be decoded") }
    input.consume(4 + size)
    decoded = 0..<Int(count)
    return true
  }
}
