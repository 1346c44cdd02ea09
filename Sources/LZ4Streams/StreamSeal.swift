import ByteStreams

/// The frames around those that Coffer writes, which detect a stream that was truncated between two frames.
///
///     04 22 4D 18 │ 68 40 │ 0 (8 bytes) │ 05 │ 00 00 00 00      an empty frame, by which tools recognise LZ4
///     5C 2A 4D 18 │ 08 00 00 00 │ "coffer<1"                    skippable: frames follow, a trailer ends them
///     frame │ frame │ frame …                                   each with its content's size and checksum
///     5C 2A 4D 18 │ 20 00 00 00 │ "coffer>1" │ frames │ bytes │ fold      skippable; three numbers of 8 bytes, little-endian
///
/// `frames` and `bytes` count the frames and their content. `fold` is the 64-bit FNV-1a hash of the frames' content checksums, 4
/// bytes each as stored in the stream, in order: a lost, duplicated or moved frame changes it.
///
/// The specification (LZ4 Frame Format 1.6.4, "Skippable frames") recommends the empty frame; all other programs skip skippable
/// frames. The empty frame has a content size, which `lz4` omits for an empty file: if it is the only frame, the rest was lost.
struct StreamSeal {
  static let emptyFrame: [UInt8] = [
    0x04, 0x22, 0x4D, 0x18, 0x68, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0x05, 0, 0, 0, 0,
  ]
  /// The last byte is the version.
  private static let startTag = Array("coffer<1".utf8)
  private static let trailerTag = Array("coffer>1".utf8)
  /// One of the sixteen magic numbers of skippable frames.
  static let magic: UInt32 = 0x184D_2A5C
  /// The largest payload of Coffer's skippable frames, in bytes.
  static let largestPayload = 32

  /// The bytes before the first frame.
  static let start: [UInt8] = emptyFrame + skippable(startTag)

  private static func skippable(_ payload: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: magic)
    bytes.append(littleEndian: UInt32(payload.count))
    return bytes + payload
  }

  // MARK: The count

  private var frames: UInt64 = 0
  private var bytes: UInt64 = 0
  private var fold: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ content: LZ4Content) {
    frames &+= 1
    bytes &+= content.size
    var rest = content.checksum
    for _ in 0..<4 {
      fold = (fold ^ UInt64(rest & 0xFF)) &* 0x0000_0100_0000_01B3
      rest >>= 8
    }
  }

  /// The bytes after the frames that were added.
  var trailer: [UInt8] { Self.skippable(trailerPayload) }

  private var trailerPayload: [UInt8] {
    var payload = Self.trailerTag
    for number in [frames, bytes, fold] { payload.append(littleEndian: number) }
    return payload
  }

  // MARK: Reading

  /// The meaning of a skippable frame's payload.
  enum Payload { case start, trailer, newer, foreign }

  static func payload(_ bytes: [UInt8]) -> Payload {
    if bytes == startTag { return .start }
    if bytes.starts(with: trailerTag) { return .trailer }
    let isOurs = bytes.starts(with: startTag.dropLast()) || bytes.starts(with: trailerTag.dropLast())
    return isOurs ? .newer : .foreign
  }

  /// Returns true if the trailer matches the frames counted.
  func agrees(with payload: [UInt8]) -> Bool { payload == trailerPayload }
}

/// The content size and checksum declared by a frame.
struct LZ4Content: Sendable, Hashable {
  let size: UInt64
  /// XXH32 of the content: the last four bytes of the frame.
  let checksum: UInt32
}
