import TestSupport
import Testing

@testable import Coffer

/// Rules for each item of an array give the findings of every item validated alone.
@Suite struct EachTests {
  /// An array of random documents.
  private struct Case {
    let rules: RuleDocument
    let pointer: String
    let bytes: [UInt8]
    /// Their names are their indices, or the names of members.
    let items: [(name: String, offset: Int, bytes: [UInt8])]
    let isLines: Bool

    /// `nil` if the random rules can't be compiled.
    init?(_ seed: UInt64) {
      let text = RandomRules.text(seed: seed)
      guard let rules = try? RuleDocument(MemorySource(text.utf8)), (try? rules.compiled()) != nil else { return nil }
      let (start, end, pointer) = [
        ("[", "]", ""), (#"{"b": [1, {"id": 2}], "a": ["#, #"], "ref": [3]}"#, "/a"), ("", "", ""),
        (#"{"é": {"items": ["#, "]}}", "/é/items"), ("{", "}", ""), (#"{"b": 1, "a": {"#, #"}, "ref": [3]}"#, "/a"),
      ][Int(seed % 6)]
      let isObject = seed % 6 > 3
      isLines = start.isEmpty
      var bytes = Array(start.utf8)
      var items: [(name: String, offset: Int, bytes: [UInt8])] = []
      for index in 0..<(2 + seed / 6 % 5) {
        var document = RandomDocument(seed: seed &* 31 &+ index, size: 300).bytes
        if document.starts(with: [0xEF, 0xBB, 0xBF]) { document.removeFirst(3) }
        for index in document.indices where document[index] == 10 || document[index] == 13 { document[index] = 32 }
        if index > 0 { bytes += isLines ? [10] : [44] }
        let name = isObject ? "d\(index)" : "\(index)"
        if isObject { bytes += Array("\"\(name)\": ".utf8) }
        items.append((name, bytes.count, document))
        bytes += document
      }
      bytes += Array(end.utf8)
      self.rules = rules
      self.pointer = pointer
      self.bytes = bytes
      self.items = items
    }

    private static func text(of findings: [Finding], below pointer: String, from offset: Int) -> [String] {
      findings.map { "\($0.place.offset + offset) \($0.severity) \($0.code) \(pointer)\($0.place.pointer) \($0.message)" }
    }

    /// What the rules find in each item on its own.
    func expected() throws -> [String] {
      try items.flatMap { item in
        var options = ValidationOptions(now: Validating.now)
        options.maximumFindings = 1 << 20
        options.slices = nil
        let report = try Validator(.document(rules, name: "random"), options: options).validate(
          MemorySource(item.bytes), named: "item")
        #expect(report.error == nil)
        return Self.text(of: report.findings, below: "\(pointer)/\(item.name)", from: item.offset)
      }.sorted()
    }

    func findings(sliceSize: Int, jobs: Int, chunkSize: Int) throws -> [String] {
      var options = ValidationOptions(now: Validating.now)
      options.maximumFindings = 1 << 20
      options.slices?.sliceSize = sliceSize
      options.execution.jobs = jobs
      options.limits.chunkSize = chunkSize
      options.syntax = isLines ? .jsonLines : .json
      let source = try RuleSource.document(rules, name: "random").forEachItem(of: pointer)
      let report = try Validator(source, options: options).validate(MemorySource(bytes, chunkSize: chunkSize), named: "items")
      #expect(report.error == nil)
      return Self.text(of: report.findings, below: "", from: 0).sorted()
    }
  }

  @Test(arguments: 0..<10) func `each item is a document of its own`(part: Int) throws {
    var (compared, invalid, refused) = (0, 0, 0)
    var seed = UInt64(part) << 32
    let count = TestDepth.count(everyday: 40, deep: 1000)
    while compared < count {
      seed += 1
      guard let this = Case(seed) else { continue }
      do { _ = try this.rules.forEachItem(of: this.pointer).compiled() } catch {
        #expect("\(error)".contains("ifEmpty"))
        refused += 1
        continue
      }
      let expected = try this.expected()
      for (sliceSize, jobs, chunkSize) in [(1, 2, 1), (1 << 20, 1, 1 << 16), (300, 2, 64)] {
        let findings = try this.findings(sliceSize: sliceSize, jobs: jobs, chunkSize: chunkSize)
        #expect(findings == expected, "seed \(seed)")
      }
      compared += 1
      invalid += expected.isEmpty ? 0 : 1
    }
    // Otherwise the cases would prove nothing.
    #expect(invalid > count * 2 / 5 && refused < count)
  }

  private func findings(_ rules: String, each pointer: String = "", in document: String) throws -> [String] {
    let source = try RuleSource.document(RuleDocument(MemorySource(rules.utf8)), name: "rules").forEachItem(of: pointer)
    return try Validating.report(on: Array(document.utf8), rules: source).findings.map { "\($0.code) \($0.place.pointer)" }
  }

  @Test func `a message has the value of a reference in an array of records`() throws {
    let rules = #"{"foreignKeys": [{"fields": "lines/*/car", "reference": {"resource": "/cars", "fields": "id"}}]}"#
    let source = try RuleSource.document(RuleDocument(MemorySource(rules.utf8)), name: "rules").forEachItem()
    let report = try Validating.report(on: Array(#"[[{"lines": [{"car": 5}]}]]"#.utf8), rules: source)
    #expect(report.findings.map(\.message) == ["lines/*/car 5 refers to no record of /cars"])
  }

  @Test func `a count, a sum, a key and a reference concern the item alone`() throws {
    let rules = #"""
      {"properties": {
        "count": {"countOf": "/lines"},
        "total": {"sumOf": {"values": "/lines/*/amount"}},
        "lines": {"primaryKey": "no", "items": {"properties": {
          "at": {"format": "date", "formatMinimum": {"$data": "/start"}}}}},
        "notes": {"foreignKeys": [{"fields": "line", "reference": {"resource": "/lines", "fields": "no"}}]}}}
      """#
    let good = #"{"count": 1, "total": 2, "start": "2026-01-01", "lines": [{"no": 1, "amount": 2, "at": "2026-01-02"}]}"#
    let late =
      #"{"notes": [{"line": 1}], "count": 1, "total": 3, "lines": [{"no": 2, "at": "2026-01-02"}], "start": "2026-01-03"}"#
    #expect(try findings(rules, in: "[\(good), \(good)]") == [])
    #expect(
      try findings(rules, in: "[\(good), \(late), \(good)]") == [
        "foreign-key /1/notes/0/line", "sum-of /1/total", "format-minimum /1/lines/0/at",
      ])
  }

  @Test func `declarations in one item do not apply to the next`() throws {
    let rules = #"""
      {"backup": {"version": {"pointer": "/v"}}, "properties": {"new": {"since": 2}, "max": {}, "n": {"maximum": {"$data": "/max"}}}}
      """#
    #expect(try findings(rules, in: #"[{"v": 1, "new": 1}, {"v": 2, "new": 1}, {"new": 1}]"#) == ["since /0/new"])
    #expect(try findings(rules, in: #"[{"max": 1}, {"n": 2}, {"n": 2, "max": 1}]"#) == ["maximum /2/n"])
  }

  @Test func `scalars are documents, too`() throws {
    #expect(try findings(#"{"countOf": "/a"}"#, in: "[0, 1, 0]") == ["count-of /1"])
  }

  @Test func `no field leads out of its item`() throws {
    let rules = #"{"properties": {"n": {"maximum": {"$data": "3/limit"}}}}"#
    #expect(try findings(rules, each: "/all", in: #"{"limit": 1, "all": [{"n": 2}]}"#) == [])
  }

  @Test func `an array without items has no documents`() throws {
    #expect(try findings(#"{"countOf": "/a", "required": ["b"]}"#, in: "[]") == [])
  }

  @Test func `a document without that array has a finding`() throws {
    #expect(try findings("{}", in: "7") == ["type "])
    #expect(try findings(#"{"countOf": "/a", "required": ["b"]}"#, in: "{}") == [])
    #expect(try findings("{}", each: "/a/b", in: #"{"a": {}}"#) == ["required /a/b"])
    #expect(try findings("{}", each: "/a/b", in: #"{"a": {"b": 1}}"#) == ["type /a/b"])
    #expect(try findings("false", each: "/a/b", in: #"{"a": {"b": [1]}}"#) == ["false-schema /a/b/0"])
  }

  @Test(arguments: ["a", "/*", "/~2"]) func `a pointer that can't name an array is refused`(pointer: String) throws {
    let rules = try RuleDocument(MemorySource("{}".utf8))
    #expect { try rules.forEachItem(of: pointer) } throws: { ($0 as? CofferError)?.code == .invalidPointer }
  }

  @Test func `rules for each item can't be applied to each item once more`() throws {
    let rules = try RuleDocument(MemorySource("{}".utf8)).forEachItem()
    #expect { try rules.forEachItem() } throws: { ($0 as? CofferError)?.code == .invalidPointer }
  }

  @Test func `rules about the whole file are refused`() throws {
    let rules = try RuleDocument(
      MemorySource(
        #"""
        {"properties": {"b": {"foreignKeys": [
          {"fields": "a", "reference": {"resource": "/a", "fields": "id", "ifEmpty": "warning"}}]}}}
        """#.utf8))
    #expect { try rules.forEachItem().compiled() } throws: { "\($0)".contains("each item of an array") }
  }

  @Test(arguments: [
    (#"{"type": "object"}"#, true), (#"{"properties": {}}"#, true), ("{}", false), (#"{"items": {}}"#, false),
    (#"{"type": ["object", "array"]}"#, false), (##"{"$ref": "#/$defs/a", "$defs": {"a": {"required": ["a"]}}}"##, true),
    (##"{"anyOf": [{"type": "object"}, {"minItems": 1}]}"##, false),
  ]) func `rules that say nothing about an array are recognised`(rules: String, isSilent: Bool) throws {
    let source = RuleSource.document(try RuleDocument(MemorySource(rules.utf8)), name: "rules")
    #expect(try Validating.report(on: Array("[{}]".utf8), rules: source).mayNeedEach == isSilent)
    #expect(try Validating.report(on: Array("{}".utf8), rules: source).mayNeedEach == false)
    #expect(try Validating.report(on: Array("[{}]".utf8), rules: source.forEachItem()).mayNeedEach == false)
  }
}
