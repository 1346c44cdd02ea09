import ByteStreams
import CByteScan
import TestSupport
import Testing

@testable import JSONEvents

@Suite struct DocumentScanTests {
  private static func summary(of bytes: ArraySlice<UInt8>, from offset: Int) -> RangeSummary {
    Array(bytes).withUnsafeBytes { buffer in
      var scanner = RangeScanner(from: offset)
      scanner.consume(buffer)
      return scanner.finish()
    }
  }

  @Test func `the places of ranges are those of a plain loop over the document`() {
    var cutCount = 0
    for seed in TestDepth.cases(everyday: 800, deep: 20_000) as Range<UInt64> {
      let bytes = RangeTexts.text(seed)
      var random = SeededRandom(seed: seed)
      let cuts = RangeTexts.cuts(bytes, &random)
      var scan = DocumentScan()
      let places = zip([0] + cuts, cuts + [bytes.count]).map { scan.append(Self.summary(of: bytes[$0..<$1], from: $0)) }
      #expect(places == PlainRange.places(of: bytes, cutAt: cuts), "seed \(seed)")
      cutCount += places.flatMap(\.enclosing).filter { $0.firstCut != nil }.count
    }
    #expect(cutCount > TestDepth.count(everyday: 500, deep: 10_000))
  }

  /// The scan of a document from its start is what slices are cut by.
  @Test func `the open containers are those of a scan from the document's start`() {
    var openCount = 0
    for seed in TestDepth.cases(everyday: 500, deep: 10_000) as Range<UInt64> {
      var document = RandomDocument(seed: seed, size: 1000)
      if seed % 3 == 0 { document.damage() }
      let bytes = document.bytes
      var random = SeededRandom(seed: seed)
      var state = DocumentScan()
      var start = 0
      for end in RangeTexts.cuts(bytes, &random) {
        _ = state.append(Self.summary(of: bytes[start..<end], from: start))
        start = end
        var scan = coffer_scan()
        coffer_scan_start(&scan, COFFER_SCAN_PORTABLE, PlainRange.hasByteOrderMark(bytes) ? 1 : 0)
        coffer_scan_blocks(&scan, bytes, end & ~63)
        if scan.is_suspect == 0 { coffer_scan_finish(&scan, Array(bytes[(end & ~63)..<end]), end & 63) }
        if scan.is_suspect != 0 || state.isSuspect { break }
        #expect(state.depth == Int(scan.depth), "seed \(seed)")
        #expect(state.isInString == (scan.in_string != 0), "seed \(seed)")
        for (container, level) in zip(state.containers, [scan.levels.0, scan.levels.1, scan.levels.2]) {
          #expect(container.isArray == (level.is_array != 0), "seed \(seed)")
          #expect(container.inside == Self.mark(level.inside).position, "seed \(seed)")
          if container.isArray { #expect(container.latest == Self.mark(level.latest), "seed \(seed)") }
          openCount += 1
        }
      }
    }
    #expect(openCount > TestDepth.count(everyday: 1000, deep: 20_000))
  }

  private static func mark(_ mark: coffer_scan_mark) -> RangePlaces.Mark {
    RangePlaces.Mark(
      position: TextPosition(offset: Int(mark.offset), line: Int(mark.line), column: Int(mark.column)), index: Int(mark.commas))
  }

  @Test func `a collection's cuts have the index of the record that follows`() throws {
    let first = "{\"é\": 1, \"cars\": [\n{\"id\": 1, \"x\": \"[,\"}, {\"id\": [2"
    let second = ", 3]},\n{}, {}], \"ideas\": [[0,"
    var scan = DocumentScan()
    let start = scan.append(Self.summary(of: Array(first.utf8)[...], from: 0))
    #expect(start.enclosing.isEmpty)
    #expect(start.open.map(\.isArray) == [false, true, false])
    #expect(start.open[1].inside == TextPosition(offset: 19, line: 1, column: 19))
    #expect(start.open[1].latest == RangePlaces.Mark(position: TextPosition(offset: 41, line: 2, column: 22), index: 1))

    let places = scan.append(Self.summary(of: Array(second.utf8)[...], from: first.utf8.count))
    #expect(!places.isSuspect)
    #expect(places.start == TextPosition(offset: 51, line: 2, column: 32))
    #expect(places.enclosing[0].firstCut == places.enclosing[0].lastCut)
    #expect(places.enclosing[0].lastCut?.index == 2)
    #expect(places.enclosing[0].end == nil)
    let collection = places.enclosing[1]
    #expect(collection.isArray)
    #expect(collection.firstCut == RangePlaces.Mark(position: TextPosition(offset: 57, line: 2, column: 38), index: 2))
    #expect(collection.lastCut == RangePlaces.Mark(position: TextPosition(offset: 61, line: 3, column: 4), index: 3))
    #expect(collection.end == RangePlaces.Mark(position: TextPosition(offset: 64, line: 3, column: 7), index: 3))
    #expect(places.open.map(\.isArray) == [false, true, true])
    #expect(places.open[1].inside == TextPosition(offset: 77, line: 3, column: 20))
    #expect(places.open.map(\.latest.index) == [2, 0, 1])
  }

  @Test(arguments: ["[1]]", "[1, x]", "[\"a\n\"]", "]", "{\"a\": [\u{0B}]"])
  func `a malformed document is suspect from there on`(document: String) {
    var scan = DocumentScan()
    #expect(scan.append(Self.summary(of: Array("[2,".utf8)[...], from: 0)).isSuspect == false)
    _ = scan.append(Self.summary(of: Array("3]".utf8)[...], from: 3))
    let places = scan.append(Self.summary(of: Array(document.utf8)[...], from: 5))
    #expect(places.isSuspect)
    #expect(places.enclosing.isEmpty)
    #expect(places.open.isEmpty)
    let next = scan.append(Self.summary(of: Array("[[".utf8)[...], from: 9))
    #expect(next.isSuspect)
    #expect(next.open.isEmpty)
  }
}
