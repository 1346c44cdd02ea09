import ByteStreams
import Testing

@Suite struct MemorySourceTests {
  @Test(arguments: [(1, 8, [1, 1, 1, 1, 1]), (2, 8, [2, 2, 1]), (8, 2, [2, 2, 1]), (5, 5, [5]), (.max, 8, [5])])
  func `a read gives at most one chunk and at most a full buffer`(chunkSize: Int, bufferSize: Int, expected: [Int]) throws {
    var source = MemorySource([1, 2, 3, 4, 5], chunkSize: chunkSize)
    let pieces = try source.pieces(bufferSize: bufferSize)
    #expect(pieces.map(\.count) == expected)
    #expect(Array(pieces.joined()) == [1, 2, 3, 4, 5])
  }

  @Test func `an empty source ends immediately`() throws {
    var source = MemorySource([])
    #expect(try source.pieces(bufferSize: 4) == [])
  }
}
