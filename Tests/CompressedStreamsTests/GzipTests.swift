import ByteStreams
import GzipStreams
import StreamDecoding
import TestSupport
import Testing

@Suite struct GzipTests {
  @Test func `the output has one member without a time`() throws {
    let data = try Sample.gzip(Array("[]".utf8))
    #expect(data.starts(with: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]))
    #expect(data.suffix(4) == [2, 0, 0, 0])
  }

  /// A member with these optional fields in its header.
  private func member(flags: UInt8, _ fields: [UInt8]) throws -> [UInt8] {
    let data = try Sample.gzip(Sample.small)
    return [0x1F, 0x8B, 8, flags] + data[4..<10] + fields + data[10...]
  }

  @Test func `optional fields of the header are passed`() throws {
    let fields = [3, 0, 1, 2, 3] + Array("export.json\0".utf8) + Array("a comment\0".utf8)
    #expect(try Decoding(.gzip, member(flags: 4 + 8 + 16 + 1, fields)) == .content(Sample.small))
    let header = Array(try member(flags: 4 + 8 + 16 + 2, fields).prefix(10 + fields.count))
    let checksum = CRC32(of: header).value
    let stored = [UInt8(checksum & 0xFF), UInt8(checksum >> 8 & 0xFF)]
    #expect(try Decoding(.gzip, member(flags: 4 + 8 + 16 + 2, fields + stored), chunkSize: 1) == .content(Sample.small))
    let wrong = try Decoding(.gzip, member(flags: 4 + 8 + 16 + 2, fields + [stored[0] ^ 1, stored[1]]))
    #expect(
      wrong.message == "corrupt gzip data: the checksum of the member's header does not match (member 1, compressed byte 0)")
  }

  @Test func `headers of other versions are errors`() throws {
    var data = try Sample.gzip(Sample.small)
    data[3] = 0x20
    #expect(Decoding(.gzip, data).code == "gzip-corrupt")
    data[2] = 7
    #expect(Decoding(.gzip, data).code == "gzip-unsupported")
  }

  @Test func `zeros after the last member are padding, other bytes are an error`() throws {
    let data = try Sample.gzip(Sample.small)
    for count in [1, 2, 511, 300_000] {
      let padded = data + [UInt8](repeating: 0, count: count)
      #expect(Decoding(.gzip, padded) == .content(Sample.small))
      let decoding = Decoding(.gzip, padded + [1])
      #expect(decoding.code == "gzip-corrupt")
      #expect(decoding.offset == padded.count)
    }
    #expect(Decoding(.gzip, data + Array("abc".utf8)).message?.contains("bytes after the last member are not gzip data") == true)
  }
}

/// Both directions with the `gzip` program.
@Suite(.enabled(if: ReferenceProgram.gzip.isInstalled)) struct GzipProgramTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: Sample.contents.keys.sorted())
  func `Coffer reads what gzip writes`(name: String) async throws {
    let content = try #require(Sample.contents[name])
    try folder.write(content, to: "content")
    var limits = ExpansionLimits()
    limits.ratio = 2000
    var all: [UInt8] = []
    for options in content.count > 1 << 20 ? [["-6"]] : [["-1"], ["-6"], ["-9", "-N"]] {
      let data = try await ReferenceProgram.gzip.run(["-c"] + options + ["content"], in: folder)
      #expect(Decoding(.gzip, data, limits: limits) == .content(content), "\(options)")
      all += data
    }
    if content.count > 1 << 20 { return }
    #expect(Decoding(.gzip, all, chunkSize: 10_007, limits: limits) == .content(content + content + content))
  }
}
