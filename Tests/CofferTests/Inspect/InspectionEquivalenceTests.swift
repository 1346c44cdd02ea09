import SyntheticBackups
import SystemPackage
import TestSupport
import Testing

@testable import Coffer

/// An inspection depends only on the document and the format, never on slices, threads or chunks.
@Suite struct InspectionEquivalenceTests {
  private static func cut(_ options: inout InspectionOptions, _ random: inout SeededRandom) {
    var slices = Slicer.Options()
    slices.sliceSize = [1, 80, 300, 5000][Int(random.next() % 4)]
    slices.largestSlice = [5000, 1 << 20][Int(random.next() % 2)]
    options.slices = slices
    options.execution.jobs = 1 + Int(random.next() % 3)
    options.limits.chunkSize = [7, 64, 1 << 16][Int(random.next() % 3)]
  }

  /// Returns a random document of the garage format, with whatever an app could write.
  private static func document(_ random: inout SeededRandom) -> [UInt8] {
    func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    func pick(_ texts: [String]) -> String { texts[number(texts.count)] }
    func list(_ count: Int, _ item: () -> String) -> String {
      "[" + (0..<count).map { _ in item() }.joined(separator: ", ") + "]"
    }
    func car() -> String {
      var members = [
        pick([
          #""boughtOn": "20\#(10 + number(80))-01-01T00:00:00Z""#, #""boughtOn": 7"#, #""bought\u004fn": "2000-01-01T00:00:00Z""#,
        ])
      ]
      for _ in 0..<number(4) {
        members.append(
          pick([
            #""id": 7"#, #""parts": \#(list(number(40)) { pick(["1", "{}", #"{"name": [[1]]}"#, "[2]"]) })"#,
            #""parts": {"a": [1]}"#,
            #""n\#(number(90))": 1"#, #""tags": [[], {"id": [1]}]"#, #""x-\#(number(3))": null"#,
            #""a name of more than sixteen bytes": 1"#,
          ]))
      }
      return "{" + members.joined(separator: ",\n") + "}"
    }
    let cars = list(number(60)) { pick([car(), car(), car(), "3", "[]", "[[1, 2], {}]"]) }
    let trips = list(number(60)) { #"{"start": \#(number(1_000_000)).5}"# }
    let other = list(number(30)) { pick(["1", "{}", list(number(20)) { "[1]" }]) }
    let members = [
      #""meta": {"version": \#(number(6)), "carCount": 5, "u\#(number(3))": 1}"#, #""cars": \#(cars)"#, #""trips": \#(trips)"#,
      #""cars": \#(cars)"#, #""other": \#(other)"#, #""deep": {"other": \#(other)}"#, #""settings": null"#,
    ]
    return Array(("{" + (0..<number(8)).map { _ in members[number(members.count)] }.joined(separator: ",\n ") + "}").utf8)
  }

  @Test(arguments: 0..<10) func `slices, threads and chunks do not change the inspection`(part: Int) throws {
    var errors = 0
    var dated = 0
    let count = TestDepth.count(everyday: 30, deep: 150) as UInt64
    for seed in UInt64(part) * 1000..<UInt64(part) * 1000 + count {
      var random = SeededRandom(seed: seed)
      var bytes = Self.document(&random)
      if seed % 4 == 0 { bytes.removeLast(min(bytes.count, Int(random.next() % 200))) }
      if seed % 5 == 0, !bytes.isEmpty { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(random.next() % 128) }
      let rules: RuleSource? = seed % 3 == 0 ? .detected(.builtIn) : nil
      let expected = try Inspecting.inspection(of: bytes, rules: rules) { $0.slices = nil }
      let found = try Inspecting.inspection(of: bytes, rules: rules, chunkSize: [1, 33, .max][Int(random.next() % 3)]) {
        Self.cut(&$0, &random)
      }
      #expect(found == expected, "seed \(seed)")
      errors += expected.error == nil ? 0 : 1
      dated += expected.collections.contains { $0.earliest != nil } ? 1 : 0
    }
    // Otherwise the cases would prove nothing.
    #expect(errors > count / 8)
    #expect(dated > count / 8)
  }

  @Test(arguments: 0..<4) func `inspecting while validating gives the same inspection and report`(part: Int) throws {
    let format = try BackupFormat(descriptor: Inspecting.descriptor)
    let count = TestDepth.count(everyday: 30, deep: 150) as UInt64
    for seed in UInt64(part) * 1000..<UInt64(part) * 1000 + count {
      var random = SeededRandom(seed: seed)
      var bytes = Self.document(&random)
      if seed % 4 == 0 { bytes.removeLast(min(bytes.count, Int(random.next() % 200))) }
      var expected = try Inspecting.inspection(of: bytes) { $0.slices = nil }
      expected.storedBytes = nil
      var cut = InspectionOptions(now: Inspecting.now)
      Self.cut(&cut, &random)
      var options = ValidationOptions(now: Inspecting.now)
      (options.slices, options.execution.jobs, options.limits) = (cut.slices, cut.execution.jobs, cut.limits)
      let validator = Validator(.format(format), options: options)
      let (inspected, inspection) = try validator.inspect(MemorySource(bytes), named: "test.json")
      #expect(inspection == expected, "seed \(seed)")
      let validated = Validator(.format(format), options: options)
      var report = try validated.validate(MemorySource(bytes), named: "test.json")
      report.seconds = inspected.seconds
      #expect(inspected == report, "seed \(seed)")
    }
  }

  @Test func `an inspection before an import differs only in its verdict`() throws {
    let format = try BackupFormat(descriptor: Inspecting.descriptor)
    let folder = try TemporaryFolder()
    var verdicts: Set<Inspection.Importability> = []
    for seed in TestDepth.cases(everyday: 60, deep: 300) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var bytes = Self.document(&random)
      if seed % 4 == 0 { bytes.removeLast(min(bytes.count, Int(random.next() % 200))) }
      let rules: RuleSource = seed % 3 == 0 ? .detected(.builtIn) : .format(format)
      var expected = try Inspecting.inspection(of: bytes, rules: rules)
      expected.storedBytes = bytes.count
      try folder.write(bytes, to: "test.json")
      let file = try FileSource(path: folder.path.appending("test.json"))
      let found = try Inspector(rules, options: InspectionOptions(now: Inspecting.now))
        .inspect(file, named: "test.json", importingBy: ValidationOptions(now: Inspecting.now))
      if expected.importability.isPossible { expected.importability = found.importability }
      #expect(found == expected, "seed \(seed)")
      verdicts.insert(found.importability)
    }
    // Otherwise the cases would prove nothing.
    #expect(verdicts.count > 3)
  }

  @Test func `slices, threads and chunks do not change the inspection of JSON Lines`() throws {
    for seed in TestDepth.cases(everyday: 30, deep: 100) as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      let lines = (0..<Int(random.next() % 50)).map { _ in
        ["{}", "[1]", "7", "", #"{"a": [1]}"#, "]"][Int(random.next() % (seed % 2 == 0 ? 5 : 6))]
      }
      let bytes = Array(lines.joined(separator: "\n").utf8)
      let rules = RuleSource.detected(.builtIn)
      let expected = try Inspecting.inspection(of: bytes, named: "a.jsonl", rules: rules) { $0.slices = nil }
      let found = try Inspecting.inspection(of: bytes, named: "a.jsonl", rules: rules, chunkSize: 5) { Self.cut(&$0, &random) }
      #expect(found == expected, "seed \(seed)")
    }
  }
}
