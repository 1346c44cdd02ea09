import ByteStreams

/// The header before a frame's first block (LZ4 Frame Format 1.6.4, "Frame Descriptor").
///
///     magic (4) │ FLG │ BD │ content size (8, if FLG says so) │ dictionary (4, if FLG says so) │ HC
///
///     FLG  7 6: version 01 │ 5: independent blocks │ 4: block checksums │ 3: content size │ 2: content checksum
///          1: reserved │ 0: dictionary
///     BD   7: reserved │ 6 5 4: the largest block, 4 to 7 for 64 KiB to 4 MiB │ 3 2 1 0: reserved
struct FrameHeader: Sendable {
  static let magic: UInt32 = 0x184D_2204

  let place: FramePlace
  /// The size in bytes.
  let size: Int
  let largestBlock: Int
  let hasIndependentBlocks: Bool
  let hasBlockChecksums: Bool
  let hasContentChecksum: Bool
  /// The content size that the frame declares.
  let contentSize: UInt64?

  /// Reads the next header including its magic number, without consuming it.
  ///
  /// The decoder verifies the header checksum.
  init(in input: LookaheadInput, at place: FramePlace) throws(CofferError) {
    guard try input.have(7) else {
      throw place.at(input.end).truncated("it ends within a frame's header")
    }
    let flags = input.available[4]
    let blocks = input.available[5]
    guard flags >> 6 == 1 else { throw place.corrupt("the frame's version is not 1") }
    guard flags & 0b10 == 0, blocks & 0b1000_1111 == 0 else { throw place.corrupt("the frame's header has reserved bits set") }
    guard blocks >> 4 >= 4 else { throw place.corrupt("the frame's header has an invalid block size") }
    hasIndependentBlocks = flags & 0b10_0000 != 0
    hasBlockChecksums = flags & 0b1_0000 != 0
    hasContentChecksum = flags & 0b100 != 0
    largestBlock = 1 << (8 + 2 * Int(blocks >> 4))
    let hasSize = flags & 0b1000 != 0
    let hasDictionary = flags & 1 != 0
    size = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0)
    guard try input.have(size) else {
      throw place.at(input.end).truncated("it ends within a frame's header")
    }
    if hasDictionary {
      let number = input.number(at: size - 5)
      throw place.unsupported("the frame needs dictionary \(number), but dictionaries are not supported")
    }
    contentSize = hasSize ? UInt64(input.number(at: 6)) | UInt64(input.number(at: 10)) << 32 : nil
    self.place = place
  }

  /// The number of bytes between the last block and the next frame: the end mark and the checksum.
  var endSize: Int { hasContentChecksum ? 8 : 4 }
}
