import ByteStreams
import TestSupport
import Testing

@Suite struct PrefixedSourceTests {
  @Test(arguments: [("", "rest"), ("pre", "rest"), ("pre", ""), ("", "")])
  func `the prefix comes before the rest`(prefix: String, rest: String) throws {
    for size in 1...9 {
      var source = PrefixedSource(prefix: Array(prefix.utf8), rest: MemorySource(rest.utf8, chunkSize: 2))
      #expect(try source.text(bufferSize: size) == prefix + rest)
    }
  }

  @Test func `an error of the rest comes after the prefix`() throws {
    var source = PrefixedSource(prefix: [65], rest: FailingSource([]))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
    defer { buffer.deallocate() }
    #expect(try source.read(into: buffer) == 1)
    #expect(throws: CofferError.self) { try source.read(into: buffer) }
  }
}
