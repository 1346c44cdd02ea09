import ByteStreams
import LZ4Streams
import StreamDecoding
import TestSupport
import Testing

@Suite struct LZ4StreamWriterTests {
  private static let limit = LZ4FrameEncoder.largestContent

  private func written(_ parts: [[UInt8]], level: Int = 1) throws -> [UInt8] {
    var writer = LZ4StreamWriter(to: MemorySink(), level: level)
    for part in parts { try writer.write(part) }
    try writer.finish()
    #expect(writer.bytesWritten == writer.sink.bytes.count)
    return writer.sink.bytes
  }

  @Test(arguments: CompressionFormat.lz4.levels)
  func `streams of every level can be read`(level: Int) throws {
    let content = Sample.records(size: 300_000)
    let stream = try written([content], level: level)
    #expect(Decoding(stream) == .content(content))
    #expect(stream.count < content.count / 3)
    if level > 2 { #expect(try stream.count < written([content]).count) }
  }

  @Test(arguments: [0, 1, 12, 13, 65_535, 65_536, 65_537, limit - 1, limit, limit + 1, 2 * limit, 2 * limit + 1])
  func `content of every size can be read`(size: Int) throws {
    for content in [Sample.records(size: size), Sample.noise(size: size)] {
      let stream = try written([content])
      #expect(Decoding(stream) == .content(content))
      #expect(Decoding(piecesOf: stream) == .content(content))
      #expect(stream.count < size + 100 + 40 * (1 + size / Self.limit))
    }
  }

  @Test func `writing in pieces gives the same stream`() throws {
    let content = Sample.records(size: 5 << 20)
    let whole = try written([content])
    for size in [999, 65_536, 3_000_000] {
      let parts = stride(from: 0, to: content.count, by: size).map { Array(content[$0..<min($0 + size, content.count)]) }
      #expect(try written(parts) == whole)
    }
  }

  @Test func `empty content makes a valid stream`() throws {
    let stream = try written([])
    #expect(stream.count == 19 + 16 + 40)
    #expect(Decoding(stream) == .content([]))
    #expect(Decoding(piecesOf: stream) == .content([]))
    #expect(try written([[], []]) == stream)
  }

  @Test func `frames of workers keep their place in the stream`() throws {
    let encoder = LZ4FrameEncoder()
    let records = Sample.records(size: 9 << 20)
    var writer = LZ4StreamWriter(to: MemorySink())
    try writer.write("before ")
    try writer.write(records.withUnsafeBytes { encoder.encode($0) })
    try writer.write("between ")
    try writer.write(encoder.encode(UnsafeRawBufferPointer(start: nil, count: 0)))
    try writer.write("behind")
    try writer.finish()
    let content = Array("before ".utf8) + records + Array("between behind".utf8)
    #expect(Decoding(writer.sink.bytes) == .content(content))
    #expect(Decoding(piecesOf: writer.sink.bytes) == .content(content))
  }

  @Test func `a stream that was not finished is truncated`() throws {
    var writer = LZ4StreamWriter(to: MemorySink())
    try writer.write(Sample.records(size: 5 << 20))
    #expect(Decoding(writer.sink.bytes).code == "lz4-truncated")
  }

  @Test func `errors of the sink are passed on`() throws {
    var writer = LZ4StreamWriter(to: FullSink(room: 50))
    try writer.write(Sample.records(size: 1000))
    #expect(throws: CofferError.self) { try writer.finish() }
  }
}

/// A sink with room for a limited number of bytes.
private struct FullSink: ByteSink {
  var room: Int

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(CofferError) {
    room -= bytes.count
    if room < 0 { throw CofferError(.noSpace, "no space") }
  }
}
