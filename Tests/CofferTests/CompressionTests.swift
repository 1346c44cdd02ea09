import Coffer
import SyntheticBackups
import TestSupport
import Testing

@Suite struct CompressionTests {
  /// A little more than three pieces.
  private static let document = (try? Validating.backup(.init(size: 13_000_000, seed: 3)).bytes) ?? []

  private func compressed(_ bytes: [UInt8], jobs: Int = 2, compression: Compression = .lz4, chunkSize: Int = .max) throws
    -> [UInt8]
  {
    var options = Compressor.Options()
    options.execution.jobs = jobs
    options.compression = compression
    var sink = MemorySink()
    let sizes = try Compressor(options: options).compress(MemorySource(bytes, chunkSize: chunkSize), to: &sink)
    #expect(sizes == CompressionSizes(content: bytes.count, compressed: sink.bytes.count))
    return sink.bytes
  }

  private func decompressed(_ bytes: [UInt8], jobs: Int = 2, chunkSize: Int = .max) throws -> [UInt8] {
    var options = Decompressor.Options()
    options.execution.jobs = jobs
    var sink = MemorySink()
    let sizes = try Decompressor(options: options).decompress(MemorySource(bytes, chunkSize: chunkSize), to: &sink)
    #expect(sizes == CompressionSizes(content: sink.bytes.count, compressed: bytes.count))
    return sink.bytes
  }

  @Test(arguments: CompressionFormat.allCases)
  func `the output is the same with any number of threads`(format: CompressionFormat) throws {
    let expected = try compressed(Self.document, jobs: 1, compression: Compression(format))
    #expect(expected.count < Self.document.count / 3)
    for jobs in [1, 2, 3, 8] {
      #expect(try compressed(Self.document, jobs: jobs, compression: Compression(format), chunkSize: 1_000_003) == expected)
      #expect(try decompressed(expected, jobs: jobs, chunkSize: 70_001) == Self.document)
    }
  }

  @Test func `the output is the same as that of a stream writer`() throws {
    var writer = LZ4StreamWriter(to: MemorySink())
    try writer.write(Self.document)
    try writer.finish()
    #expect(try compressed(Self.document) == writer.sink.bytes)
  }

  @Test(arguments: [0, 1, 4 << 20, 4 << 20 + 1])
  func `documents of every size survive a round trip`(size: Int) throws {
    let bytes = Array(Self.document.prefix(size))
    #expect(try decompressed(try compressed(bytes)) == bytes)
  }

  @Test func `the first error in stream order is thrown, with any number of threads`() throws {
    var stream = try compressed(Self.document)
    // In the second frame of content, and in the trailer.
    stream[stream.count / 2] ^= 1
    stream[stream.count - 1] ^= 1
    for jobs in 1...4 {
      let error = #expect(throws: CofferError.self) { try decompressed(stream, jobs: jobs) }
      #expect(error?.code == .lz4Corrupt)
      #expect(error?.message.contains("frame 4") == true, "\(error?.message ?? "")")
    }
    let missing = Array(try compressed(Self.document).dropLast(40))
    #expect(throws: CofferError.self) { try decompressed(missing) }
  }

  @Test func `decompressing data that is not compressed is an error`() throws {
    let error = #expect(throws: CofferError.self) { try decompressed(Array("{}".utf8)) }
    #expect(error?.code == .notCompressed)
  }

  @Test func `cancellation ends compression and decompression`() throws {
    let stream = try compressed(Self.document)
    let cancellation = Cancellation()
    cancellation.request()
    var compression = Compressor.Options()
    compression.execution.cancellation = cancellation
    var decompression = Decompressor.Options()
    decompression.execution.cancellation = cancellation
    var sink = MemorySink()
    #expect(throws: CancellationError.self) {
      try Compressor(options: compression).compress(MemorySource(Self.document), to: &sink)
    }
    #expect(throws: CancellationError.self) {
      try Decompressor(options: decompression).decompress(MemorySource(stream), to: &sink)
    }
    #expect(sink.bytes == [])
  }

  @Test func `an error of the source ends compression and decompression`() throws {
    var sink = MemorySink()
    #expect(throws: CofferError.self) { try Compressor().compress(FailingSource(Self.document), to: &sink) }
    let start = Array(try compressed(Self.document).prefix(1_000_000))
    #expect(throws: CofferError.self) { try Decompressor().decompress(FailingSource(start), to: &sink) }
  }

  @Test func `a compressed document has the same report as the plain one`() throws {
    let (bytes, ledger) = try Validating.backup(.init(size: 3_000_000, seed: 8, defects: [.reference: 2, .future: 1]))
    let plain = try Validating.report(on: bytes)
    #expect(plain.findings.count == ledger.count)
    let stream = try compressed(bytes)
    #expect(try Validating.report(on: stream) == plain)
    #expect(try Validating.report(on: stream, sourceChunkSize: 4999) == plain)
    #expect(plain.bytes == bytes.count)
  }

  @Test func `a corrupt or truncated LZ4 document is not valid`() throws {
    let stream = try compressed(Self.document)
    var codes: Set<String> = []
    for eighth in 1...7 {
      var corrupt = stream
      corrupt[stream.count / 8 * eighth] ^= 0x40
      let report = try Validating.report(on: corrupt)
      #expect(!report.isValid)
      codes.insert(report.error?.code.rawValue ?? "none")
    }
    // Corrupt content may be malformed JSON, but the frame's checksum shows the cause.
    #expect(codes == ["lz4-corrupt"])
    #expect(try Validating.report(on: Array(stream.dropLast(40))).error?.code.rawValue == "lz4-truncated")
    #expect(try Validating.report(on: Array(stream.prefix(stream.count / 2))).error?.code.rawValue == "lz4-truncated")
  }

  @Test func `a compressed rule document is checked like the plain one`() throws {
    let rules = Array(#"{"type": "object", "required": 1}"#.utf8)
    let plain = RuleCheck(MemorySource(rules), named: "rules")
    var compressed = RuleCheck(MemorySource(try compressed(rules)), named: "rules").report
    compressed.seconds = plain.report.seconds
    #expect(!plain.report.findings.isEmpty)
    #expect(compressed == plain.report)
  }
}
