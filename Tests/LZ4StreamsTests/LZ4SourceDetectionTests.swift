import ByteStreams
import LZ4Streams
import TestSupport
import Testing

@Suite struct LZ4SourceDetectionTests {
  @Test(arguments: [1, 2, 3, 4, 5, 1000])
  func `LZ4 data is detected by its first bytes`(chunkSize: Int) throws {
    var source = try LZ4Source.detecting(MemorySource(Sample.small.stream, chunkSize: chunkSize))
    #expect(source is LZ4Source)
    #expect(Decoding(&source, bufferSize: 64) == .content(Sample.small.content))
  }

  @Test(arguments: ["", "1", "12", "nul", "null", "[1, 2, 3]", "PK\u{3}\u{4}", "P*M", "P*M\u{18}"])
  func `other data is passed on complete`(text: String) throws {
    for chunkSize in [1, 3, 1000] {
      var source = try LZ4Source.detecting(MemorySource(text.utf8, chunkSize: chunkSize))
      let isSkippableFrame = text == "P*M\u{18}"
      #expect((source is LZ4Source) == isSkippableFrame)
      if !isSkippableFrame { #expect(Decoding(&source, bufferSize: 2) == .content(Array(text.utf8))) }
    }
  }

  @Test func `errors of the source are thrown during detection`() {
    #expect(throws: CofferError.self) { try LZ4Source.detecting(FailingSource([4, 0x22])) }
  }

  @Test func `compressed bytes are counted as they are read`() throws {
    var source = LZ4Source(MemorySource(Sample.small.stream))
    #expect(source.bytesRead == 0)
    #expect(Decoding(&source, bufferSize: 1000) == .content(Sample.small.content))
    #expect(source.bytesRead == Sample.small.stream.count)
  }
}
