import ByteStreams
import Foundation
import StreamDecoding
import TestSupport
import Testing

/// The seeds and finds of fuzzing (`Fuzz/Corpus/gzip` and `zstd`) decode the same whole and in pieces.
@Suite struct FuzzCorpusTests {
  static let files = ["gzip", "zstd"].flatMap { format in
    Checkout.names(in: Checkout.folder.appending(path: "Fuzz/Corpus/\(format)")).map { "\(format)/\($0)" }
  }

  @Test func `the corpus is not empty`() { #expect(Self.files.count > 8) }

  @Test(arguments: files)
  func `an input decodes the same whole and in pieces`(file: String) throws {
    let input = Array(try Data(contentsOf: Checkout.folder.appending(path: "Fuzz/Corpus/\(file)")))
    // The layout of the fuzz target: sizes of pieces and buffers, level, data.
    let data = Array(input[3...])
    let format = file.hasPrefix("gzip/") ? CompressionFormat.gzip : .zstd
    let whole = Decoding(format, data)
    for size in [1, 2, 3, 7, 17, 64, 1000] + input[..<2].map({ Int($0) + 1 }) {
      let pieces = Decoding(format, data, chunkSize: size, bufferSize: size)
      #expect(pieces.code == whole.code, "in pieces of \(size)")
      if case .content = whole { #expect(pieces == whole, "in pieces of \(size)") }
    }
  }
}
