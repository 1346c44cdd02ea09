import ByteStreams
import TestSupport
import Testing

@testable import JSONEvents

@Suite struct SlicerTests {
  private static func options(_ size: Int, largest: Int? = nil) -> Slicer.Options {
    var options = Slicer.Options()
    options.sliceSize = size
    options.largestSlice = max(size, largest ?? 1 << 20)
    return options
  }

  /// The slicer guesses and the readers verify: sliced or not, any document gives the same events at the same places and the same
  /// error.
  @Test(arguments: [1, 50, 200, 1000], [false, true])
  func `slicing changes neither events nor errors`(sliceSize: Int, isDamaged: Bool) throws {
    var sliceCount = 0
    var objectSliceCount = 0
    for seed in TestDepth.cases(everyday: 80, deep: 400) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var document = RandomDocument(seed: seed &+ UInt64(sliceSize) << 32, size: 3000)
      if isDamaged { document.damage() }
      var limits = ReaderLimits(chunkSize: [1, 17, 256, 65536][Int(random.next() % 4)])
      if random.next() % 8 == 0 { limits.depth = 1 + Int(random.next() % 5) }
      if random.next() % 8 == 0 { limits.tokenSize = 2 + Int(random.next() % 20) }
      let whole = try EventDump(document.bytes, limits: limits)
      let sliced = try SlicedDump(
        MemorySource(document.bytes, chunkSize: 1 + Int(random.next() % 300)),
        slices: Self.options(sliceSize, largest: [300, 100_000][Int(random.next() % 2)]), limits: limits,
        takesObjects: seed % 2 == 0, refuses: { seed % 5 == 0 && $0 % 2 == 0 })
      #expect(sliced.error == whole.error, "seed \(seed)")
      #expect(sliced.events == whole.events, "seed \(seed)")
      sliceCount += sliced.sliceCount
      objectSliceCount += sliced.objectSliceCount
    }
    #expect(objectSliceCount > TestDepth.count(everyday: 8, deep: 40))
    #expect(sliceCount > TestDepth.count(everyday: 30, deep: 150), "the documents are large enough to be sliced")
  }

  @Test(arguments: ["\u{0}", "x", "]", "\"", "{\"a\": tru"])
  func `a fault at the start doesn't make the slicer read everything`(fault: String) throws {
    // The quote begins a string, which must end within its limit.
    let bytes = Array(fault.utf8) + [0xFF] + Array(repeating: 0, count: 4 << 20)
    let source = CountedSource(bytes, chunkSize: 4096)
    var reader = JSONEventReader(Slicer(source, options: Self.options(1000)))
    #expect(throws: CofferError.self) { while try reader.next() {} }
    #expect(source.tally.reads < 100)
  }

  /// The scan ends at a block's start; slices may end in the same block, before the fault.
  @Test(arguments: 0..<64) func `a bracket too many right after the records is an error`(blanks: Int) throws {
    let records = (0..<100).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    let document = String(repeating: " ", count: blanks) + "[\(records)]]" + String(repeating: " ", count: 2000)
    let dump = try SlicedDump(MemorySource(document.utf8, chunkSize: 64), slices: Self.options(200))
    let whole = try EventDump(document.utf8)
    #expect(dump.error != nil && dump.error == whole.error)
    #expect(dump.events == whole.events)
  }

  @Test func `a slice has the place and index of its first record`() throws {
    let text = "{\"é\":1, \"cars\": [\n {\"id\": 1, \"x\": \"[,\\\"\"},\n {\"id\": 2}, {\"id\": 3}\n], \"end\": [4]}"
    let padded = text + String(repeating: " ", count: 200)
    let slicer = Slicer(MemorySource(padded.utf8, chunkSize: 1), options: Self.options(20))
    var reader = JSONEventReader(slicer)
    while slicer.recordsBefore == nil { _ = try reader.next() }
    #expect(slicer.depth == 2)
    #expect(slicer.recordsBefore == 0)
    let slice = try #require(slicer.nextSlice())
    #expect(slice.start == TextPosition(offset: 18, line: 1, column: 18))
    #expect(slice.firstIndex == 0)
    #expect(slice.recordCount == 2)
    let next = try #require(slicer.nextSlice())
    #expect(next.firstIndex == 2)
    #expect(next.recordCount == 1)
    #expect(next.start.line == 3)
    #expect(next.start.column == 12)
    #expect(slicer.nextSlice() == nil)
    #expect(slicer.envelope.position.line == 4)
    #expect(slicer.envelope.position.column == 1)
  }

  @Test(arguments: [
    ("[RECORDS]", 1), (#"{"a":[RECORDS]}"#, 2), (#"{"a":{"b":[RECORDS]}}"#, 3),
    (#"{"a":1,"b":{"c":2,"d":[RECORDS],"e":[RECORDS]}}"#, 3),
  ])
  func `collections at the root and up to two levels below are sliced`(shape: String, depth: Int) throws {
    let records = (0..<200).map { #"{"id":\#($0),"name":"record"}"# }.joined(separator: ",")
    let document = shape.replacing("RECORDS", with: records)
    let dump = try SlicedDump(MemorySource(document.utf8), slices: Self.options(1000))
    #expect(dump.error == nil)
    #expect(dump.sliceCount >= 5)
    #expect(dump.events == (try EventDump(document.utf8).events))
  }

  @Test func `deeper arrays are part of the envelope`() throws {
    let records = (0..<200).map { #"{"id":\#($0),"name":"record"}"# }.joined(separator: ",")
    let dump = try SlicedDump(MemorySource(#"{"a":{"b":{"c":[\#(records)]}}}"#.utf8), slices: Self.options(1000))
    #expect(dump.sliceCount == 0)
    #expect(dump.error == nil)
  }

  @Test func `a record larger than the largest slice is part of the envelope`() throws {
    func document(_ length: Int) -> String {
      let large = #"{"text":"\#(String(repeating: "x", count: length))"}"#
      let small = (0..<100).map { #"{"id":\#($0)}"# }.joined(separator: ",")
      return "[\(small),\(large),\(small)]"
    }
    let large = try SlicedDump(MemorySource(document(5000).utf8), slices: Self.options(500, largest: 10_000))
    #expect(large.largestSlice > 5000)
    #expect(large.events == (try EventDump(document(5000).utf8).events))
    let tooLarge = try SlicedDump(MemorySource(document(50_000).utf8), slices: Self.options(500, largest: 10_000))
    #expect(tooLarge.largestSlice < 10_000)
    #expect(tooLarge.sliceCount >= 4, "the records after it are sliced again")
    #expect(tooLarge.events == (try EventDump(document(50_000).utf8).events))
  }

  @Test func `records before an error of the source are read`() throws {
    let records = (0..<300).map { #"{"id":\#($0)}"# }.joined(separator: ",")
    var seen = 0
    #expect(throws: CofferError.self) {
      let slicer = Slicer(FailingSource(Array("[\(records)".utf8)), options: Self.options(500))
      var reader = JSONEventReader(slicer)
      while try reader.next() {
        guard slicer.recordsBefore != nil else { continue }
        while let slice = slicer.nextSlice() { seen = slice.firstIndex + slice.recordCount }
        reader.skipItems(to: slicer.envelope.position, followsComma: slicer.envelope.followsComma)
      }
    }
    #expect(seen == 299)
  }
}
