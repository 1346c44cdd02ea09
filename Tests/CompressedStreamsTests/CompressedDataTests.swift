import ByteStreams
import CompressedStreams
import GzipStreams
import StreamDecoding
import TestSupport
import Testing
import ZstdStreams

/// What gzip and zstd data have in common. LZ4Streams has tests of its own.
@Suite struct CompressedDataTests {
  static let formats = [CompressionFormat.gzip, .zstd]

  @Test(arguments: formats, Sample.contents.keys.sorted())
  func `content survives a round trip at every level`(format: CompressionFormat, name: String) throws {
    let content = try #require(Sample.contents[name])
    for level in format == .gzip ? [1, 6, 9] : [1, 3, 19] {
      if level == 19, content.count > 1 << 20, name != "zeros" { continue }
      let data = try Sample.compressed([content], as: format, level: level)
      #expect(Decoding(format, data) == .content(content), "level \(level)")
      #expect(try Sample.compressed([content], as: format, level: level) == data, "level \(level)")
    }
  }

  @Test(arguments: formats, [1, 2, 7, 1000])
  func `data is read in pieces of any size`(format: CompressionFormat, size: Int) throws {
    let (data, content) = try Sample.small(format)
    #expect(Decoding(format, data + data, chunkSize: size, bufferSize: size) == .content(content + content))
  }

  @Test(arguments: formats)
  func `dense content is written so that it can be read without a higher limit`(format: CompressionFormat) throws {
    let content = [UInt8](repeating: 32, count: 20 << 20)
    let data = try Sample.compressed([content], as: format)
    #expect(data.count < content.count / 40)
    #expect(Decoding(format, data) == .content(content))
  }

  @Test(arguments: formats)
  func `data truncated anywhere is an error with its place`(format: CompressionFormat) throws {
    let (data, _) = try Sample.small(format)
    let magicSize = format == .gzip ? 2 : 4
    for count in TestDepth.sample(Array(data.indices), everyday: 5) {
      let cut = Array(data.prefix(count))
      let decoding = Decoding(format, cut)
      #expect(decoding.code == (count < magicSize ? "not-\(format)" : "\(format)-truncated"), "\(count) bytes: \(decoding)")
      if count >= magicSize { #expect(decoding.offset == count) }
      #expect(Decoding(format, cut, chunkSize: 1, bufferSize: 1) == decoding)
      // In a second stream.
      if count > 0 { #expect(Decoding(format, data + cut).code == "\(format)-truncated", "\(count) bytes") }
    }
  }

  @Test(arguments: formats)
  func `a change of any byte is detected or harmless`(format: CompressionFormat) throws {
    let (data, content) = try Sample.small(format)
    for index in TestDepth.sample(Array(data.indices), everyday: 5) {
      for change in [1, 0x10, 0x80, 0xFF] as [UInt8] {
        var damaged = data
        damaged[index] ^= change
        let decoding = Decoding(format, damaged)
        // Bits without a meaning: in gzip the time, the operating system, and the fill of a block's last byte.
        if case .content(let read) = decoding { #expect(read == content, "byte \(index)") }
        #expect(Decoding(format, damaged, chunkSize: 3, bufferSize: 5).code == decoding.code, "byte \(index)")
      }
    }
  }

  @Test(arguments: formats) func `content beyond a limit is refused`(format: CompressionFormat) throws {
    let data = try Sample.compressed([Sample.records(size: 3 << 20)], as: format)
    var size = ExpansionLimits()
    size.size = 2 << 20
    var ratio = ExpansionLimits()
    ratio.ratio = 3
    for (limits, excess) in [(size, "more than 2097152 bytes"), (ratio, "more than 3 times its size")] {
      let decoding = Decoding(format, data, limits: limits)
      #expect(decoding.code == "limit")
      #expect(decoding.message?.contains(excess) == true)
    }
  }

  @Test(arguments: formats)
  func `malformed content is damage if the checksum does not match`(format: CompressionFormat) throws {
    var data = try Sample.compressed([Sample.noise(size: 300_000)], as: format)
    data[500] ^= 1
    var source = PrefixedSource(prefix: [], rest: try Decompression(MemorySource(data)).source)
    #expect(try source.readPrefix(1000).count == 1000)
    #expect(source.damage(within: 1000) == nil)
    #expect(source.damage(within: .max)?.code == (format == .gzip ? .gzipCorrupt : .zstdCorrupt))
  }

  @Test(arguments: CompressionFormat.allCases) func `an error is repeated on every later call`(format: CompressionFormat) throws {
    var data = try Sample.compressed([Sample.noise(size: 300_000)], as: format)
    data[200_000] ^= 1
    var source = try Decompression(MemorySource(data)).source
    let first = Decoding(&source, bufferSize: 1000)
    #expect(first.code == "\(format)-corrupt")
    #expect(Decoding(&source, bufferSize: 1000) == first)
  }

  @Test(arguments: formats) func `errors of the source are thrown`(format: CompressionFormat) throws {
    let (data, _) = try Sample.small(format)
    for count in data.indices {
      let decoding = Decoding(format, source: FailingSource(Array(data.prefix(count))), bufferSize: 100)
      #expect(decoding.code == "input-output", "\(count) bytes")
    }
  }
}

/// The programs `gzip` and `zstd` beside Coffer.
@Suite(.enabled(if: ReferenceProgram.gzip.isInstalled && ReferenceProgram.zstd.isInstalled)) struct CompressionProgramTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: CompressedDataTests.formats, Sample.contents.keys.sorted())
  func `the program reads what Coffer writes`(format: CompressionFormat, name: String) async throws {
    let content = try #require(Sample.contents[name])
    let data = try Sample.compressed(content.isEmpty ? [] : [content], as: format)
    try folder.write(data + data, to: "data")
    let program = format == .gzip ? ReferenceProgram.gzip : .zstd
    #expect(try await program.run(["-d", "-c", "-q", "data"], in: folder) == content + content)
  }

  @Test(arguments: CompressedDataTests.formats)
  func `a file that expands too much is refused`(format: CompressionFormat) async throws {
    try folder.write([UInt8](repeating: 32, count: 4 << 20), to: "content")
    let program = format == .gzip ? ReferenceProgram.gzip : .zstd
    let data = try await program.run(["-c", "-q", "-9", "content"], in: folder)
    #expect(Decoding(format, data).code == "limit")
  }
}
