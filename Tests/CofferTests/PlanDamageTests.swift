import Foundation
import TestSupport
import Testing

@testable import Coffer

/// Damaged and hostile plans and partial results give an error or a report, and never a trap.
@Suite struct PlanDamageTests {
  private static let rules = """
    {"properties": {"cars": {"primaryKey": "id", "items": {"properties": {"km": {"maximum": 90}}}},
      "trips": {"foreignKeys": [{"fields": "car", "reference": {"resource": "/cars", "fields": "id"}}]}}}
    """
  private static let document = Array(
    """
    {"version": 1, "cars": [\((0..<60).map { "{\"id\": \($0), \"km\": \($0 * 2)}" }.joined(separator: ",\n"))],
     "trips": [\((0..<60).map { "{\"car\": \($0 * 3 % 70)}" }.joined(separator: ", "))], "end": {}}
    """.utf8)
  private static let members = Array(
    """
    {"version": 1, "cars": {\((0..<60).map { "\"c\($0)\": {\"id\": \($0), \"km\": \($0 * 2)}" }.joined(separator: ",\n"))},
     "trips": [\((0..<60).map { "{\"car\": \($0 * 3 % 70)}" }.joined(separator: ", "))], "end": {}}
    """.utf8)
  private static let lines = Array((0..<120).map { "{\"id\": \($0), \"km\": \($0)}\n" }.joined().utf8)

  private static func plan(named name: String) throws -> String {
    let own = SplitPlan.OwnRules(name: "rules.json", text: rules, RuleDocument.Options())
    let source = RuleSource.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules.json")
    let validator = Validator(source, options: ValidationOptions(now: Instant(seconds: 0)))
    let plan = try SplitPlanner(validator, rangeSize: 300).plan([name], into: 3, tool: "test", format: nil, rules: own) {
      StoredBytes(content(of: $0), named: $0)
    }
    #expect(!plan.files[0].gaps.isEmpty)
    var sink = MemorySink()
    try plan.write(to: &sink)
    return String(decoding: sink.bytes, as: UTF8.self)
  }

  private static func content(of name: String) -> [UInt8] {
    name.hasSuffix(".ndjson") ? lines : name.hasPrefix("members") ? members : document
  }

  /// A plan that was read, with the validator that it describes.
  private struct Opened {
    let plan: SplitPlan
    let digest: String
    let validator: Validator

    init(_ text: String) throws {
      (plan, digest) = try SplitPlan.read(MemorySource(text.utf8), tool: "test")
      var options = plan.validationOptions(Execution())
      options.addsPlaces = true
      validator = Validator(try plan.ruleSource(options: RuleDocument.Options()), options: options)
    }

    func partial(_ task: Int) throws -> [UInt8] {
      var sink = MemorySink()
      var keys: MemorySink?
      try SplitTask(task, of: plan, digest: digest, validator).run(
        .files { StoredBytes(content(of: $0), named: $0) }, to: &sink, keys: &keys)
      return sink.bytes
    }

    func partials() throws -> [[UInt8]] { try plan.tasks.indices.map(partial) }

    func report(_ partials: [[UInt8]]) throws -> [ValidationReport] {
      let sources = partials.enumerated().map { (name: "\($0).partial", source: MemorySource($1) as any ByteSource) }
      var reports = try PlanMerge(plan, digest: digest, validator) { StoredBytes(content(of: $0), named: $0) }.reports(sources)
      for index in reports.indices { reports[index].seconds = 0 }
      return reports
    }
  }

  private static let hostileNumbers = [
    "-1", "0", "1", "2", "3", "7", "100", "9007199254740992", "9007199254740993", "9223372036854775807", "18446744073709551615",
    "1e300", "0.5", "null", "[]", "\"x\"",
  ]

  @Test(arguments: ["a.json", "members.json", "a.ndjson"]) func `hostile plans give an error or a report`(name: String) throws {
    let text = try Self.plan(named: name)
    let numbers = text.matches(of: /[0-9]+/).map(\.range)
    var (refused, failed, done) = (0, 0, 0)
    for seed in TestDepth.cases(everyday: 1200, deep: 30_000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var damaged = text
      switch random.next() % 4 {
      case 0, 1:
        let value = Self.hostileNumbers[Int(random.next() % UInt64(Self.hostileNumbers.count))]
        damaged.replaceSubrange(numbers[Int(random.next() % UInt64(numbers.count))], with: value)
      case 2:
        // A number of another place: parts that overlap, or are out of order.
        let other = text[numbers[Int(random.next() % UInt64(numbers.count))]]
        damaged.replaceSubrange(numbers[Int(random.next() % UInt64(numbers.count))], with: other)
      default:
        var bytes = Array(text.utf8)
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
        damaged = String(decoding: bytes, as: UTF8.self)
      }
      let opened: Opened
      do { opened = try Opened(damaged) } catch {
        refused += 1
        continue
      }
      do {
        _ = try opened.report(opened.partials())
        done += 1
      } catch {
        failed += 1
      }
    }
    #expect(refused > 0 && failed > 0 && done > 0)
  }

  /// A plan for the same files whose numbers are consistent, but wrong.
  @Test func `parts beyond the file, and envelopes of another document, give an error or a report`() throws {
    let text = try Self.plan(named: "a.json")
    var plan = try SplitPlan.read(MemorySource(text.utf8), tool: "test").plan
    func result() -> String {
      var sink = MemorySink()
      do {
        try plan.write(to: &sink)
        let opened = try Opened(String(decoding: sink.bytes, as: UTF8.self))
        return try opened.report(opened.partials()).map { $0.error.map { "\($0.code)" } ?? "read" }.joined()
      } catch {
        return (error as? CofferError)?.code.rawValue ?? "\(error)"
      }
    }
    #expect(result() == "read")
    let sound = plan
    plan.files[0].bytes += 1000
    #expect(result() == "plan-mismatch")
    plan = sound
    plan.files[0].pieces[0].bytes = Data("{\"cars\": {".utf8)
    #expect(result() == "plan-mismatch")
    plan.files[0].pieces[0].bytes = Data("[[[[".utf8)
    #expect(result() == "plan-mismatch")
    plan = sound
    plan.files[0].pieces[0].bytes = Data()
    #expect(result() == "plan-mismatch")
    plan = sound
    plan.tasks.swapAt(0, 1)
    #expect(result() == "invalid-plan")
    plan = sound
    plan.tasks[1].parts = []
    #expect(result() == "invalid-plan")
    plan = sound
    plan.tasks[1] = plan.tasks[0]
    #expect(result() == "invalid-plan")
    plan = sound
    plan.tool = "0.0.1"
    #expect(result() == "plan-mismatch")
    plan.tool = "test"
    plan.formatVersion = 2
    #expect(result() == "plan-mismatch")
  }

  @Test func `a damaged partial result gives an error or the right report`() throws {
    let opened = try Opened(Self.plan(named: "a.json"))
    let partials = try opened.partials()
    let expected = try opened.report(partials)
    var refused = 0
    for seed in TestDepth.cases(everyday: 400, deep: 10_000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var damaged = partials
      let task = Int(random.next() % UInt64(damaged.count))
      let index = Int(random.next() % UInt64(damaged[task].count))
      switch random.next() % 3 {
      case 0: damaged[task][index] ^= UInt8(1 << (random.next() % 8))
      case 1: damaged[task].removeLast(damaged[task].count - index)
      default: damaged[task].insert(UInt8(truncatingIfNeeded: random.next()), at: index)
      }
      do {
        let report = try opened.report(damaged)
        #expect(report == expected, "seed \(seed)")
      } catch {
        refused += 1
      }
    }
    #expect(refused > TestDepth.count(everyday: 400, deep: 10_000) / 2)
  }

  /// A valid checksum doesn't prove that the content is valid.
  @Test(arguments: ["a.json", "members.json"]) func `a hostile partial result gives an error or a report`(name: String) throws {
    let opened = try Opened(Self.plan(named: name))
    let partials = try opened.partials()
    var (refused, done) = (0, 0)
    for seed in TestDepth.cases(everyday: 400, deep: 40_000) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var damaged = partials
      let task = Int(random.next() % UInt64(damaged.count))
      var source = LZ4Source(MemorySource(damaged[task]))
      var content = try source.readPrefix(1 << 24)
      for _ in 0...random.next() % 3 {
        let index = Int(random.next() % UInt64(content.count))
        switch random.next() % 4 {
        case 0: content[index] = UInt8(truncatingIfNeeded: random.next())
        case 1: content[index] ^= UInt8(1 << (random.next() % 8))
        case 2: content[index] = [0, 0x7F, 0x80, 0xFF][Int(random.next() % 4)]
        default: content.swapAt(index, Int(random.next() % UInt64(content.count)))
        }
      }
      var writer = LZ4StreamWriter(to: MemorySink())
      try writer.write(content)
      try writer.finish()
      damaged[task] = writer.sink.bytes
      do {
        _ = try opened.report(damaged)
        done += 1
      } catch {
        refused += 1
      }
    }
    #expect(refused > 0 && done > 0)
  }
}
