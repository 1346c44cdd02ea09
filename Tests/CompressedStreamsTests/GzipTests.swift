import ByteStreams
import GzipStreams
import StreamDecoding
import TestSupport
import Testing

@Suite struct GzipTests {
  @Test(arguments: Sample.contents.keys.sorted(), [1, 6, 9])
  func `content survives a round trip`(name: String, level: Int) throws {
    let content = try #require(Sample.contents[name])
    let data = try Sample.gzip(content, level: #require(GzipLevel(level)))
    #expect(Decoding(gzip: data) == .content(content))
    #expect(try Sample.gzip(content, level: #require(GzipLevel(level))) == data)
  }

  @Test(arguments: [1, 2, 7, 1000])
  func `data is read in pieces of any size`(size: Int) throws {
    let data = try Sample.gzip(Sample.small)
    #expect(Decoding(gzip: data + data, chunkSize: size, bufferSize: size) == .content(Sample.small + Sample.small))
  }

  @Test func `the output has one member without a time`() throws {
    let data = try Sample.gzip(Array("[]".utf8))
    #expect(data.starts(with: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]))
    #expect(data.suffix(4) == [2, 0, 0, 0])
  }

  @Test func `dense content is written so that it can be read without a higher limit`() throws {
    let content = [UInt8](repeating: 32, count: 20 << 20)
    let data = try Sample.gzip(content)
    #expect(data.count < content.count / 40)
    #expect(Decoding(gzip: data) == .content(content))
  }

  @Test func `data truncated anywhere is an error with its place`() throws {
    let data = try Sample.gzip(Sample.small)
    for count in data.indices {
      let cut = Array(data.prefix(count))
      let decoding = Decoding(gzip: cut)
      #expect(decoding.code == (count < 2 ? "not-gzip" : "gzip-truncated"), "\(count) bytes: \(decoding)")
      if count >= 2 { #expect(decoding.offset == count) }
      #expect(Decoding(gzip: cut, chunkSize: 1, bufferSize: 1) == decoding)
      // In the second member.
      if count > 0 { #expect(Decoding(gzip: data + cut).code == "gzip-truncated", "\(count) bytes") }
    }
  }

  @Test func `a change of any byte is detected or harmless`() throws {
    let data = try Sample.gzip(Sample.small)
    for index in data.indices {
      for change in [1, 0x80, 0xFF] as [UInt8] {
        var damaged = data
        damaged[index] ^= change
        let decoding = Decoding(gzip: damaged)
        // Time, flags of the compressor and operating system change nothing, nor do the bits that fill the last byte of a block.
        if case .content(let content) = decoding { #expect(content == Sample.small, "byte \(index)") }
        #expect(Decoding(gzip: damaged, chunkSize: 3, bufferSize: 5).code == decoding.code, "byte \(index)")
      }
    }
  }

  /// A member with these optional fields in its header.
  private func member(flags: UInt8, _ fields: [UInt8]) throws -> [UInt8] {
    let data = try Sample.gzip(Sample.small)
    return [0x1F, 0x8B, 8, flags] + data[4..<10] + fields + data[10...]
  }

  @Test func `optional fields of the header are passed`() throws {
    let fields = [3, 0, 1, 2, 3] + Array("export.json\0".utf8) + Array("a comment\0".utf8)
    #expect(try Decoding(gzip: member(flags: 4 + 8 + 16 + 1, fields)) == .content(Sample.small))
    let header = Array(try member(flags: 4 + 8 + 16 + 2, fields).prefix(10 + fields.count))
    let checksum = CRC32(of: header).value
    let stored = [UInt8(checksum & 0xFF), UInt8(checksum >> 8 & 0xFF)]
    #expect(try Decoding(gzip: member(flags: 4 + 8 + 16 + 2, fields + stored), chunkSize: 1) == .content(Sample.small))
    let wrong = try Decoding(gzip: member(flags: 4 + 8 + 16 + 2, fields + [stored[0] ^ 1, stored[1]]))
    #expect(
      wrong.message == "corrupt gzip data: the checksum of the member's header does not match (member 1, compressed byte 0)")
  }

  @Test func `headers of other versions are errors`() throws {
    var data = try Sample.gzip(Sample.small)
    data[3] = 0x20
    #expect(Decoding(gzip: data).code == "gzip-corrupt")
    data[2] = 7
    #expect(Decoding(gzip: data).code == "gzip-unsupported")
  }

  @Test func `zeros after the last member are padding, other bytes are an error`() throws {
    let data = try Sample.gzip(Sample.small)
    for count in [1, 2, 511, 300_000] {
      let padded = data + [UInt8](repeating: 0, count: count)
      #expect(Decoding(gzip: padded) == .content(Sample.small))
      let decoding = Decoding(gzip: padded + [1])
      #expect(decoding.code == "gzip-corrupt")
      #expect(decoding.offset == padded.count)
    }
    #expect(Decoding(gzip: data + Array("abc".utf8)).message?.contains("bytes after the last member are not gzip data") == true)
  }

  @Test func `content beyond a limit is refused`() throws {
    let data = try Sample.gzip(Sample.records(size: 3 << 20))
    var limits = ExpansionLimits()
    limits.size = 2 << 20
    #expect(Decoding(gzip: data, limits: limits).code == "limit")
    #expect(Decoding(gzip: data, limits: limits).message?.contains("--max-size") == true)
    limits = ExpansionLimits()
    limits.ratio = 3
    #expect(Decoding(gzip: data, limits: limits).code == "limit")
    #expect(Decoding(gzip: data, limits: limits).message?.contains("--max-ratio") == true)
  }

  @Test func `malformed content is damage if the checksum does not match`() throws {
    var data = try Sample.gzip(Sample.noise(size: 300_000))
    data[500] ^= 1
    var source = PrefixedSource(prefix: [], rest: GzipSource(MemorySource(data)))
    #expect(try source.readPrefix(1000).count == 1000)
    #expect(source.damage(within: 1000) == nil)
    #expect(source.damage(within: .max)?.code == .gzipCorrupt)
  }

  @Test func `errors of the source are thrown`() throws {
    let data = try Sample.gzip(Sample.small)
    for count in data.indices {
      var source = GzipSource(FailingSource(Array(data.prefix(count))))
      #expect(Decoding(&source, bufferSize: 100).code == "input-output", "\(count) bytes")
    }
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
      #expect(Decoding(gzip: data, limits: limits) == .content(content), "\(options)")
      all += data
    }
    if content.count > 1 << 20 { return }
    #expect(Decoding(gzip: all, chunkSize: 10_007, limits: limits) == .content(content + content + content))
  }

  @Test(arguments: Sample.contents.keys.sorted())
  func `gzip reads what Coffer writes`(name: String) async throws {
    let content = try #require(Sample.contents[name])
    let data = try Sample.gzip(content)
    try folder.write(data + data, to: "data.gz")
    #expect(try await ReferenceProgram.gzip.run(["-d", "-c", "data.gz"], in: folder) == content + content)
  }

  @Test func `a file that expands too much is refused`() async throws {
    try folder.write([UInt8](repeating: 32, count: 4 << 20), to: "content")
    let data = try await ReferenceProgram.gzip.run(["-c", "-9", "content"], in: folder)
    #expect(Decoding(gzip: data).code == "limit")
  }
}
