import ByteStreams
import JSONEvents
import TestSupport
import Testing

@Suite struct ReaderLongTokenTests {
  private static let piece = #"0123456789abcdef"#

  /// With yajl's own cost, quadratic in the number of chunks, this would take minutes.
  @Test func `the default token limit is 64 MiB`() throws {
    let count = (64 << 20) / 16
    for (end, error) in [("\"]", nil), ("a\"]", CofferError.Code.tokenLimit)] {
      let source = RepeatingSource(start: "[\"", piece: Self.piece, count: count, end: end)
      let result = try EventLengths(source, limits: ReaderLimits())
      #expect(result.error?.code == error)
      #expect(result.lengths == (error == nil ? [1, 64 << 20, 1] : [1]))
    }
  }
}
