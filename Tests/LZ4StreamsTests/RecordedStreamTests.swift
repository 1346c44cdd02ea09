import Foundation
import StreamDecoding
import Testing

/// Recorded output of `lz4` 1.9.4, for machines without it: `ProgramTests` run it.
@Suite struct RecordedStreamTests {
  private static let content = (0..<12).map { "Coffer reads what lz4 writes, line \($0).\n" }.joined()

  private static let linked = [
    "BCJNGGRAp2MAAAD/F0NvZmZlciByZWFkcyB3aGF0IGx6NCB3cml0ZXMsIGxpbmUgMC4KJgAQHzEmABIfMiYAEh8zJgASHzQmABIfNSYAEh82JgASHzcmABIfOCYAEh85JgASHzF9",
    "ARJQIDExLgoAAAAACrPYEQ==",
  ].joined()

  static let streams: [String: String] = [
    "lz4 -1": linked,
    "lz4 -9 -B4 -BX": [
      "BCJNGHRAvWIAAAD/F0NvZmZlciByZWFkcyB3aGF0IGx6NCB3cml0ZXMsIGxpbmUgMC4KJgAQHzEmABIfMiYAEh8zJgASHzQmABIfNSYAEh82JgASHzcmABIfOCYAEh85VgETD30B",
      "ElAgMTEuCq5D/oIAAAAACrPYEQ==",
    ].joined(),
    "lz4 --content-size --no-frame-crc": [
      "BCJNGGhAygEAAAAAAAALYwAAAP8XQ29mZmVyIHJlYWRzIHdoYXQgbHo0IHdyaXRlcywgbGluZSAwLgomABAfMSYAEh8yJgASHzMmABIfNCYAEh81JgASHzYmABIfNyYAEh84JgAS",
      "HzkmABIfMX0BElAgMTEuCgAAAAA=",
    ].joined(),
    "lz4 -l": [
      "AiFMGGMAAAD/F0NvZmZlciByZWFkcyB3aGF0IGx6NCB3cml0ZXMsIGxpbmUgMC4KJgAQHzEmABIfMiYAEh8zJgASHzQmABIfNSYAEh82JgASHzcmABIfOCYAEh85JgASHzF9ARJQ",
      "IDExLgo=",
    ].joined(),
    "lz4 --content-size -B5 -BX": [
      "BCJNGHxAygEAAAAAAAB1YwAAAP8XQ29mZmVyIHJlYWRzIHdoYXQgbHo0IHdyaXRlcywgbGluZSAwLgomABAfMSYAEh8yJgASHzMmABIfNCYAEh81JgASHzYmABIfNyYAEh84JgAS",
      "HzkmABIfMX0BElAgMTEuCsMD4bQAAAAACrPYEQ==",
    ].joined(),
  ]

  private func bytes(_ name: String) throws -> [UInt8] {
    let text = try #require(Self.streams[name])
    return Array(try #require(Data(base64Encoded: text)))
  }

  @Test(arguments: streams.keys.sorted())
  func `a recorded stream is read with any chunk and buffer size`(name: String) throws {
    let bytes = try bytes(name)
    let content = Decoding.content(Array(Self.content.utf8))
    for size in [1, 2, 3, 7, 100, 1 << 20] {
      #expect(Decoding(bytes, chunkSize: size) == content)
      #expect(Decoding(bytes, bufferSize: size) == content)
      #expect(Decoding(bytes, chunkSize: size, bufferSize: size) == content)
      #expect(Decoding(piecesOf: bytes, chunkSize: size) == content)
    }
  }

  /// A legacy frame has neither a length nor a checksum: truncated between blocks, it looks complete.
  @Test(arguments: streams.keys.sorted())
  func `a recorded stream truncated anywhere is an error`(name: String) throws {
    let bytes = try bytes(name)
    for count in 0..<bytes.count where !(name == "lz4 -l" && count == 4) {
      let cut = Array(bytes.prefix(count))
      let expected = count < 4 ? "not-lz4" : "lz4-truncated"
      #expect(Decoding(cut).code == expected, "\(count) bytes")
      #expect(Decoding(cut, chunkSize: 1, bufferSize: 1) == Decoding(cut))
      #expect(Decoding(piecesOf: cut) == Decoding(cut))
      if count >= 4 { #expect(Decoding(cut).offset == count) }
    }
  }

  @Test func `frames may follow each other`() throws {
    let names = Self.streams.keys.sorted()
    var bytes: [UInt8] = []
    for name in names + names.reversed() { bytes += try self.bytes(name) + Handmade.skippable(Array("anything".utf8), kind: 15) }
    let content = Decoding.content(Array(String(repeating: Self.content, count: 2 * names.count).utf8))
    for size in [1, 5, 1 << 16] {
      #expect(Decoding(bytes, chunkSize: size) == content)
      #expect(Decoding(piecesOf: bytes, chunkSize: size) == content)
    }
  }

  @Test func `data after a frame must be another frame`() throws {
    let bytes = try bytes("lz4 -1")
    let decoding = Decoding(bytes + Array("rubbish".utf8))
    #expect(decoding.code == "lz4-corrupt")
    #expect(decoding.offset == bytes.count)
    #expect(decoding.message == "corrupt LZ4 data: bytes after the last frame are not LZ4 data (frame 2, compressed byte 118)")
    #expect(Decoding(piecesOf: bytes + Array("rubbish".utf8)) == decoding)
  }

  @Test(arguments: ["lz4 -1", "lz4 -9 -B4 -BX", "lz4 --content-size -B5 -BX"])
  func `a flipped bit is an error or harmless`(name: String) throws {
    let bytes = try bytes(name)
    for bit in 0..<8 * bytes.count {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let decoding = Decoding(damaged)
      if case .content(let content) = decoding { #expect(content == Array(Self.content.utf8), "bit \(bit)") }
      #expect(Decoding(piecesOf: damaged) == decoding)
    }
  }

  @Test func `checksum errors have a cause and a place`() throws {
    var bytes = try bytes("lz4 -9 -B4 -BX")
    bytes[6] ^= 1
    #expect(Decoding(bytes).message == "corrupt LZ4 data: the header's checksum does not match (frame 1, compressed byte 0)")
    bytes[6] ^= 1
    bytes[20] ^= 1
    #expect(Decoding(bytes).message == "corrupt LZ4 data: a block's checksum does not match (frame 1, compressed byte 7)")
    bytes[20] ^= 1
    bytes[bytes.count - 1] ^= 1
    #expect(Decoding(bytes).message == "corrupt LZ4 data: the content's checksum does not match (frame 1, compressed byte 113)")
  }
}
