import ByteStreams
import CByteScan
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import JSONEvents

@Suite struct RangeSummaryTests {
  private static let kernels = [COFFER_SCAN_PORTABLE, COFFER_SCAN_AVX2, COFFER_SCAN_NEON].filter { coffer_scan_supports($0) != 0 }

  private static func summary(
    of bytes: ArraySlice<UInt8>, from offset: Int, kernel: coffer_scan_kernel = COFFER_SCAN_BEST, pieces seed: UInt64? = nil
  ) -> RangeSummary {
    var scanner = RangeScanner(from: offset, kernel: kernel)
    var random = SeededRandom(seed: seed ?? 0)
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.prefix(seed == nil ? .max : Int(random.next() % [3, 70, 1000][Int(random.next() % 3)]))
      Array(piece).withUnsafeBytes { scanner.consume($0) }
      rest = rest.dropFirst(piece.count)
    }
    return scanner.finish()
  }

  /// Appends summaries pairwise, in a random tree.
  private static func folded(_ summaries: ArraySlice<RangeSummary>, _ random: inout SeededRandom) -> RangeSummary {
    guard summaries.count > 1 else { return summaries.first ?? RangeSummary() }
    let middle = summaries.startIndex + 1 + Int(random.next() % UInt64(summaries.count - 1))
    var summary = folded(summaries[..<middle], &random)
    summary.append(folded(summaries[middle...], &random))
    return summary
  }

  @Test(arguments: kernels) func `a range has the summary of a plain loop`(kernel: coffer_scan_kernel) {
    var living = 0
    for seed in TestDepth.cases(everyday: 600, deep: 20_000) as Range<UInt64> {
      let bytes = RangeTexts.text(seed)
      var random = SeededRandom(seed: seed)
      let start = PlainRange.boundary(in: bytes, atOrAfter: Int(random.next() % UInt64(bytes.count + 1)))
      for (range, offset) in [(bytes[...], 0), (bytes[start...], start)] {
        let summary = Self.summary(of: range, from: offset, kernel: kernel, pieces: seed)
        #expect(summary == PlainRange.summary(of: Array(range), from: offset), "seed \(seed)")
        if summary.outside != nil || summary.inside != nil { living += 1 }
      }
    }
    #expect(living > TestDepth.count(everyday: 600, deep: 20_000), "most texts are scanned to their end")
  }

  @Test func `ranges joined in any order have the summary of all their bytes`() {
    for seed in TestDepth.cases(everyday: 600, deep: 20_000) as Range<UInt64> {
      let bytes = RangeTexts.text(seed, size: 400)
      var random = SeededRandom(seed: seed)
      let cuts = [0] + RangeTexts.cuts(bytes, &random) + [bytes.count]
      let summaries = zip(cuts, cuts.dropFirst()).map { Self.summary(of: bytes[$0..<$1], from: $0) }
      let whole = Self.summary(of: bytes[...], from: 0)
      for _ in 0..<3 { #expect(Self.folded(summaries[...], &random) == whole, "seed \(seed)") }
      // A part of the document that doesn't begin at its start.
      let part = Self.summary(of: bytes[cuts[1]...], from: cuts[1])
      #expect(Self.folded(summaries.dropFirst(), &random) == part, "seed \(seed)")
    }
  }

  @Test func `no bytes change no summary`() {
    let summary = Self.summary(of: Array("1],{\"a\":[2,\n".utf8)[...], from: 5)
    var before = RangeSummary()
    before.append(summary)
    var after = summary
    after.append(RangeSummary())
    #expect(before == summary)
    #expect(after == summary)
    #expect(Self.summary(of: [], from: 0) == RangeSummary())
  }

  /// Text, whether it can begin outside a string, and whether it can begin inside one.
  @Test(arguments: [
    ("", true, true), ("1, 2", true, true), ("[tru", true, true), ("name", false, true), ("\\n", false, true),
    ("\"name\"", true, false), ("\", \"", true, true), ("é", false, true), ("\n", true, false), ("\u{0B}", false, false),
    ("x\n", false, false), ("\u{7F}", false, true), ("\"e\",\"f\"", true, true), ("\"id\",\"f\"", true, false),
  ])
  func `an impossible byte rules out a hypothesis`(text: String, isOutside: Bool, isInside: Bool) {
    let summary = Self.summary(of: Array(text.utf8)[...], from: 9)
    #expect((summary.outside != nil) == isOutside)
    #expect((summary.inside != nil) == isInside)
  }

  @Test func `a range keeps the outermost four levels on both sides`() throws {
    let text = "1,2],3]}]},\n4]]],[5,[6,[[7,[8,[9"
    let structure = try #require(Self.summary(of: Array(text.utf8)[...], from: 9).outside)
    #expect(structure.closerCount == 8)
    #expect(structure.floors.map(\.closer.byteCount) == [9, 13, 14, 15])
    #expect(structure.floors.map(\.commas.count) == [1, 0, 0, 1])
    #expect(structure.floors[0].commas.last == TextExtent(byteCount: 11, newlineCount: 0, scalarCount: 11))
    #expect(structure.floors[3].commas.last == TextExtent(byteCount: 17, newlineCount: 1, scalarCount: 5))
    #expect(structure.openerCount == 6)
    #expect(structure.levels.map(\.inside.byteCount) == [18, 21, 24, 25])
    #expect(structure.levels.map(\.commas.count) == [1, 1, 0, 1])
  }

  // MARK: Coding

  private static func encoded(_ summary: RangeSummary) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(summary)
  }

  @Test func `a summary is restored from its code`() throws {
    for seed in TestDepth.cases(everyday: 300, deep: 3000) as Range<UInt64> {
      let bytes = RangeTexts.text(seed)
      let summary = Self.summary(of: bytes[...], from: 0)
      #expect(try JSONDecoder().decode(RangeSummary.self, from: Self.encoded(summary)) == summary, "seed \(seed)")
    }
  }

  @Test func `the code of a range of a hundred megabytes is less than a kilobyte`() throws {
    var summary = RangeSummary()
    summary.append(Self.summary(of: Array("x\"\n,2],3],4,5],6,7],8,9],1".utf8)[...], from: 9))
    var long = RangeSummary()
    long.extent = TextExtent(byteCount: 100_000_000, newlineCount: 1_000_000, scalarCount: 90_000_000)
    summary.append(long)
    summary.append(Self.summary(of: Array(",2,3],4,5],6,7],8,9],1,1,[2,3,[4,5,[6,7,[8,9,[".utf8)[...], from: 9))
    #expect(summary.inside?.floors.count == 4)
    #expect(summary.inside?.levels.count == 4)
    #expect(try Self.encoded(summary).count < 1000)
  }

  @Test func `a damaged code gives an error, or a summary that can be joined`() throws {
    var accepted = 0, rejected = 0
    for seed in TestDepth.cases(everyday: 300, deep: 5000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let summary = Self.summary(of: RangeTexts.text(seed)[...], from: 0)
      var code = try JSONDecoder().decode([String: [Int]].self, from: Self.encoded(summary))
      for key in code.keys.sorted() {
        guard var list = code[key], !list.isEmpty else { continue }
        let index = Int(random.next() % UInt64(list.count))
        switch random.next() % 6 {
        case 0: list[index] = Int(random.next() % 10)
        case 1: list[index] = [-1, .max, .min, 1 << 52][Int(random.next() % 4)]
        case 2: list.remove(at: index)
        case 3: list.append(0)
        default: break
        }
        code[key] = list
      }
      do {
        let damaged = try JSONDecoder().decode(RangeSummary.self, from: JSONEncoder().encode(code))
        var scan = DocumentScan(after: damaged)
        _ = scan.append(damaged)
        _ = scan.append(summary)
        var joined = summary
        joined.append(damaged)
        accepted += 1
      } catch is DecodingError {
        rejected += 1
      }
    }
    #expect(accepted > 20)
    #expect(rejected > 20)
  }

  // MARK: Stored documents

  @Test func `ranges of a file meet at places where a range may begin`() throws {
    let folder = try TemporaryFolder()
    for seed in TestDepth.cases(everyday: 60, deep: 1000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var bytes = RangeTexts.text(seed, size: 300)
      if seed % 4 == 0 { bytes += Array(repeating: UInt8(ascii: "\\"), count: Int(random.next() % 3000)) }
      if seed % 8 == 0 { bytes += Array("\"".utf8) }
      let path = folder.path.appending("document")
      try Data(bytes).write(to: URL(filePath: path.string))
      let stored = try #require(StoredBytes(try FileSource(path: path)))
      let size = 1 + Int(random.next() % 100)
      var joined = RangeSummary()
      for start in stride(from: 0, to: bytes.count, by: size) {
        #expect(try stored.rangeBoundary(atOrAfter: start) == PlainRange.boundary(in: bytes, atOrAfter: start), "seed \(seed)")
        joined.append(try RangeSummary(of: stored, in: start..<start + size))
      }
      #expect(joined == PlainRange.summary(of: bytes, from: 0), "seed \(seed)")
    }
  }
}

extension RangeSummary {
  /// Scans a range of a document, after moving both of its ends to where a range may begin.
  fileprivate init(of bytes: StoredBytes, in range: Range<Int>) throws {
    let start = try bytes.rangeBoundary(atOrAfter: range.lowerBound)
    let end = try bytes.rangeBoundary(atOrAfter: range.upperBound)
    var source = StoredSource(bytes, start..<end)
    let text = try source.readPrefix(end - start)
    self = text.withUnsafeBytes { RangeSummary(of: $0, from: start) }
  }
}
