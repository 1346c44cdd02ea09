import ByteStreams
import CLZ4

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
    if FrameSequence.isMagic(number) { return false }
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
