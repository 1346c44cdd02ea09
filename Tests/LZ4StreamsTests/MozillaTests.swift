import ByteStreams
import LZ4Streams
import StreamDecoding
import TestSupport
import Testing

/// Files that Firefox writes: `.jsonlz4`.
@Suite struct MozillaTests {
  private static let content = Array(#"{"title":"","children":[{"title":"menu"},{"title":"toolbar"},{"title":"menu"}]}"#.utf8)

  /// Returns a file whose block has literals alone.
  private static func file(size: Int = content.count, header: String = "mozLz40\0") -> [UInt8] {
    let rest = content.count - 15
    return Array(header.utf8) + Handmade.number(UInt32(size)) + [0xF0, UInt8(rest)] + content
  }

  @Test func `the content is read in pieces of any size`() {
    for (chunkSize, bufferSize) in [(Int.max, 1 << 16), (1, 1), (7, 10)] {
      #expect(Decoding(Self.file(), chunkSize: chunkSize, bufferSize: bufferSize) == .content(Self.content))
    }
    #expect(Decoding(piecesOf: Self.file()) == .content(Self.content))
  }

  @Test(
    arguments: [
      (file(size: content.count + 1), "lz4-corrupt", "the block can't be decoded"),
      (file(size: content.count - 1), "lz4-corrupt", "the block can't be decoded"),
      (file(size: 1 << 20), "lz4-truncated", "too short"),
      (file(size: 1 << 31), "lz4-unsupported", "exceeds the limit"),
      (file(header: "mozLz41\0"), "lz4-corrupt", "its header"),
      (Array(file().prefix(11)), "lz4-truncated", "within the header"),
      (Array(file().dropLast(1)), "lz4-corrupt", "the block can't be decoded"),
      (file() + [0], "lz4-corrupt", "the block can't be decoded"),
    ] as [([UInt8], String, String)])
  func `a damaged file is an error`(_ bytes: [UInt8], _ code: String, _ words: String) {
    let decoding = Decoding(bytes)
    #expect(decoding.code == code && decoding.message?.contains(words) == true, "\(decoding)")
    #expect(Decoding(bytes, chunkSize: 1, bufferSize: 1).code == code)
  }
}
