import Foundation
import RoundTrip
import TestSupport
import Testing

@Suite struct RoundTripTests {
  @Test(arguments: 0..<8) func `random documents survive a round trip`(part: Int) {
    for seed in TestDepth.cases(everyday: 25, deep: 150) {
      #expect(RoundTrip.failure(of: RandomDocument(seed: UInt64(part * 1000 + seed), size: 800).bytes) == nil, "\(part), \(seed)")
    }
  }

  @Test(.enabled(if: !ParsingSuite.names.isEmpty, "JSONTestSuite is missing: run Scripts/conformance.sh"))
  func `valid documents of the suite survive a round trip`() throws {
    for name in ParsingSuite.names where !name.hasPrefix("n_") {
      #expect(RoundTrip.failure(of: Array(try Data(contentsOf: ParsingSuite.folder.appending(path: name)))) == nil, "\(name)")
    }
  }

  @Test(arguments: FuzzCorpusTests.names) func `the fuzz corpus survives a round trip`(name: String) throws {
    let input = try Data(contentsOf: Checkout.folder.appending(path: "Fuzz/Corpus/reader").appending(path: name))
    #expect(RoundTrip.failure(of: Array(input.dropFirst(4))) == nil)
  }
}
