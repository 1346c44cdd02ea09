import Foundation
import StreamDecoding
import TestSupport
import Testing

/// The seeds and finds of fuzzing (`Fuzz/Corpus/lz4`) decode the same whole, in pieces and by workers.
@Suite struct FuzzCorpusTests {
  private static let folder = Checkout.folder.appending(path: "Fuzz/Corpus/lz4")
  static let names = Checkout.names(in: folder)

  @Test func `the corpus is not empty`() { #expect(Self.names.count > 5) }

  @Test(arguments: names)
  func `an input decodes the same whole, in pieces and by workers`(name: String) throws {
    let input = Array(try Data(contentsOf: Self.folder.appending(path: name)))
    // The layout of the fuzz target: sizes of pieces and buffers, level, data.
    let data = Array(input[3...])
    let whole = Decoding(data)
    for size in [1, 2, 3, 7, 17, 64, 1000] + input[..<2].map({ Int($0) + 1 }) {
      #expect(Decoding(data, chunkSize: size, bufferSize: size) == whole, "in pieces of \(size)")
    }
    #expect(Decoding(piecesOf: data) == whole)
  }
}
