import ByteStreams

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
    func number(at start: Int, length: Int) -> UInt64 {
      (0..<length).reduce(0) { $0 | UInt64(input.available[start + $1]) << UInt64(8 * $1) }
    }
    let dictionary = number(at: 5 + windowLength, length: dictionaryLength)
    guard dictionary == 0 else {
      throw place.unsupported("the frame needs dictionary \(dictionary), but dictionaries are not supported")
    }
    let size = number(at: 5 + windowLength + dictionaryLength, length: sizeLength)
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
