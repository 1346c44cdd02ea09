import ByteStreams
import Foundation
import TestSupport
import Testing

@testable import JSONEvents

@Suite struct LineSummaryTests {
  private static func summary(of bytes: ArraySlice<UInt8>, isStart: Bool) -> LineSummary {
    Array(bytes).withUnsafeBytes { LineSummary(of: $0, isStart: isStart) }
  }

  @Test func `ranges joined in any order have the records and the end of the whole document`() throws {
    for seed in TestDepth.cases(everyday: 600, deep: 10_000) as Range<UInt64> {
      let bytes = RandomLines(seed: seed, lineCount: 1 + Int(seed % 12)).bytes
      var random = SeededRandom(seed: seed)
      var cuts = [0, bytes.count]
      for _ in 0..<random.next() % 8 { cuts.append(Int(random.next() % UInt64(bytes.count + 1))) }
      cuts = cuts.filter { ![1, 2].contains($0) || $0 == bytes.count }.sorted()
      var summaries = zip(cuts, cuts.dropFirst()).map { Self.summary(of: bytes[$0..<$1], isStart: $0 == 0) }
      while summaries.count > 1 {
        let index = Int(random.next() % UInt64(summaries.count - 1))
        summaries[index].append(summaries.remove(at: index + 1))
      }
      let whole = Self.summary(of: bytes[...], isStart: true)
      #expect(summaries == [whole], "seed \(seed)")

      let slicer = LineSlicer(MemorySource(bytes))
      var count = 0
      while let slice = try slicer.nextSlice() { count += slice.recordCount }
      #expect(whole.totalRecordCount == count, "seed \(seed)")
      #expect(whole.extent.position == slicer.position, "seed \(seed)")
    }
  }

  @Test(arguments: [
    ("", 0, 0), ("1", 1, 0), ("1\n", 1, 2), (" \n1", 1, 2), ("\n \r\n\t", 0, 1), ("1\n\n2\n 3", 3, 2), ("1\n2\n", 2, 2),
  ])
  func `blank lines aren't records`(text: String, records: Int, firstBreak: Int) {
    let summary = Self.summary(of: Array(text.utf8)[...], isStart: true)
    #expect(summary.totalRecordCount == records)
    #expect(summary.firstBreak == firstBreak)
  }

  @Test func `a summary is restored from its code, and damaged code is refused`() throws {
    let summary = Self.summary(of: Array("a\nb\n\n c".utf8)[...], isStart: false)
    let code = try JSONEncoder().encode(summary)
    #expect(String(decoding: code, as: UTF8.self) == "[7,3,2,2,1,0,0]")
    #expect(try JSONDecoder().decode(LineSummary.self, from: code) == summary)
    for damaged in [
      "[]", "[7,3,2,2,1,0]", "[7,8,2,2,1,0,0]", "[7,3,5,2,1,0,0]", "[7,3,2,8,1,0,0]", "[7,3,2,0,1,0,0]", "[7,3,2,2,3,0,0]",
      "[7,3,2,2,1,2,0]", "[-7,3,2,2,1,0,0]", "[9223372036854775807,3,2,2,1,0,0]", "[1e400]", "{}",
    ] {
      #expect(throws: (any Error).self, "\(damaged)") { try JSONDecoder().decode(LineSummary.self, from: Data(damaged.utf8)) }
    }
  }
}
