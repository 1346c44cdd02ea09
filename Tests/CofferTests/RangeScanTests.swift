import Foundation
import TestSupport
import Testing

@testable import Coffer

/// Plans from scans of other processes.
@Suite struct RangeScanTests {
  private static func scan(
    _ document: [UInt8], _ range: Range<Int>, in file: String? = nil, syntax: JSONSyntax = .json
  ) throws -> RangeScan {
    try RangeScan(
      of: MemorySource(Array(document[range]), chunkSize: 1 + range.count / 3), from: range.lowerBound, to: range.upperBound,
      in: file, syntax: syntax, cancellation: nil)
  }

  /// The lines of a file of scans.
  private static func lines(_ scans: [RangeScan]) -> [String] {
    scans.map { String(decoding: $0.sortedJSON, as: UTF8.self) }
  }

  private static func read(_ lines: [String]) throws -> RangeScans {
    var scans = RangeScans()
    try scans.read(MemorySource(lines.joined(separator: "\n").utf8), named: "scans.ndjson")
    return scans
  }

  /// Ranges of a document at random places.
  private static func ranges(_ document: [UInt8], _ random: inout SeededRandom, most: Int = 12) -> [Range<Int>] {
    var cuts = Set([0, document.count])
    for _ in 0..<random.next() % UInt64(most) { cuts.insert(Int(random.next() % UInt64(document.count + 1))) }
    let sorted = cuts.sorted().filter { RangeScan.canBegin(at: $0) || $0 == document.count }
    return zip(sorted, sorted.dropFirst()).map { $0..<$1 }
  }

  @Test func `scans match the summaries of ranges that don't start after a backslash`() throws {
    var moved = 0
    for seed in TestDepth.cases(everyday: 500, deep: 20_000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let characters = Array(#"\\\\\\"",x"#.utf8)
      let document =
        seed % 4 == 0
        ? RandomDocument(seed: seed, size: 300).bytes
        : (0...random.next() % 60).map { _ in characters[Int(random.next() % UInt64(characters.count))] }
      let ranges = Self.ranges(document, &random)
      let stored = StoredBytes(document, named: "random")
      let lines = try Self.lines(ranges.map { try Self.scan(document, $0) })
      var scans = try Self.read(lines.shuffled(using: &random))
      let found = try #require(try scans.remove(of: "random", isOnlyFile: true, byteCount: document.count))
      #expect(found.map(\.range) == ranges)
      let expected = try ranges.map { try RangeSummary(of: stored, in: $0) }
      #expect(RangeScan.summaries(of: found) == expected, "seed \(seed)")
      if zip(ranges, expected).contains(where: { $0.count != $1.extent.byteCount }) { moved += 1 }
    }
    #expect(moved > TestDepth.count(everyday: 500, deep: 20_000) / 3)
  }

  private static func plan(
    _ document: [UInt8], named name: String, rangeSize: Int, scans: RangeScans = RangeScans(),
    opening open: (String, [UInt8]) -> StoredBytes = { StoredBytes($1, named: $0) }
  ) throws -> String {
    let validator = Validator(try .syntaxOnly(), options: ValidationOptions(now: Instant(seconds: 0)))
    var plan = try SplitPlanner(validator, rangeSize: rangeSize).plan(
      [name], into: 3, tool: "test", format: nil, rules: nil, scans: scans
    ) { open($0, document) }
    plan.key = [1, 2]
    var sink = MemorySink()
    try plan.write(to: &sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  @Test(arguments: ["random.json", "random.ndjson"])
  func `scans by several processes give the plan of a single process with the same ranges`(name: String) throws {
    let isLines = name.hasSuffix(".ndjson")
    var cut = 0
    for seed in TestDepth.cases(everyday: 200, deep: 5000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var document: [UInt8] = []
      if isLines {
        if seed % 5 == 0 { document = [0xEF, 0xBB, 0xBF] }
        for _ in 0..<random.next() % 20 {
          document += ["{\"a\":1}\n", "\n", " \r\n", "[1,\"é\"]\r\n", "2\n"][Int(random.next() % 5)].utf8
        }
        if seed % 2 == 0 { document += "\"last\"".utf8 }
      } else {
        var text = RandomDocument(seed: seed, size: 900)
        if seed % 3 == 0 { text.damage() }
        document = text.bytes
      }
      let rangeSize = [3, 5, 40, 300][Int(seed % 4)]
      let ranges = stride(from: 0, to: document.count, by: rangeSize).map { $0..<min($0 + rangeSize, document.count) }
      let syntax: JSONSyntax = isLines ? .jsonLines : .json
      let scans = try Self.lines(ranges.map { try Self.scan(document, $0, in: name, syntax: syntax) }).shuffled(using: &random)
      let expected = try Self.plan(document, named: name, rangeSize: rangeSize)
      #expect(try Self.plan(document, named: name, rangeSize: rangeSize, scans: Self.read(scans)) == expected, "seed \(seed)")
      cut += expected.contains("\"gap\":0") ? 1 : 0
    }
    #expect(cut > TestDepth.count(everyday: 200, deep: 5000) / 3)
  }

  private static let document = Array(("{\"a\":[" + (0..<100).map(String.init).joined(separator: ",") + "]}").utf8)
  private static let documentScans: [String] = {
    let ranges = stride(from: 0, to: document.count, by: 50).map { $0..<min($0 + 50, document.count) }
    return (try? lines(ranges.map { try scan(document, $0, in: "a.json") })) ?? []
  }()

  @Test func `the scan of a large range has less than a kilobyte`() throws {
    let item = Array(#"{"a":[{"b":[{"c":"]}","d":["#.utf8)
    let document = Array(repeating: item, count: 2000).flatMap(\.self)
    let middle = document.count / 2
    for range in [0..<middle, middle..<document.count] {
      #expect(try Self.lines([Self.scan(document, range, in: "export.json")])[0].utf8.count < 1000)
    }
  }

  @Test func `gaps, overlaps, wrong sizes and other files are named`() throws {
    let scans = Self.documentScans
    #expect(scans.count == 6)
    func expectRefusal(
      _ lines: [String], _ message: String, _ code: CofferError.Code = .planMismatch, named name: String = "a.json"
    ) throws {
      let error = #expect(throws: CofferError.self) {
        try Self.plan(Self.document, named: name, rangeSize: 50, scans: Self.read(lines))
      }
      #expect(error?.message == message)
      #expect(error?.code == code)
    }
    try expectRefusal(Array(scans.dropFirst()), "a.json: bytes 0-50 have not been scanned")
    try expectRefusal(Array(scans[..<2]) + scans[3...], "a.json: bytes 100-150 have not been scanned")
    try expectRefusal(Array(scans.dropLast()), "a.json: bytes 250-297 have not been scanned")
    try expectRefusal(scans + [scans[1]], "a.json: the scans of 50-100 and 50-100 overlap: pass only one of them")
    let wide = try Self.lines([Self.scan(Self.document, 40..<110, in: "a.json")])
    try expectRefusal(scans + wide, "a.json: the scans of 0-50 and 40-110 overlap: pass only one of them")
    let longer = try Self.lines([Self.scan(Self.document + [32], 250..<298, in: "a.json")])
    try expectRefusal(scans.dropLast() + longer, "a.json: the scans end at byte 298, but the file has 297 bytes")
    try expectRefusal(scans, "there are scans of a.json, which is not in the plan", named: "b.json")
    let ofLines = try Self.lines([Self.scan(Self.document, 0..<297, in: "a.json", syntax: .jsonLines)])
    try expectRefusal(ofLines, "the scans of a.json are of JSON Lines", .scanSyntax)
    let error = #expect(throws: CofferError.self) { try Self.read(scans + ["", "{}"]) }
    #expect(error?.code == .invalidScan)
    #expect(error?.message == "scans.ndjson:8: this is not a scan")
  }

  @Test func `a range without its bytes is refused`() {
    let source = MemorySource("abc".utf8)
    for (end, words) in [(12, "more than"), (14, "only 3 of")] {
      let error = #expect(throws: CofferError.self) {
        try RangeScan(of: source, from: 10, to: end, in: nil, syntax: .json, cancellation: nil)
      }
      #expect(error?.code == .planMismatch)
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    #expect(throws: CofferError.self) {
      try RangeScan(of: MemorySource([]), from: 0, to: nil, in: nil, syntax: .json, cancellation: nil)
    }
  }

  /// Whatever the scans say, the result is an error or a plan whose tasks can be read.
  @Test func `hostile scans give an error or a valid plan`() throws {
    var (accepted, refused) = (0, 0)
    for seed in TestDepth.cases(everyday: 1500, deep: 50_000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var lines = Self.documentScans
      let index = Int(random.next() % UInt64(lines.count))
      switch random.next() % 4 {
      case 0:
        // A number, by a number or something else.
        let numbers = lines[index].matches(of: /[0-9]+/)
        let number = numbers[Int(random.next() % UInt64(numbers.count))]
        let values = [
          "0", "1", "2", "47", "-1", "1e300", "9223372036854775807", "9223372036854775808", "4503599627370496", "null", "[]",
          "\"\"",
        ]
        lines[index].replaceSubrange(number.range, with: values[Int(random.next() % UInt64(values.count))])
      case 1:
        var bytes = Array(lines[index].utf8)
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        lines[index] = String(decoding: bytes, as: UTF8.self)
      case 2: lines[index] = String(decoding: RandomDocument(seed: seed, size: 200).bytes.filter { $0 != 10 }, as: UTF8.self)
      default:
        // The content of another range.
        let other = lines[Int(random.next() % UInt64(lines.count))]
        if let range = lines[index].firstRange(of: /"summary".*/), let summary = other.firstRange(of: /"summary".*/) {
          lines[index].replaceSubrange(range, with: other[summary])
        }
      }
      let plan: String
      do {
        plan = try Self.plan(Self.document, named: "a.json", rangeSize: 50, scans: Self.read(lines))
      } catch is CofferError {
        refused += 1
        continue
      }
      _ = try SplitPlan.read(MemorySource(plan.utf8), tool: "test")
      accepted += 1
    }
    #expect(accepted > 0 && refused > 0)
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
