import ByteStreams
import CompressedStreams
import LZ4Streams
import StreamDecoding
import TestSupport
import Testing

@Suite struct DecompressionTests {
  private static let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]

  @Test(arguments: CompressionFormat.allCases, [1, 2, 3, 4, 5, 1000])
  func `the format is detected by the first bytes`(format: CompressionFormat, chunkSize: Int) throws {
    let document = try Decompression(MemorySource(Sample.compressed([Sample.small], as: format), chunkSize: chunkSize))
    #expect(document.format == format)
    var source = document.source
    #expect(Decoding(&source, bufferSize: 64) == .content(Sample.small))
  }

  @Test(arguments: [CompressionFormat.lz4, .zstd], [1, 2, 1000])
  func `skippable frames do not hide the format`(format: CompressionFormat, count: Int) throws {
    let prefix = Array(repeatElement(Self.skippable, count: count).joined())
    let document = try Decompression(MemorySource(prefix + Sample.compressed([Sample.small], as: format), chunkSize: 7))
    #expect(document.format == format)
    var source = document.source
    #expect(Decoding(&source, bufferSize: 64) == .content(Sample.small))
  }

  @Test func `skippable frames alone are LZ4 data without content`() throws {
    let document = try Decompression(MemorySource(Self.skippable))
    #expect(document.format == .lz4)
    var source = document.source
    #expect(Decoding(&source, bufferSize: 64) == .content([]))
  }

  @Test(arguments: ["", "1", "12", "nul", "null", "[1, 2, 3]", "PK\u{3}\u{4}", "P*M", "\u{1F}"])
  func `other data is passed on complete`(text: String) throws {
    for chunkSize in [1, 3, 1000] {
      let document = try Decompression(MemorySource(text.utf8, chunkSize: chunkSize))
      #expect(document.format == nil)
      var source = document.source
      #expect(Decoding(&source, bufferSize: 2) == .content(Array(text.utf8)))
    }
  }

  @Test func `errors of the source are thrown during detection`() {
    #expect(throws: CofferError.self) { try Decompression(FailingSource([4, 0x22])) }
  }

  @Test(arguments: CompressionFormat.allCases)
  func `compressed bytes are counted as they are read`(format: CompressionFormat) throws {
    let data = try Sample.compressed([Sample.small], as: format)
    let document = try Decompression(MemorySource(data))
    var source = try #require(document.source as? any CompressedSource)
    #expect(source.bytesRead == 0)
    var buffer: any ByteSource = source
    #expect(Decoding(&buffer, bufferSize: 1000) == .content(Sample.small))
    #expect(source.bytesRead == data.count)
    #expect(try source.readPrefix(1) == [])
  }

  @Test func `a limit of size holds for every format`() throws {
    var limits = ExpansionLimits()
    limits.size = 100
    for format in CompressionFormat.allCases {
      var source = try Decompression(MemorySource(Sample.compressed([Sample.small], as: format)), limits: limits).source
      #expect(Decoding(&source, bufferSize: 64).code == "limit")
    }
  }

  @Test(arguments: [
    ("a.json.lz4", CompressionFormat.lz4, "a.json"), ("A.JSON.GZ", .gzip, "A.JSON"), ("b.ndjson.zst", .zstd, "b.ndjson"),
    ("a.json", nil, "a.json"),
    ("gz", nil, "gz"), ("a.gzip", nil, "a.gzip"), (".gz", .gzip, ""),
  ])
  func `file names promise a format`(name: String, format: CompressionFormat?, plain: String) {
    #expect(CompressionFormat(ofFileNamed: name) == format)
    #expect(CompressionFormat.plainName(of: name) == plain)
  }

  @Test func `compression levels are those of gzip and zstd`() {
    for level in [Int.min, -1, 0, 13, .max] { #expect(Compression(.lz4, level: level) == nil) }
    #expect(Compression(.lz4, level: 1) == .lz4)
    #expect(Compression(.lz4, level: 12)?.level == 12)
    #expect(Compression(.gzip, level: 0) == nil)
    #expect(Compression(.gzip, level: 9)?.level == 9)
    #expect(Compression(.zstd, level: 20) == nil)
    #expect(Compression.zstd.level == 3)
  }
}
