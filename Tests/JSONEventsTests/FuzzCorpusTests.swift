import ByteStreams
import Foundation
import TestSupport
import Testing

@testable import JSONEvents

/// The seeds and finds of fuzzing (`Fuzz/Corpus/reader`) give the same result whole, in pieces and in slices.
@Suite struct FuzzCorpusTests {
  private static let folder = Checkout.folder.appending(path: "Fuzz/Corpus/reader")
  static let names = Checkout.names(in: folder)

  @Test func `the corpus is not empty`() { #expect(Self.names.count > 5) }

  @Test(arguments: names)
  func `an input gives the same events whole, in pieces and in slices`(name: String) throws {
    let input = Array(try Data(contentsOf: Self.folder.appending(path: name)))
    // The layout of the fuzz target: sizes of pieces, limits, document.
    var limits = ReaderLimits()
    limits.depth = 1 + Int(input[3] & 0x0F)
    limits.tokenSize = 16 << Int(input[3] >> 4)
    let whole = try EventDump(input[4...], limits: limits)
    for size in [1, 2, 3, 7, 17, 64, 1000] + input[..<3].map({ Int($0) + 1 }) {
      limits.chunkSize = size
      #expect(try EventDump(input[4...], limits: limits) == whole, "in pieces of \(size)")
      var slices = Slicer.Options()
      slices.sliceSize = size
      slices.largestSlice = size + 16 * Int(input[1])
      let sliced = try SlicedDump(MemorySource(input[4...]), slices: slices, limits: limits)
      #expect(sliced.events == whole.events, "in slices of \(size)")
      #expect(sliced.error == whole.error, "in slices of \(size)")
    }
  }
}
