import Foundation
import TestSupport
import Testing

/// What fuzzing started from and what it found (`Fuzz/Corpus/lz4`): read whole, in pieces and by workers, an input gives the same.
@Suite struct FuzzCorpusTests {
  private static let folder = Checkout.folder.appending(path: "Fuzz/Corpus/lz4")
  static let names = Checkout.names(in: folder)

  @Test func thereIsACorpus() { #expect(Self.names.count > 5) }

  @Test(arguments: names)
  func piecesMakeNoDifference(name: String) throws {
    let input = Array(try Data(contentsOf: Self.folder.appending(path: name)))
    // As the fuzz target reads it: sizes of pieces and buffers, level, data.
    let data = Array(input[3...])
    let whole = Decoding(data)
    for size in [1, 2, 3, 7, 17, 64, 1000] + input[..<2].map({ Int($0) + 1 }) {
      #expect(Decoding(data, chunkSize: size, bufferSize: size) == whole, "in pieces of \(size)")
    }
    #expect(Decoding(piecesOf: data) == whole)
  }
}
