import JSONEvents
import TestSupport
import Testing

@Suite struct ReaderLongTokenTests {
  private static let piece = #"0123456789abcdef"#
  private static let escapedPiece = #"01\n456\"\u00e9é"#

  @Test(arguments: [(piece, 16), (escapedPiece, 11)])
  func longStringsAreReadWholeFromChunks(piece: String, resolved: Int) throws {
    let count = 100_000
    let source = RepeatingSource(start: "[\"", piece: piece, count: count, end: "\",2]")
    let result = try EventLengths(source, limits: ReaderLimits())
    #expect(result.lengths == [1, count * resolved, 1, 1])
    // One batch for each chunk, and a few for the start and the end: none is repeated.
    #expect(result.batches <= count * piece.utf8.count / (64 << 10) + 6)
  }

  /// At yajl's own cost, square in the number of chunks, this would take minutes.
  @Test func defaultLimitIs64MiB() throws {
    let count = (64 << 20) / 16
    for (end, error) in [("\"]", nil), ("a\"]", JSONReadError.Code.tokenLimit)] {
      let source = RepeatingSource(start: "[\"", piece: Self.piece, count: count, end: end)
      let result = try EventLengths(source, limits: ReaderLimits())
      #expect(result.error?.code == error)
      #expect(result.lengths == (error == nil ? [1, 64 << 20, 1] : [1]))
    }
  }
}
