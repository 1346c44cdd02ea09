import TestSupport
import Testing

@testable import Coffer

/// A run that is divided into tasks gives the report of one process.
@Suite struct SplitTests {
  /// A plan and its results, which have passed through bytes as between processes.
  private struct Run {
    let document: [UInt8]
    let rules: RuleSource
    var options: ValidationOptions
    let plan: SplitPlan
    let digest: String

    init(
      _ document: [UInt8], _ rules: RuleSource, _ options: ValidationOptions, tasks: Int, rangeSize: Int, named name: String
    ) throws {
      self.document = document
      self.rules = rules
      let validator = Validator(rules, options: options)
      let planned = try SplitPlanner(validator, rangeSize: rangeSize).plan(
        [name], into: tasks, keyBuckets: 1 + tasks % 4, tool: "test", format: nil, rules: nil
      ) { StoredBytes(document, named: $0) }
      var sink = MemorySink()
      try planned.write(to: &sink)
      (plan, digest) = try SplitPlan.read(MemorySource(sink.bytes), tool: "test")
      self.options = options
      self.options.digestKey = SipHash128.Key(low: plan.key[0], high: plan.key[1])
    }

    /// Varies what must not matter.
    func validator(_ random: inout SeededRandom) -> Validator {
      var options = options
      var slices = Slicer.Options()
      slices.sliceSize = [1, 80, 300, 1 << 20][Int(random.next() % 4)]
      slices.largestSlice = 1 << 20
      options.slices = slices
      options.execution.jobs = 1 + Int(random.next() % 2)
      return Validator(rules, options: options)
    }

    /// - Parameter rows: takes the operations on keys, unless it is `nil`.
    func partial(_ task: Int, _ rows: inout [[UInt8]]?, _ random: inout SeededRandom) throws -> [UInt8] {
      let split = try SplitTask(task, of: plan, digest: digest, validator(&random))
      var sink = MemorySink()
      var keys = rows.map { _ in MemorySink() }
      defer { if let keys { rows?.append(keys.bytes) } }
      if random.next() % 2 == 0 {
        try split.run(.files { StoredBytes(document, named: $0) }, to: &sink, keys: &keys)
      } else {
        let bytes = plan.tasks[task].parts.flatMap { part in
          document[part.start.offset..<plan.files[part.file].end(of: part)]
        }
        try split.run(.stream(MemorySource(bytes, chunkSize: 1 + Int(random.next() % 100))), to: &sink, keys: &keys)
      }
      return sink.bytes
    }

    func merge(_ random: inout SeededRandom) -> PlanMerge {
      PlanMerge(plan, digest: digest, validator(&random)) { StoredBytes(document, named: $0) }
    }

    /// Joins neighbours in a random order, and then all of them.
    func report(_ random: inout SeededRandom) throws -> ValidationReport {
      var rows: [[UInt8]]? = random.next() % 2 == 0 ? [] : nil
      var partials = try plan.tasks.indices.map { try partial($0, &rows, &random) }
      while partials.count > 1, random.next() % 3 > 0 {
        let first = Int(random.next() % UInt64(partials.count - 1))
        let last = min(partials.count - 1, first + 1 + Int(random.next() % 3))
        var sink = MemorySink()
        try merge(&random).join(partials[first...last].enumerated().map { ("\($0)", MemorySource($1)) }, to: &sink)
        partials.replaceSubrange(first...last, with: [sink.bytes])
      }
      let results = partials.reversed().enumerated().map { (name: "\($0)", source: MemorySource($1) as any ByteSource) }
      let violations = try rows.map { try self.violations($0, results, &random) } ?? []
      var report = try merge(&random).reports(results, violations: violations)[0]
      report.seconds = 0
      return report
    }

    /// Decides the operations on keys, bucket by bucket.
    private func violations(
      _ rows: [[UInt8]], _ partials: [(name: String, source: any ByteSource)], _ random: inout SeededRandom
    ) throws -> [(name: String, source: any ByteSource)] {
      var own = MemorySink()
      try merge(&random).writeKeys(partials, to: &own)
      let inputs = (rows + [own.bytes]).reversed().map { StoredBytes($0, named: "rows") }
      return try (0..<plan.options.keyBuckets).map { bucket in
        var sink = MemorySink()
        try KeyBucket(bucket, of: plan, digest: digest, validator(&random)).decide(inputs, to: &sink)
        return (name: "\(bucket)", source: MemorySource(sink.bytes))
      }
    }
  }

  private static func whole(
    _ document: [UInt8], _ rules: RuleSource, _ options: ValidationOptions, named name: String
  ) throws -> ValidationReport {
    var report = try Validator(rules, options: options).validate(MemorySource(document), named: name)
    report.seconds = 0
    return report
  }

  @Test(arguments: 0..<20) func `tasks and trees of results give the report of a single process`(part: Int) throws {
    let count = TestDepth.count(everyday: 12, deep: 100)
    var (compared, cut, invalid, malformed) = (0, 0, 0, 0)
    var seed = UInt64(part) << 32 + 77
    while compared < count {
      seed += 1
      guard let rules = try? RuleDocument(MemorySource(RandomRules.text(seed: seed).utf8)), (try? rules.compiled()) != nil else {
        continue
      }
      var random = SeededRandom(seed: seed)
      var document = RandomDocument(seed: seed &* 7 &+ 1, size: 1200)
      if seed % 3 == 0 { document.damage() }
      var options = ValidationOptions(now: Instant(seconds: 1_782_681_300))
      options.maximumFindings = [0, 1, 3, 1000][Int(seed / 3 % 4)]
      options.addsPlaces = seed % 2 == 0
      options.redacts = seed % 5 == 0
      let source = RuleSource.document(rules, name: "random")
      let run = try Run(
        document.bytes, source, options, tasks: 1 + Int(random.next() % 9),
        rangeSize: [1, 1, 7, 60, 400][Int(random.next() % 5)],
        named: "random")
      let expected = try Self.whole(document.bytes, source, options, named: "random")
      let report = try run.report(&random)
      #expect(report == expected, "seed \(seed)")
      compared += 1
      cut += run.plan.files[0].gaps.isEmpty ? 0 : 1
      invalid += expected.counts.total > 0 ? 1 : 0
      malformed += expected.error == nil ? 0 : 1
    }
    // Otherwise the cases would prove nothing.
    #expect(cut > count * 2 / 5 && invalid > count / 3 && malformed > 0)
  }

  @Test(arguments: ["[1,2,]", "[1,]", "[[1],]", "{\"a\":[1,2,],\"b\":[3,4]}", "[1,,]", "[,]", "[1,2,", "[1,2,]]"], [1, 2, 3, 7])
  func `a comma without an item gives the report of a single process`(document: String, rangeSize: Int) throws {
    let bytes = Array(document.utf8)
    let rules = try RuleSource.syntaxOnly()
    let options = ValidationOptions(now: Instant(seconds: 0))
    for seed in UInt64(0)..<4 {
      var random = SeededRandom(seed: seed)
      let run = try Run(bytes, rules, options, tasks: 3, rangeSize: rangeSize, named: "a.json")
      #expect(try run.report(&random) == Self.whole(bytes, rules, options, named: "a.json"), "seed \(seed)")
    }
  }

  @Test(arguments: [nil] + CompressionFormat.allCases.map { Optional($0) })
  func `a compressed document is not cut`(format: CompressionFormat?) throws {
    let text = "[" + (0..<400).map { "{\"id\": \($0 % 399)}" }.joined(separator: ", ") + "]"
    var document = Array(text.utf8)
    if let format {
      var options = Compressor.Options()
      options.compression = Compression(format)
      var sink = MemorySink()
      _ = try Compressor(options: options).compress(MemorySource(document), to: &sink)
      document = sink.bytes
    }
    let rules = try RuleDocument(MemorySource(#"{"items": {"required": ["id"], "properties": {"id": {"maximum": 300}}}}"#.utf8))
    let options = ValidationOptions(now: Instant(seconds: 1_782_681_300))
    let run = try Run(document, .document(rules, name: "rules"), options, tasks: 4, rangeSize: 400, named: "a.json")
    #expect(run.plan.files[0].gaps.isEmpty == (format != nil))
    var random = SeededRandom(seed: 1)
    #expect(try run.report(&random) == Self.whole(document, .document(rules, name: "rules"), options, named: "a.json"))
  }

  @Test func `a file of another kind is one part, whose report names the kind`() throws {
    let document: [UInt8] = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00] + [UInt8](repeating: 1, count: 1000)
    let rules = RuleSource.document(try RuleDocument(MemorySource("{}".utf8)), name: "rules")
    let options = ValidationOptions(now: Instant(seconds: 0))
    let run = try Run(document, rules, options, tasks: 2, rangeSize: 100, named: "a.json")
    var random = SeededRandom(seed: 1)
    let report = try run.report(&random)
    #expect(try report == Self.whole(document, rules, options, named: "a.json"))
    #expect(report.error?.message.contains("xz") == true)
  }

  @Test(arguments: 0..<10) func `tasks of JSON Lines give the report of a single process`(part: Int) throws {
    let count = TestDepth.count(everyday: 12, deep: 100)
    var (compared, cut, malformed) = (0, 0, 0)
    var seed = UInt64(part) << 32 + 99
    while compared < count {
      seed += 1
      let rules = try RuleDocument(
        MemorySource(
          """
          {"primaryKey": "id", "maxItems": 12, "items": {"required": ["id"], "properties": {"id": {"maximum": 5}, "a": {"minimum": 1},
            "tags": {"items": {"type": "string"}}}}}
          """.utf8))
      var random = SeededRandom(seed: seed)
      var document: [UInt8] = random.next() % 5 == 0 ? [0xEF, 0xBB, 0xBF] : []
      for _ in 0..<random.next() % 30 {
        let id = random.next() % 8
        let record = RandomDocument(seed: random.next(), size: 60).bytes.filter { ![0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        document +=
          Array("{\"id\": \(id), \"é\": ".utf8) + record + ["}\n", "}\r\n", "}\n \n\n", "}\n"][Int(random.next() % 4)].utf8
      }
      // In a string, a bracket does no harm, but a quote does.
      let damage = [UInt8(ascii: "]"), UInt8(ascii: "\"")]
      if random.next() % 3 == 0, !document.isEmpty {
        let place = Int(random.next() % UInt64(document.count))
        document[place] = damage[place % 2]
      }
      if random.next() % 3 == 0, !document.isEmpty { document.removeLast() }
      var options = ValidationOptions(now: Instant(seconds: 1_782_681_300))
      options.maximumFindings = [0, 3, 1000][Int(seed / 3 % 3)]
      options.addsPlaces = seed % 2 == 0
      let source = RuleSource.document(rules, name: "random")
      let run = try Run(
        document, source, options, tasks: 1 + Int(random.next() % 5), rangeSize: [3, 40, 150][Int(random.next() % 3)],
        named: "random.ndjson")
      let expected = try Self.whole(document, source, options, named: "random.ndjson")
      #expect(try run.report(&random) == expected, "seed \(seed)")
      compared += 1
      cut += run.plan.files[0].gaps.isEmpty ? 0 : 1
      malformed += expected.error == nil ? 0 : 1
    }
    #expect(cut > count / 2 && malformed > 0)
  }

  @Test(arguments: 0..<10) func `tasks of an object of records give the report of a single process`(part: Int) throws {
    let count = TestDepth.count(everyday: 20, deep: 200)
    let rules = RuleSource.document(try RuleDocument(MemorySource(ObjectSliceTests.rules.utf8)), name: "rules")
    var (cut, invalid, malformed, duplicates) = (0, 0, 0, 0)
    for number in 0..<count {
      let seed = UInt64(part * 1_000_000 + number)
      // The document has another sequence.
      var random = SeededRandom(seed: ~seed)
      var document = ObjectSliceTests.document(seed: seed)
      if random.next() % 4 == 0 { document[Int(random.next() % UInt64(document.count))] = UInt8(ascii: "}") }
      var options = ValidationOptions(now: Instant(seconds: 1_782_681_300))
      options.maximumFindings = [1000, 5, 0][Int(random.next() % 3)]
      if random.next() % 6 == 0 { options.duplicateKeys = .allow }
      options.addsPlaces = random.next() % 2 == 0
      let run = try Run(
        document, rules, options, tasks: 1 + Int(random.next() % 9), rangeSize: [100, 250, 600][Int(random.next() % 3)],
        named: "document")
      let expected = try Self.whole(document, rules, options, named: "document")
      #expect(try run.report(&random) == expected, "seed \(seed)")
      cut += run.plan.files[0].gaps.contains(where: \.isObject) ? 1 : 0
      invalid += expected.counts.total > 0 ? 1 : 0
      malformed += expected.error == nil ? 0 : 1
      duplicates += expected.counts.byCode["duplicate-key"] == nil ? 0 : 1
    }
    // Otherwise the cases would prove nothing.
    #expect(
      cut > count / 2 && invalid > count / 2 && malformed > 0 && duplicates > 0, "\(cut), \(invalid), \(malformed), \(duplicates)"
    )
  }

  @Test(arguments: [
    ("MAP", "KEYED", [" true"]),
    (
      #"{"a": LIST, "b": MAP}"#, #"{"properties": {"b": KEYED}}"#,
      ["/a false", "/b true"]
    ),
    (
      #"{"a": {"x": LIST, "y": 1}, "b": 2}"#, #"{"properties": {"a": {"properties": {"x": {"items": {"type": "object"}}}}}}"#,
      ["/a/x false"]
    ),
  ]) func `objects of records are cut, and others are not`(document: String, rules: String, gaps: [String]) throws {
    func records(_ name: (Int) -> String) -> String { (0..<100).map { name($0) + #"{"id": \#($0)}"# }.joined(separator: ", ") }
    let document = document.replacing("LIST", with: "[\(records { _ in "" })]").replacing(
      "MAP", with: "{\(records { "\"u\($0)\": " })}")
    let keyed = #"{"primaryKey": "id", "additionalProperties": {"type": "object"}}"#
    let rules = try RuleDocument(MemorySource(rules.replacing("KEYED", with: keyed).utf8))
    let run = try Run(
      Array(document.utf8), .document(rules, name: "rules"), ValidationOptions(now: Instant(seconds: 0)), tasks: 4,
      rangeSize: 100,
      named: "a.json")
    #expect(run.plan.files[0].gaps.map { "\($0.pointer) \($0.isObject)" } == gaps)
  }
}
