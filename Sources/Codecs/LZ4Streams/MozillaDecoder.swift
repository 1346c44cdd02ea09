import ByteStreams
import CLZ4

/// Decodes the files that Firefox writes, such as backups of bookmarks: a header, and one block without a checksum.
///
///     "mozLz40", 0 │ size of the content (4) │ block
///
/// Memory: the block and its content, which is limited to 256 MiB.
struct MozillaDecoder {
  /// The first four bytes, as a little-endian number.
  static let magic: UInt32 = 0x4C7A_6F6D
  private static let header = Array("mozLz40\0".utf8)
  private static let limit = 256 << 20

  private var content: [UInt8] = []
  private var position = 0
  private var isDecoded = false

  /// Fills the front of `target`; 0 only at the end.
  mutating func read(
    into target: UnsafeMutableRawBufferPointer, from input: LookaheadInput, at place: FramePlace
  ) throws(CofferError) -> Int {
    if !isDecoded { try decode(input, at: place) }
    let count = min(target.count, content.count - position)
    content.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
    position += count
    if count == 0 { self = MozillaDecoder() }
    return count
  }

  private mutating func decode(_ input: LookaheadInput, at place: FramePlace) throws(CofferError) {
    guard try input.have(12) else { throw place.at(input.end).truncated("it ends within the header") }
    guard input.available.prefix(8).elementsEqual(Self.header) else {
      throw place.corrupt("its header is not that of a file of Firefox")
    }
    let size = Int(input.number(at: 8))
    if size > Self.limit { throw place.unsupported("its content of \(size) bytes exceeds the limit of \(Self.limit)") }
    input.consume(12)
    var count = 1 << 20
    while try input.have(count) {
      if count > Self.limit { throw place.unsupported("its block exceeds the limit of \(Self.limit) bytes") }
      count *= 2
    }
    let block = input.available
    // LZ4 can't expand more.
    guard size <= 255 * block.count else { throw place.at(input.end).truncated("its block is too short for the content") }
    var decoded: Int32 = -1
    content = Array(unsafeUninitializedCapacity: max(1, size)) { target, initialized in
      decoded = target.withMemoryRebound(to: CChar.self) { target in
        LZ4_decompress_safe(
          block.baseAddress?.assumingMemoryBound(to: CChar.self), target.baseAddress, CInt(block.count), CInt(size))
      }
      initialized = decoded == size ? size : 0
    }
    guard decoded == size else { throw place.corrupt("the block can't be decoded") }
    input.consume(block.count)
    isDecoded = true
  }
}
