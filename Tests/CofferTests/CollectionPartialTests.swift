import Rules
import TestSupport
import Testing

@testable import Coffer

/// Runs of slices that are evaluated elsewhere and merged give the result of one process.
@Suite struct CollectionPartialTests {
  private struct Case {
    let rules: RuleDocument
    let document: [UInt8]
    var plan: PartialsConsumer.Plan

    /// `nil` if the random rules can't be compiled.
    init?(_ seed: UInt64) {
      let text = RandomRules.text(seed: seed).replacing(
        #""uniqueKeys": [["id"], "#, with: #""uniqueKeys": [{"fields": "id", "ifEqual": "note"}, "#)
      guard let rules = try? RuleDocument(MemorySource(text.utf8)), let program = try? rules.compiled(),
        let sameProgram = try? rules.compiled()
      else { return nil }
      self.rules = rules
      var document = RandomDocument(seed: seed &* 7 &+ 1, size: 1200)
      if seed % 5 == 0 { document.damage() }
      self.document = document.bytes
      var options = EvaluationOptions(
        now: Instant(seconds: 1_782_681_300), key: SipHash128.Key(low: seed, high: seed &* 3))
      options.maximumFindings = [0, 1, 3, 1000][Int(seed / 3 % 4)]
      options.duplicateKeys = seed % 2 == 0 ? .error : nil
      options.redacts = seed % 7 == 0
      options.gathersEntries = true
      if seed % 4 == 0 { options.findingMemory = 4000 }
      plan = PartialsConsumer.Plan(
        programs: [program, sameProgram], options: options, limits: ReaderLimits(), seed: seed,
        memoryLimit: [0, 1500, 20_000, 1 << 28][Int(seed / 7 % 4)])
    }

    /// - Throws: for rules or documents that can't be read.
    init(rules: String, document: String, _ options: EvaluationOptions, seed: UInt64) throws {
      self.rules = try RuleDocument(MemorySource(rules.utf8))
      self.document = Array(document.utf8)
      plan = PartialsConsumer.Plan(
        programs: [try self.rules.compiled()], options: options, limits: ReaderLimits(), seed: seed)
    }

    typealias Result = (outcome: PartialsConsumer.Outcome, runs: Int, combinations: Int, refused: Int)

    func run(_ plan: PartialsConsumer.Plan, slices: Slicer.Options?, _ observe: @escaping ([UInt8]) -> Void = { _ in }) -> Result
    {
      var options = PassOptions(limits: plan.limits, execution: Execution(), slices: slices)
      options.execution.jobs = 1
      options.keys = plan.options.keyComparison
      var pass = DocumentPass(MemorySource(document), for: PartialsConsumer(plan, observe), options: options)
      var failure: CofferError?
      do {
        try pass.run()
      } catch {
        failure = error as? CofferError
        #expect(failure != nil, "\(error)")
      }
      var outcome = pass.consumer.outcome
      outcome.error = failure
      return (outcome, pass.consumer.runCount, pass.consumer.combinationCount, pass.consumer.refusedCount)
    }
  }

  @Test(arguments: 0..<20) func `runs of slices, their order of merging and memory limits do not change the result`(part: Int) {
    var (compared, findings, runs, combinations) = (0, 0, 0, 0)
    var seed = UInt64(part) << 32
    let count = TestDepth.count(everyday: 40, deep: 1000)
    while compared < count {
      seed += 1
      guard let this = Case(seed) else { continue }
      var random = SeededRandom(seed: seed)
      var sequential = this.plan
      // Results must not depend on the key.
      sequential.options.key = SipHash128.Key(low: 1, high: 2)
      let expected = this.run(sequential, slices: nil).0
      var slices = Slicer.Options()
      slices.sliceSize = [1, 80, 300][Int(random.next() % 3)]
      slices.largestSlice = [300, 1 << 20][Int(random.next() % 2)]
      let result = this.run(this.plan, slices: slices)
      #expect(result.0 == expected, "seed \(seed)")
      compared += 1
      findings += expected.counts.total > 0 ? 1 : 0
      runs += result.runs
      combinations += result.combinations
    }
    // Otherwise the cases would prove nothing.
    #expect(findings > count * 2 / 5)
    #expect(runs > count && combinations > count / 4)
  }

  // MARK: Many equal keys

  private static let keyRules = #"""
    {"properties": {
      "trips": {
        "primaryKey": "id", "sortedBy": "id",
        "uniqueKeys": [{"fields": "n", "ifEqual": "note"}, {"fields": "m", "acrossArrays": true}],
        "items": {"properties": {"name": {"maxLength": 3}, "parts": {"uniqueKeys": ["id"]},
          "tags": {"items": {"maximum": 30}}}},
        "foreignKeys": [
          {"fields": "ref", "reference": {"resource": "/cars", "fields": "id"}},
          {"fields": ["ref", "m"], "at": "m", "severity": "warning",
           "reference": {"resource": "/cars", "fields": ["id", "m"]}},
          {"fields": "tags/*", "reference": {"resource": "/cars", "fields": "id"}},
          {"fields": "n", "reference": {"resource": "1/tags"}, "severity": "warning"}]},
      "cars": {"primaryKey": {"fields": "id", "acrossArrays": true}}}}
    """#

  private static func keyDocument(_ random: inout SeededRandom) -> String {
    func below(_ bound: Int, _ random: inout SeededRandom) -> Int { Int(random.next() % UInt64(bound)) }
    var trips: [String] = []
    let pool = [2, 5, 40][below(3, &random)]
    for _ in 0..<30 + below(60, &random) {
      if trips.count > 3, below(4, &random) == 0 {
        trips.append(trips[below(trips.count, &random)])
        continue
      }
      let numbers = (0..<8).map { _ in below(pool, &random) }
      let name = String(repeating: "x", count: below(3, &random) == 0 ? 400 : below(9, &random))
      trips.append(
        #"""
        {"id": \#(numbers[0]), "n": \#(numbers[1]), "m": \#(numbers[2]), "ref": \#(numbers[3]), "name": "\#(name)",
         "tags": [\#(numbers[4]), \#(numbers[5])], "parts": [{"id": \#(numbers[6])}, {"id": \#(numbers[7])}]}
        """#)
    }
    let cars = (0..<pool / 2).map { #"{"id": \#($0 * 2), "m": \#($0)}"# }.joined(separator: ", ")
    let collections = [#""trips": [\#(trips.joined(separator: ", "))]"#, #""cars": [\#(cars)]"#]
    return "{\((random.next() % 2 == 0 ? collections : collections.reversed()).joined(separator: ", "))}"
  }

  @Test(arguments: TestDepth.cases(everyday: 80, deep: 3000) as Range<UInt64>)
  func `repeated keys and references are counted in runs of slices`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: seed, high: 2))
    options.maximumFindings = [0, 1, 3, 20, 1000][Int(seed % 5)]
    if seed % 4 == 0 { options.findingMemory = 3000 + Int(random.next() % 6000) }
    var this = try Case(rules: Self.keyRules, document: Self.keyDocument(&random), options, seed: seed)
    this.plan.memoryLimit = [0, 3000, 1 << 20][Int(seed / 5 % 3)]
    let expected = this.run(this.plan, slices: nil).outcome
    let result = this.run(this.plan, slices: Self.slices(ofSize: [1, 200, 1000][Int(seed / 15 % 3)]))
    #expect(result.outcome == expected)
    #expect(expected.counts.byCode.count > 4)
  }

  @Test(arguments: [0, 30, 1000]) func `references that are counted and might still be shown are all counted`(limit: Int) throws {
    var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 1, high: 2))
    options.maximumFindings = limit
    let rules = #"""
      {"properties": {"trips": {"foreignKeys": [{"fields": "ref", "reference": {"resource": "/cars", "fields": "id"}}]}}}
      """#
    let records = Array(repeating: #"{"ref": 7}"#, count: 50).joined(separator: ", ")
    for seed in 0..<20 as Range<UInt64> {
      let this = try Case(rules: rules, document: #"{"trips": [\#(records)], "cars": []}"#, options, seed: seed)
      let outcome = this.run(this.plan, slices: Self.slices(ofSize: 30)).outcome
      #expect(outcome.counts.total == 50)
      #expect(outcome.findings.count == min(limit, 50))
      #expect(outcome == this.run(this.plan, slices: nil).outcome)
    }
  }

  @Test(arguments: [0, 3, 1000])
  func `decimal strings and objects whose members are records give the result of one process`(limit: Int) throws {
    let rules = #"""
      {"properties": {
        "total": {"format": "decimal", "sumOf": {"values": "/walks/*/price"}},
        "sum": {"sumOf": {"values": "/walks/*/paid"}},
        "count": {"countOf": "/dogs"},
        "walks": {
          "items": {"properties": {
            "price": {"format": "decimal", "formatMaximum": {"$data": "/most"}}, "paid": {"type": ["integer", "string"]}}},
          "foreignKeys": [{"fields": "dog", "reference": {"resource": "/dogs"}}, {"fields": "dog", "reference": {"resource": "/cats"}}]}}}
      """#
    let walks = (0..<90).map { index in
      let paid = index % 40 == 33 ? #""x""# : "\(index)"
      return #"{"dog": "\#(["d0", "d1", "7", "c0"][index % 4])", "price": "\#(index).10", "paid": \#(paid)}"#
    }
    let total = "\(90 * 89 / 2 + 9).0"
    let others = [
      #""total": "\#(total)", "sum": 1, "count": 3"#, #""dogs": {"d0": {}, "d1": {"d2": 1}, "7": []}, "cats": {"c0": 1}"#,
      #""most": true"#,
    ]
    let list = #""walks": [\#(walks.joined(separator: ", "))]"#
    for members in [others + [list], [list] + others] {
      var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 1, high: 2))
      options.maximumFindings = limit
      for seed in 0..<10 as Range<UInt64> {
        let this = try Case(rules: rules, document: "{\(members.joined(separator: ", "))}", options, seed: seed)
        let expected = this.run(this.plan, slices: nil).outcome
        #expect(this.run(this.plan, slices: Self.slices(ofSize: 100)).outcome == expected)
        // The total is right. Each price waits for a bound that isn't a number. One of the paid amounts stands for all others.
        #expect(expected.counts.byCode == ["format-maximum": 90, "sum-of": 1, "foreign-key": 90])
      }
    }
  }

  // MARK: Limits and damage

  /// Small slices, so that there are many runs.
  private static func slices(ofSize size: Int) -> Slicer.Options {
    var slices = Slicer.Options()
    slices.sliceSize = size
    return slices
  }

  private static let waiting = [
    // Fields, sums and lists of an object around the collection, and of the root; counts.
    #"{"properties": {"v": {"maximum": {"$data": "3/top"}}}}"#,
    #"{"properties": {"v": {"sumOf": {"values": "3/more/*"}}}}"#,
    #"{"properties": {"v": {"enum": {"$data": "3/more"}}}}"#,
    #"{"properties": {"v": {"sumOf": {"values": "/more/*"}}}}"#,
    #"{"properties": {"v": {"countOf": "/more"}}}"#,
    #"{"properties": {"v": {"maximum": {"$data": "3/top"}}, "w": {"countOf": "/more"}}}"#,
    // Of these, any number may wait.
    #"{"properties": {"v": {"maximum": {"$data": "/top"}}}}"#,
  ]

  @Test(arguments: waiting, [500, 2500])
  func `the value that exceeds a limit is the same in runs of slices`(items: String, count: Int) throws {
    var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 1, high: 2))
    options.memoryLimit = 100_000
    let records = (0..<count).map { #"{"v": \#($0 % 7), "w": 1}"# }.joined(separator: ", ")
    let document = #"{"list": [\#(records)], "top": 3, "more": [1, 2]}"#
    let this = try Case(rules: #"{"properties": {"list": {"items": \#(items)}}}"#, document: document, options, seed: 9)
    var plan = this.plan
    plan.isDirect = true
    let slices = Self.slices(ofSize: 1000)
    let expected = this.run(plan, slices: slices).outcome
    let result = this.run(this.plan, slices: slices)
    #expect(result.outcome == expected)
    let exceeds = count > 1000 && items != Self.waiting.last
    #expect((result.outcome.error?.code == .ruleLimit) == exceeds)
    #expect((result.refused > 0) == exceeds)
    #expect(result.runs > 3)
  }

  private static func list(_ count: Int, _ item: (Int) -> String) -> String { (0..<count).map(item).joined(separator: ", ") }

  /// The rules of an item, the item, and the keyword that takes most steps.
  private static let costly = [
    (
      (0..<40).reduce(#"{"properties": {"b": true}}"#) { inner, _ in #"{"anyOf": [\#(inner)], "unevaluatedProperties": false}"# },
      #"{"a": 1}"#, "unevaluatedProperties"
    ),
    (#"{"allOf": [\#(list(2000) { #"{"not": {"const": \#($0)}}"# })]}"#, "1", "not"),
    (#"{"allOf": [\#(list(4000) { #"{"minimum": -\#($0)}"# })]}"#, "1", "minimum"),
    (
      #"{"dependentSchemas": {\#(list(90) { name in #""a\#(name)": {"required": [\#(list(90) { #""b\#($0)""# })]}"# })}}"#,
      #"{"a1": 1}"#, "dependentSchemas"
    ),
    (#"{"pattern": "^(a+)+$"}"#, #""aaaaaaaaaaaaaaaaaaaaaaaaaaaa!""#, "pattern"),
    (#"{"patternProperties": {\#(list(500) { #""^x\#($0)": {"type": "integer"}"# })}}"#, #"{"x1": 1}"#, "type"),
    (#"{"allOf": [\#(list(2000) { #"{"contains": {"const": \#($0)}, "minContains": 0}"# })]}"#, "[1, 1, 1]", "contains"),
    (##"{"uniqueItems": true, "items": {"$ref": "#/properties/list/items"}}"##, deep(400), "uniqueItems"),
    (
      ##"{"oneOf": [{"items": {"$ref": "#/properties/list/items"}}, {"maxItems": 0}], "unevaluatedItems": false}"##,
      deep(400), "oneOf"
    ),
  ]

  private static func deep(_ levels: Int) -> String {
    String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
  }

  @Test(arguments: costly)
  func `rules that take too many steps end at the same value in runs of slices`(items: String, item: String, keyword: String)
    throws
  {
    var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 1, high: 2))
    options.stepLimit = 500_000
    let document = #"{"list": [\#(Self.list(600) { _ in item })]}"#
    let this = try Case(rules: #"{"properties": {"list": {"items": \#(items)}}}"#, document: document, options, seed: 9)
    let expected = this.run(this.plan, slices: nil).outcome
    #expect(expected.error?.code == .ruleLimit)
    #expect(expected.error?.message.hasPrefix("evaluating \(keyword) (/") == true, "\(expected.error?.message ?? "")")
    for findings in [0, 1000] {
      var plan = this.plan
      plan.options.maximumFindings = findings
      #expect(this.run(plan, slices: nil).outcome.error == expected.error)
      let result = this.run(plan, slices: Self.slices(ofSize: 300))
      plan.isDirect = true
      let direct = this.run(plan, slices: Self.slices(ofSize: 300))
      #expect(direct.outcome.error == expected.error)
      if expected.error?.position.offset ?? 0 > 1000 { #expect(result.runs + result.refused > 0) }
    }
  }

  /// Branches of the root are decided after the slices, whose failures only their evaluators have counted.
  @Test(arguments: [1000, 4000, 16_000, 64_000, 256_000])
  func `steps for branches around a collection do not depend on slices`(stepLimit: Int) throws {
    var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 1, high: 2))
    options.stepLimit = stepLimit
    let nots = Self.list(400) { #"{"not": {"const": \#($0)}}"# }
    let rules = #"""
      {"allOf": [\#(nots)], "properties": {"list": {"items": {"anyOf": [{"type": "string"}, {"maximum": 3}]}},
        "last": {"pattern": "^(a+)+$"}}}
      """#
    let document = #"{"list": [\#(Self.list(300) { "\($0)" })], "last": "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!"}"#
    let this = try Case(rules: rules, document: document, options, seed: 9)
    let expected = this.run(this.plan, slices: nil).outcome
    var plan = this.plan
    plan.isDirect = true
    #expect(this.run(plan, slices: Self.slices(ofSize: 100)).outcome.error == expected.error)
    #expect((expected.error == nil) == (stepLimit > 50_000), "\(stepLimit) \(String(describing: expected.error))")
  }

  @Test func `a list of allowed values has the same limit in runs of slices`() throws {
    var options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 1, high: 2))
    options.memoryLimit = 6400
    for count in [90, 200] {
      let records = (0..<count * 3).map { "\($0 % count)" }.joined(separator: ", ")
      let document = #"{"list": [\#(records)], "v": \#(count)}"#
      let rules = #"{"properties": {"v": {"enum": {"$data": "/list"}}}}"#
      let this = try Case(rules: rules, document: document, options, seed: 9)
      var plan = this.plan
      plan.isDirect = true
      let slices = Self.slices(ofSize: 100)
      let expected = this.run(plan, slices: slices).outcome
      let result = this.run(this.plan, slices: slices)
      #expect(result.outcome == expected)
      #expect((expected.error == nil) == (count < 100))
    }
  }

  @Test func `a truncated run is an error`() throws {
    var (seed, truncated): (UInt64, Int) = (0, 0)
    while truncated < 20_000 {
      seed += 1
      guard let this = Case(seed) else { continue }
      _ = this.run(this.plan, slices: Self.slices(ofSize: 80)) { bytes in
        for count in 0..<min(bytes.count, 2000) {
          var source = MemorySource(bytes.prefix(count))
          var failure: CofferError?
          do throws(CofferError) {
            _ = try CollectionPartial(
              decoding: &source, this.plan.programs[0], options: this.plan.options, memoryLimit: 1000)
          } catch { failure = error }
          #expect(failure?.code == .damagedPartial)
          truncated += 1
        }
      }
    }
  }

  /// A damaged run is an error, or another result, but never a trap.
  @Test(arguments: 0..<10) func `damaged runs never trap`(part: Int) {
    var (damaged, errors) = (0, 0)
    var seed = UInt64(part) << 32
    let count = TestDepth.count(everyday: 40, deep: 1000)
    while damaged < count {
      seed += 1
      guard let this = Case(seed) else { continue }
      var plan = this.plan
      plan.damages = true
      for round in 0..<5 {
        plan.seed = seed &+ UInt64(round) << 50
        if this.run(plan, slices: Self.slices(ofSize: 80)).outcome.error?.code == .damagedPartial { errors += 1 }
        damaged += 1
      }
    }
    #expect(errors > count / 20)
  }

  @Test func `runs of other rules or another place are an error`() throws {
    let options = EvaluationOptions(now: Instant(seconds: 0), key: SipHash128.Key(low: 1, high: 2))
    let document = #"{"list": [\#(Array(repeating: #"{"id": 1}"#, count: 40).joined(separator: ", "))]}"#
    let rules = #"{"properties": {"list": {"primaryKey": "id"}}}"#
    let this = try Case(rules: rules, document: document, options, seed: 1)
    let other = try RuleDocument(MemorySource("{}".utf8)).compiled()
    var stored: [[UInt8]] = []
    _ = this.run(this.plan, slices: Self.slices(ofSize: 40)) { stored.append($0) }
    try #require(stored.count > 2)
    func decoded(_ index: Int, _ program: RuleProgram) throws(CofferError) -> CollectionPartial {
      var source = MemorySource(stored[index])
      return try CollectionPartial(decoding: &source, program, options: options, memoryLimit: 1000)
    }
    #expect(throws: CofferError.self) { _ = try decoded(0, other).itemCount }
    // A gap, and the same run twice.
    for next in [2, 0] {
      #expect(throws: CofferError.self) {
        var partial = try decoded(0, this.plan.programs[0])
        try partial.append(try decoded(next, this.plan.programs[0]))
      }
    }
  }
}
