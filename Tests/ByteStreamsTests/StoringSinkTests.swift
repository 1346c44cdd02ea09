import ByteStreams
import SystemPackage
import TestSupport
import Testing

@Suite struct StoringSinkTests {
  /// Less than 1 MiB stays in memory, more is stored in a file.
  @Test(arguments: [0, 1, 1 << 20 - 1, 1 << 20, 1 << 20 + 1, 3_000_001], [1_000, 1 << 18, 1 << 21])
  func `stored bytes can be read from any offset`(count: Int, pieceSize: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    var sink = StoringSink()
    for start in stride(from: 0, to: count, by: pieceSize) { try sink.write(Array(bytes[start..<min(count, start + pieceSize)])) }
    #expect(sink.byteCount == count)
    let stored = StoredBytes(sink, named: "what was written")
    #expect(stored.byteCount == count)
    for _ in 0..<2 {
      var source = StoredSource(stored)
      #expect(try source.readPrefix(count + 1) == bytes)
    }
    let start = count / 3
    var source = StoredSource(stored, start..<count)
    #expect(try source.readPrefix(count + 1) == Array(bytes[start...]))
  }

  @Test func `a missing folder is an error only once it is needed`() throws {
    var sink = StoringSink(in: "/none/such")
    try sink.write([1, 2, 3])
    let error = #expect(throws: CofferError.self) { try sink.write([UInt8](repeating: 0, count: 1 << 20)) }
    #expect(error?.code == .notFound)
  }
}
