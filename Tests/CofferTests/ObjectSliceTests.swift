import Rules
import TestSupport
import Testing

@testable import Coffer

/// An object of records is read in slices of its members, with the same result.
@Suite struct ObjectSliceTests {
  /// All that slices must merge: keys, references in both directions, names, order, counts, sums, waiting values, duplicates.
  static let rules = #"""
    {"properties": {
      "count": {"countOf": "/users"}, "total": {"sumOf": {"values": "/users/*/score"}},
      "users": {"minProperties": 3, "maxProperties": 60, "sortedBy": "0#", "primaryKey": "id",
        "uniqueKeys": [{"fields": ["0#", "group"], "ignoreCase": true}, {"fields": "mail", "ifEqual": "warning"}],
        "foreignKeys": [
          {"fields": "boss", "reference": {"resource": "/users"}},
          {"fields": "0#", "reference": {"resource": "/profiles", "fields": "user"}},
          {"fields": "friends/*/0#", "reference": {"resource": "/users", "fields": "0#", "where": {"required": ["mail"]}}}],
        "propertyNames": {"pattern": "^u[0-9]+$"},
        "additionalProperties": {"type": "object", "required": ["id"], "properties": {
          "id": {"type": "integer"}, "score": {"type": "number", "maximum": {"$data": "/limit"}},
          "group": {"enum": {"$data": "/groups"}}, "tags": {"uniqueItems": true}}}},
      "profiles": {"items": {"properties": {"user": {"type": "string"}}}}}}
    """#

  private static func document(_ random: inout SeededRandom) -> String {
    func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let count = 5 + below(60)
    let isPretty = below(2) == 0
    var members: [String] = []
    for number in 0..<count {
      let name =
        below(100) == 0
        ? "u\(100 + below(count))" : below(60) == 0 ? "x~/é\(number)" : below(40) == 0 ? "u\(below(10))0" : "u\(100 + number)"
      var fields = [#""id": \#(below(30) == 0 ? 7 : number)"#]
      if below(3) > 0 { fields.append(#""mail": "m\#(below(40) == 0 ? 1 : number)", "group": "g\#(below(20))""#) }
      if below(2) == 0 { fields.append(#""boss": "u\#(100 + below(count + 2))""#) }
      if below(2) == 0 { fields.append(#""score": \#(below(30))"#) }
      if below(4) == 0 { fields.append(#""friends": {"u\#(100 + below(count))": true}"#) }
      if below(6) == 0 { fields.append(#""tags": [1, \#(below(2)), {"a": "}"}]"#) }
      if below(30) == 0 { fields.append(#""big": "\#(String(repeating: "b", count: 500))""#) }
      let value = below(40) == 0 ? "[1]" : "{\(fields.joined(separator: ", "))}"
      members.append(
        #""\#(below(20) == 0 ? "\\u00" + (name.hasPrefix("u") ? "75" : "78") + name.dropFirst() : name)": \#(value)"#)
    }
    let users = #""users": {\#(isPretty ? "\n  " : "")\#(members.joined(separator: isPretty ? ",\n  " : ","))}"#
    let profiles = (0..<count).map { #"{"user": "u\#(100 + $0)"}"# }.joined(separator: ", ")
    var parts = [
      users, #""count": \#(count)"#, #""total": 300"#, #""limit": 20"#, #""groups": {"g0": 1, "g1": 1, "g2": 1}"#,
      #""profiles": [\#(profiles)]"#,
    ]
    for index in parts.indices { parts.swapAt(index, below(parts.count)) }
    return "{\(parts.joined(separator: ",\n"))}"
  }

  private static func report(_ document: [UInt8], _ options: ValidationOptions, chunkSize: Int) throws -> ValidationReport {
    let rules = try RuleDocument(MemorySource(Self.rules.utf8))
    let validator = Validator(.document(rules, name: "rules"), options: options)
    var report = try validator.validate(MemorySource(document, chunkSize: chunkSize), named: "document")
    report.seconds = 0
    return report
  }

  @Test(arguments: 0..<10) func `slices of an object do not change the report`(part: Int) throws {
    var (findings, errors, duplicates) = (0, 0, 0)
    let count = TestDepth.count(everyday: 25, deep: 1000)
    for number in 0..<count {
      let seed = UInt64(part * 1_000_000 + number)
      var random = SeededRandom(seed: seed)
      var document = Array(Self.document(&random).utf8)
      if random.next() % 3 == 0 { document[Int(random.next() % UInt64(document.count))] = UInt8(ascii: "}") }
      var options = ValidationOptions(now: Instant(seconds: 1_782_681_300))
      options.maximumFindings = [1000, 5, 0][Int(random.next() % 3)]
      if random.next() % 6 == 0 { options.duplicateKeys = .allow }
      options.slices = nil
      options.execution.jobs = 1
      let expected = try Self.report(document, options, chunkSize: .max)
      var slices = Slicer.Options()
      slices.sliceSize = [1, 150, 400, 2000][Int(random.next() % 4)]
      slices.largestSlice = max(slices.sliceSize, [300, 1 << 20][Int(random.next() % 2)])
      options.slices = slices
      options.execution.jobs = 1 + Int(random.next() % 3)
      options.limits.chunkSize = [7, 64, 1 << 16][Int(random.next() % 3)]
      let report = try Self.report(document, options, chunkSize: [1, 33, .max][Int(random.next() % 3)])
      #expect(report == expected, "seed \(seed)")
      findings += expected.counts.total > 0 ? 1 : 0
      errors += expected.error == nil ? 0 : 1
      duplicates += expected.counts.byCode["duplicate-key"] == nil ? 0 : 1
    }
    // Otherwise the cases would prove nothing.
    #expect(findings > count / 2 && errors > 0 && duplicates > 0, "\(findings), \(errors), \(duplicates) of \(count)")
  }

  // MARK: Conversions, comparisons and merges

  private static func slices(_ random: inout SeededRandom) -> Slicer.Options {
    var slices = Slicer.Options()
    slices.sliceSize = [1, 150, 400, 2000][Int(random.next() % 4)]
    slices.largestSlice = max(slices.sliceSize, [300, 1 << 20][Int(random.next() % 2)])
    return slices
  }

  static func document(seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return Array(document(&random).utf8)
  }

  private static let conversions: [@Sendable (inout ConversionOptions) -> Void] = [
    { _ in }, { $0.layout = .pretty(indent: 2) }, { ($0.layout, $0.collection) = (.lines, "/users") },
    { $0.collection = "/users" }, { $0.collection = "/profiles" }, { $0.compression = .lz4 }, { $0.sortsKeys = true },
    { ($0.layout, $0.collection, $0.sortsKeys) = (.lines, "/users", true) },
  ]

  @Test(arguments: conversions.indices) func `slices of an object do not change its conversion`(number: Int) throws {
    for seed in UInt64(0)..<UInt64(TestDepth.count(everyday: 30, deep: 1000)) {
      var random = SeededRandom(seed: seed)
      let document = Self.document(seed: seed)
      func converted(_ slices: Slicer.Options?, jobs: Int) throws -> String {
        var options = ConversionOptions()
        Self.conversions[number](&options)
        options.slices = slices
        options.execution.jobs = jobs
        var sink = MemorySink()
        _ = try Converter(options: options).convert(MemorySource(document), to: &sink)
        if options.compression == nil { return String(decoding: sink.bytes, as: UTF8.self) }
        var text = MemorySink()
        try Decompressor().decompress(MemorySource(sink.bytes), to: &text)
        return String(decoding: text.bytes, as: UTF8.self)
      }
      let expected = try converted(nil, jobs: 1)
      #expect(try converted(Self.slices(&random), jobs: 1 + Int(random.next() % 3)) == expected, "seed \(seed)")
    }
  }

  @Test func `slices of objects do not change a comparison or a merge`() throws {
    let rules = RuleSource.document(try RuleDocument(MemorySource(Self.rules.utf8)), name: "rules")
    var changes = 0
    for seed in UInt64(0)..<UInt64(TestDepth.count(everyday: 30, deep: 400)) {
      var random = SeededRandom(seed: seed)
      let documents = [Self.document(seed: seed), Self.document(seed: seed + 1)]
      func results(_ slices: Slicer.Options?, jobs: Int) throws -> (BackupDifference, [String]) {
        var options = ComparisonOptions()
        options.slices = slices
        options.execution.jobs = jobs
        let (old, new) = (Backup(bytes: documents[0], named: "old"), Backup(bytes: documents[1], named: "new"))
        let difference = try Comparer(rules, options: options).difference(from: old, to: new)
        let merges = try [ConflictRule.keepExisting, .replace].map { rule in
          var merging = MergeOptions(conflicts: rule)
          merging.comparison = options
          var sink = MemorySink()
          _ = try Merger(rules, options: merging).merge(old, with: new, to: &sink)
          return String(decoding: sink.bytes, as: UTF8.self)
        }
        return (difference, merges)
      }
      do {
        let expected = try results(nil, jobs: 1)
        let found = try results(Self.slices(&random), jobs: 1 + Int(random.next() % 3))
        #expect(found == expected, "seed \(seed)")
        changes += expected.0.collections.count { !$0.isSame }
      } catch let error as CofferError {
        // A name that occurs twice.
        #expect(throws: CofferError.self, "seed \(seed): \(error)") { try results(Self.slices(&random), jobs: 2) }
      }
    }
    #expect(changes > 0)
  }
}
