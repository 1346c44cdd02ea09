import Foundation
import FoundationComparison
import TestSupport
import Testing

/// The reader and Foundation's parser agree on which documents are valid JSON, and on their values.
@Suite struct FoundationTests {
  @Test(arguments: SoundDocuments.all)
  func `both parsers read the same from valid documents`(document: String) {
    #expect(FoundationComparison([UInt8](document: document)) == (document == "1E400" ? .exempt(.exponent) : .same))
  }

  @Test(arguments: BrokenDocument.all)
  func `both parsers refuse broken documents`(document: BrokenDocument) {
    let bytes = [UInt8](document: document.text)
    let isForeign = document.message.contains("UTF-16") || document.message.contains("UTF-32")
    let isTrailingComma = ["[1,]", #"{"a":1,}"#].contains(document.text)
    let result = FoundationComparison(bytes)
    #expect(result == (isTrailingComma ? .exempt(.trailingComma) : .same) || isForeign && result == .exempt(.foreignEncoding))
  }

  @Test(arguments: [
    "1e308", "1.7976931348623157e308", "-1e-320", "5e-324", "0.1", "9007199254740993", "123456789012345678901", "-0", "-0.0",
  ])
  func `both parsers read the same numbers`(number: String) {
    #expect(FoundationComparison(Array("[\(number)]".utf8)) == .same)
  }

  @Test(arguments: ["\"a\"", "1", #"{"é":1,"e\u0301":2}"#, #"{"a":1,"a":2}"#, "‹EF BB BF›[1]", "[1E+05,1e-400]"])
  func `both parsers read the same from unusual documents`(document: String) {
    #expect(FoundationComparison([UInt8](document: document)) == .same)
  }

  @Test func `both parsers allow 512 open brackets`() {
    for depth in 511...514 {
      let document = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      #expect(FoundationComparison(Array(document.utf8)) == .same)
    }
  }

  @Test(arguments: [
    ("[1,2", "[1,2]"), ("[1]", "[2]"), ("\"a\"", "\"b\""), ("{}", "[]"), ("null", "false"), (#"{"a":1}"#, #"{"b":1}"#),
  ])
  func `the comparison detects a difference`(mine: String, theirs: String) {
    #expect(FoundationComparison(Array(mine.utf8), Array(theirs.utf8)) != .same)
  }

  @Test(arguments: 0..<10 as Range<UInt64>, [false, true])
  func `both parsers read the same from random documents`(part: UInt64, isMutated: Bool) {
    var exempt = 0
    var random = SeededRandom(seed: part)
    for seed in TestDepth.cases(everyday: 20, deep: 80) as Range<UInt64> {
      var document = RandomDocument(seed: part << 32 | seed, size: 250)
      if isMutated, seed % 2 == 0 { document.damage() }
      var bytes = document.bytes
      if isMutated, seed % 2 == 1, !bytes.isEmpty {
        for _ in 0...Int(random.next() % 2) {
          let index = Int(random.next() % UInt64(bytes.count))
          bytes[index] ^= 1 << UInt8(random.next() % 8)
        }
      }
      switch FoundationComparison(bytes) {
      case .same: break
      case .exempt: exempt += 1
      case .different(let difference):
        Issue.record("seed \(seed): \(difference): \(String(decoding: bytes, as: UTF8.self))")
      }
    }
    #expect(exempt < 4)
  }

  /// The seeds and finds of fuzzing.
  @Test func `both parsers read the same from the inputs of the fuzzer`() throws {
    let folder = Checkout.folder.appending(path: "Fuzz/Corpus/reader")
    let names = Checkout.names(in: folder)
    #expect(!names.isEmpty)
    for name in names {
      let document = Array(try Data(contentsOf: folder.appending(path: name)).dropFirst(4))
      if case .different(let difference) = FoundationComparison(document) { Issue.record("\(name): \(difference)") }
    }
  }
}
