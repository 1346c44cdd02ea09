import ByteStreams
import LZ4Streams
import StreamDecoding
import TestSupport
import Testing

/// Headers with false claims are an error with its place, and memory is never allocated for a mere claim.
@Suite struct HostileHeaderTests {
  private static let flags: UInt8 = 0b0110_0000

  @Test(
    arguments: [
      (Handmade.header(flags: flags | 1, blocks: 0x70, dictionary: 77), "lz4-unsupported", "needs dictionary 77"),
      (Handmade.header(flags: flags | 2, blocks: 0x70), "lz4-corrupt", "reserved bits"),
      (Handmade.header(flags: flags, blocks: 0xF0), "lz4-corrupt", "reserved bits"),
      (Handmade.header(flags: flags, blocks: 0x71), "lz4-corrupt", "reserved bits"),
      (Handmade.header(flags: flags, blocks: 0x30), "lz4-corrupt", "has an invalid block size"),
      (Handmade.header(flags: 0b1010_0000, blocks: 0x70), "lz4-corrupt", "version is not 1"),
      (Handmade.header(flags: flags, blocks: 0x40) + Handmade.number(65_537), "lz4-corrupt", "a block of 65537 bytes"),
      (Handmade.header(flags: flags, blocks: 0x70) + Handmade.number(.max), "lz4-corrupt", "a block of 2147483647 bytes"),
      ([0x02, 0x21, 0x4C, 0x18] + Handmade.number(0x7FFF_FFFF), "lz4-corrupt", "a block of 2147483647 bytes"),
      ([0x02, 0x21, 0x4C, 0x18] + Handmade.number(0), "lz4-corrupt", "a block of 0 bytes"),
      (Handmade.number(0x184D_2A51) + Handmade.number(.max) + [0], "lz4-truncated", "within a skippable frame"),
      ([0x50, 0x2A, 0x4D, 0x18, 0], "lz4-truncated", "within a skippable frame"),
      (Array("{\"a\": 1}".utf8), "not-lz4", "not LZ4 data"),
      ([], "not-lz4", "not LZ4 data"),
    ] as [([UInt8], String, String)])
  func `a hostile header is an error with its code`(bytes: [UInt8], code: String, words: String) {
    let decoding = Decoding(bytes)
    #expect(decoding.code == code)
    #expect(decoding.message?.contains(words) == true, "\(decoding)")
    #expect(Decoding(bytes, chunkSize: 1, bufferSize: 1) == decoding)
    #expect(Decoding(piecesOf: bytes) == decoding)
  }

  @Test(arguments: [0, 1, 4, 6, 4 << 20, 1 << 40, UInt64.max])
  func `a wrong content size is an error`(size: UInt64) {
    let header = Handmade.header(flags: Self.flags | 0b1000, blocks: 0x70, size: size)
    let decoding = Decoding(header + Handmade.stored([1, 2, 3, 4, 5]) + Handmade.endMark)
    #expect(decoding.code == "lz4-corrupt")
    #expect(decoding.message?.contains("does not have the size in its header") == true)
    #expect(Decoding(piecesOf: header + Handmade.stored([1, 2, 3, 4, 5]) + Handmade.endMark) == decoding)
  }

  @Test func `a correct content size is accepted`() {
    let frame =
      Handmade.header(flags: Self.flags | 0b1000, blocks: 0x70, size: 5) + Handmade.stored([1, 2, 3, 4, 5]) + Handmade.endMark
    #expect(Decoding(frame) == .content([1, 2, 3, 4, 5]))
    #expect(Decoding(piecesOf: frame) == .content([1, 2, 3, 4, 5]))
  }

  /// The blocks are too large to be handed to a worker, though the content is small: they are decoded while reading.
  @Test(arguments: [nil, 3] as [UInt64?])
  func `many blocks without content are read to the end`(size: UInt64?) {
    let header = Handmade.header(flags: Self.flags | (size == nil ? 0 : 0b1000), blocks: 0x70, size: size)
    // A token without literals that ends the block.
    let empty = Handmade.stored([]) + Handmade.number(1) + [0]
    let blocks = repeatElement(empty, count: 30_000).reduce(into: [], +=)
    let frame = header + blocks + Handmade.stored([1, 2, 3]) + Handmade.endMark
    #expect(Decoding(frame) == .content([1, 2, 3]))
    #expect(Decoding(piecesOf: frame) == .content([1, 2, 3]))
  }

  /// A skippable frame of 300 MiB is skipped in constant memory, one buffer at a time.
  @Test func `a large skippable frame is ignored`() {
    var start = Handmade.number(0x184D_2A53) + Handmade.number(300 << 20)
    start += [UInt8](repeating: 7, count: 100)
    var source = LZ4Source(
      PaddedSource(start: start, padding: 300 << 20 - 100, end: Sample.small.stream))
    #expect(Decoding(&source, bufferSize: 1 << 16) == .content(Sample.small.content))
  }

  @Test func `a failed source fails again with the same error`() {
    var source = LZ4Source(MemorySource(Handmade.header(flags: Self.flags, blocks: 0x70)))
    let first = Decoding(&source, bufferSize: 10)
    #expect(first.code == "lz4-truncated")
    #expect(Decoding(&source, bufferSize: 10) == first)
  }

  @Test func `errors of the source are passed on`() {
    for count in 0..<Sample.small.stream.count {
      var source = LZ4Source(FailingSource(Array(Sample.small.stream.prefix(count))))
      #expect(Decoding(&source, bufferSize: 100).code == "input-output")
    }
  }
}

/// A source with zeros between two runs of bytes.
private struct PaddedSource: ByteSource {
  private var start: MemorySource
  private var padding: Int
  private var end: MemorySource

  init(start: [UInt8], padding: Int, end: [UInt8]) {
    self.start = MemorySource(start)
    self.padding = padding
    self.end = MemorySource(end)
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(CofferError) -> Int {
    let count = try start.read(into: buffer)
    if count > 0 { return count }
    if padding == 0 { return try end.read(into: buffer) }
    let part = min(padding, buffer.count)
    UnsafeMutableRawBufferPointer(rebasing: buffer[..<part]).initializeMemory(as: UInt8.self, repeating: 0)
    padding -= part
    return part
  }
}
