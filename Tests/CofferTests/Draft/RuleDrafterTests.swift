import Coffer
import Rules
import RulesYAML
import SyntheticBackups
import SystemPackage
import TestSupport
import Testing

/// Drafts of files, with proofs.
@Suite struct RuleDrafterTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func draft(_ documents: [String: String], _ options: DraftingOptions = DraftingOptions()) throws -> RuleDraft {
    for (name, text) in documents { try folder.write(text, to: name) }
    return try RuleDrafter(options: options).draft(documents.keys.sorted().map { folder.path.appending($0) })
  }

  /// Returns whether a document satisfies rules.
  private func isValid(_ name: String, by rules: String, _ syntax: RuleSyntax = .json) throws -> Bool {
    let document = try RuleDocument(MemorySource(rules.utf8), syntax: syntax)
    let validator = Validator(.document(document, name: "draft"), options: ValidationOptions(now: Instant(seconds: 0)))
    return try validator.validate(FileSource(path: folder.path.appending(name)), named: name).isValid
  }

  // MARK: Proofs

  @Test func `what another document refutes is dropped`() throws {
    let documents = [
      "a.json": #"{"cars": [{"id": 1}, {"id": 2}], "trips": [{"carId": 1}, {"carId": 2}]}"#,
      "b.json": #"{"cars": [{"id": 1}, {"id": 1}], "trips": [{"carId": 1}, {"carId": 3}]}"#,
    ]
    let draft = try draft(documents)
    #expect(draft.keyCount == 0 && draft.referenceCount == 0)
    #expect(draft.notes.contains { $0.pointer == "/trips/*/carId" }, "\(draft.notes)")
    #expect(try isValid("a.json", by: draft.json) && isValid("b.json", by: draft.json))
  }

  @Test func `an estimate that all keys are distinct is proven`() throws {
    // Far more keys than a sketch holds, and one duplicate.
    func cars(_ last: Int) -> String {
      ((0..<5000).map { "{\"id\": \($0 * 7919)}" } + ["{\"id\": \(last)}"]).joined(separator: ",")
    }
    #expect(try draft(["a.json": "[\(cars(-1))]"]).keyCount == 1)
    let refuted = try draft(["a.json": "[\(cars(7919))]"])
    #expect(refuted.keyCount == 0)
    #expect(refuted.notes.contains { $0.pointer == "/*/id" && $0.reason == "no unique key: 1 value contradicts it" })
  }

  @Test func `a reference that a sketch can't decide is proven`() throws {
    let cars = (0..<5000).map { "{\"id\": \($0 * 7919)}" }.joined(separator: ",")
    func trips(_ last: Int) -> String {
      ((0..<50).map { "{\"carId\": \($0 * 7919)}" } + ["{\"carId\": \(last)}"]).joined(separator: ",")
    }
    #expect(try draft(["a.json": "{\"cars\": [\(cars)], \"trips\": [\(trips(0))]}"]).referenceCount == 1)
    #expect(try draft(["a.json": "{\"cars\": [\(cars)], \"trips\": [\(trips(5))]}"]).referenceCount == 0)
  }

  @Test func `a reference that hides another one does not prove it`() throws {
    // A sketch of 50,000 ids can't tell whether it has a few values. The validator reports a dangling reference only once.
    func records(_ offset: Int) -> String {
      (0..<50_000).map { "{\"id\": \($0 * 17 + offset)}" }.joined(separator: ",")
    }
    let values = (0..<24).map { "{\"code\": \(($0 % 12 + 1) * 51_007)}" }.joined(separator: ",")
    let draft = try draft(["a.json": "{\"cars\": [\(records(0))], \"trips\": [\(records(3))], \"uses\": [\(values)]}"])
    #expect(draft.notes.count { $0.pointer == "/uses/*/code" && $0.reason.contains("contradict") } == 2, "\(draft.notes)")
    #expect(draft.referenceCount == 0)
    #expect(try isValid("a.json", by: draft.json))
  }

  @Test func `the documents with dangling references are counted, whatever their order`() throws {
    let good = (1...3).map { "{\"cars\": [{\"id\": \($0)}, {\"id\": \($0 + 1)}], \"trips\": [{\"carId\": \($0)}]}" }
    let bad = #"{"cars": [{"id": 1}, {"id": 2}], "trips": [{"carId": 9}]}"#
    for documents in [[bad] + good, good + [bad]] {
      let draft = try draft(Dictionary(uniqueKeysWithValues: documents.enumerated().map { ("\($0).json", $1) }))
      #expect(
        draft.notes.contains {
          $0.pointer == "/trips/*/carId" && $0.reason.hasSuffix("in 1 of 4 documents, the key lacks some of the values")
        }, "\(draft.notes)")
    }
  }

  @Test func `strings never refer to numbers`() throws {
    let cars = (0..<50_000).map { "{\"id\": \($0 * 17)}" }.joined(separator: ",")
    // Twelve values are enough to propose a reference, and the sketch of so many ids can't rule it out: the types must.
    let words = ["oak", "elm", "ash", "fir", "yew", "bay", "fig", "box", "ivy", "nut", "rye", "hop"]
    let notes = (words + words).map { "{\"text\": \"\($0)\"}" }.joined(separator: ",")
    let draft = try draft(["a.json": "{\"cars\": [\(cars)], \"notes\": [\(notes)]}"])
    #expect(draft.referenceCount == 0)
    #expect(!draft.notes.contains { $0.pointer == "/notes/*/text" && $0.reason.contains("contradict") }, "\(draft.notes)")
  }

  // MARK: Slices

  @Test(arguments: ["swiff", "ev-charging-tracker"])
  func `slices and threads don't change the draft`(_ format: String) throws {
    _ = try SyntheticBackup.write(format, seed: 3, size: 600_000, to: "a.json", in: folder)
    var whole = DraftingOptions()
    whole.slices = nil
    let expected = try RuleDrafter(options: whole).draft([folder.path.appending("a.json")]).json
    for (jobs, size) in [(1, 1 << 20), (4, 20_000), (3, 3000)] {
      var options = DraftingOptions()
      options.execution.jobs = jobs
      options.slices?.sliceSize = size
      #expect(try RuleDrafter(options: options).draft([folder.path.appending("a.json")]).json == expected, "\(size)")
    }
  }

  // MARK: Descriptors

  @Test func `a draft with a name describes a format that recognises its documents`() throws {
    var options = DraftingOptions()
    options.name = "garage"
    let text =
      #"{"version": 3, "exportDate": "2026-01-02T03:04:05Z", "settings": {"a": 1}, "cars": [{"id": 1}], "trips": [{"id": 1, "date": "2026-01-01"}]}"#
    let draft = try draft(["a.json": text], options)
    let format = try BackupFormat(descriptor: draft.json)
    #expect(format.name == "garage")
    #expect(format.version?.pointer == "/version" && format.version?.current == 3)
    #expect(format.origin.createdAt == "/exportDate")
    #expect(format.settings == "/settings")
    #expect(format.collections.map(\.pointer) == ["/cars", "/trips"])
    guard case .format(let match) = try FormatCatalog([format]).detect(MemorySource(text.utf8)) else {
      Issue.record("not detected")
      return
    }
    #expect(match.format.name == "garage")
  }

  // MARK: Hostile and odd documents

  @Test(arguments: [
    "[]", "{}", "null", "3", "\"x\"", "[[], [[]], null]", #"{"": {"": [{"": 1}, {"": 2}]}}"#,
    #"{"a/b": [{"c/d": 1, "~": "x"}, {"c/d": 2, "~": "y"}], "*": [{"id": 1}, {"*": [{"id": 2}]}]}"#,
    #"[{"id": 1, "id": 2}, {"id": 3}]"#, #"[{"id": {}}, {"id": []}, {"id": null}, {"id": "x"}, {"id": 1}]"#,
    #"[{"n": 1e400}, {"n": -0}, {"n": 0.1e-400}, {"n": 99999999999999999999999999}]"#,
    ##"[{"$ref": "x", "$data": 1, "type": "y\u0000\u2028", "kind": "#"}]"##,
  ])
  func `odd documents satisfy their drafts, in all strictnesses, in JSON and in YAML`(_ text: String) throws {
    for strictness in DraftStrictness.allCases {
      var options = DraftingOptions()
      options.strictness = strictness
      options.addsBounds = true
      options.name = "odd"
      let draft = try draft(["a.json": text], options)
      #expect(try isValid("a.json", by: draft.json), "\(draft.json)")
      #expect(try isValid("a.json", by: draft.yaml, .yaml), "\(draft.yaml)")
    }
  }

  @Test func `30,000 names, huge strings and deep nesting stay within limits`() throws {
    let names = (0..<30_000).map { "\"k\($0)x\": [\($0)]" }.joined(separator: ",")
    let records = (0..<400).map { "{\"n\($0)\": {\"m\($0)\": \"\(String(repeating: "x", count: 50))\"}}" }.joined(separator: ",")
    let huge = String(repeating: "abc", count: 200_000)
    let deep = String(repeating: "{\"a\":[", count: 200) + String(repeating: "]}", count: 200)
    let text = "{\"map\": {\(names)}, \"records\": [\(records)], \"huge\": \"\(huge)\", \"deep\": \(deep)}"
    let draft = try draft(["a.json": text])
    #expect(draft.json.utf8.count < 1_000_000)
    #expect(try isValid("a.json", by: draft.json))
  }

  @Test func `JSON Lines are an array`() throws {
    let draft = try draft(["a.jsonl": "{\"id\": 1}\n{\"id\": 2}\n"])
    #expect(draft.keyCount == 1)
    #expect(try isValid("a.jsonl", by: draft.json))
  }

  @Test(arguments: ["", "{", "[1,]"]) func `a broken document is an error with its name`(_ text: String) throws {
    let error = try #require(throws: CofferError.self) { _ = try draft(["a.json": text]) }
    #expect(error.place.document?.hasSuffix("a.json") == true, "\(error)")
  }

  // MARK: Widening

  /// Returns the changes that admit a document.
  private func changes(_ rules: String, toAdmit text: String) throws -> [String] {
    try folder.write(rules, to: "rules.json")
    try folder.write(text, to: "a.json")
    let update = try RuleDrafter(options: DraftingOptions()).widen(
      folder.path.appending("rules.json"), toAdmit: [folder.path.appending("a.json")], now: Instant(seconds: 0))
    #expect(update.findingsLeft == 0)
    #expect(try isValid("a.json", by: update.json), "\(update.json)")
    return update.changes.map(\.description)
  }

  @Test(
    arguments: [
      (#"{"type": "string"}"#, "1", [#"~ /type: "string" -> ["string", "integer"]"#]),
      (#"{"type": ["integer", "null"]}"#, "1.5", [#"~ /type: ["integer", "null"] -> ["null", "number"]"#]),
      (#"{"required": ["a", "b"]}"#, #"{"a": 1}"#, [#"~ /required: ["a", "b"] -> ["a"]"#]),
      (#"{"required": ["b"]}"#, "{}", [#"- /required: ["b"]"#]),
      (
        #"{"dependentRequired": {"a": ["b", "c"], "d": ["b"]}}"#, #"{"a": 1, "c": 2}"#,
        [#"~ /dependentRequired/a: ["b", "c"] -> ["c"]"#, #"- /dependentRequired/d: ["b"]"#]
      ),
      (
        #"{"additionalProperties": false}"#, #"{"a": 1, "b": "x"}"#,
        [
          #"+ /properties: {"a": {"type": "integer"}, "b": {"type": "string"}}"#
        ]
      ),
      (#"{"items": {"enum": ["x"]}}"#, #"["x", "y", null]"#, [#"~ /items/enum: ["x"] -> ["x", "y", null]"#]),
      (
        #"{"items": {"maximum": 5, "exclusiveMinimum": 0}}"#, "[0, 7]",
        ["- /items/exclusiveMinimum: 0", "+ /items/minimum: 0", "~ /items/maximum: 5 -> 7"]
      ),
      (
        #"{"items": {"format": "date", "formatMinimum": "2020-01-01", "formatExclusiveMaximum": "2021-01-01"}}"#,
        #"["2019-05-01", "2021-01-01"]"#,
        [
          #"~ /items/formatMinimum: "2020-01-01" -> "2019-05-01""#, #"- /items/formatExclusiveMaximum: "2021-01-01""#,
          #"+ /items/formatMaximum: "2021-01-01""#,
        ]
      ),
      (
        #"{"items": {"format": "date", "formatMinimum": "2020-01-01"}}"#, #"["soon"]"#,
        [#"- /items/format: "date""#, #"- /items/formatMinimum: "2020-01-01""#]
      ),
      (#"{"maxItems": 1}"#, "[1, 2]", ["~ /maxItems: 1 -> 2"]),
      // Several values refuse one bound.
      (
        #"{"items": {"minimum": 5, "maximum": 6}}"#, "[1, 2.5, 8, 9.5]",
        ["~ /items/minimum: 5 -> 1.0", "~ /items/maximum: 6 -> 9.5"]
      ),
      (
        #"{"items": {"minItems": 2, "maxItems": 2}}"#, "[[], [1], [1, 2, 3]]",
        ["~ /items/minItems: 2 -> 0", "~ /items/maxItems: 2 -> 3"]
      ),
      (
        #"{"items": {"format": "date", "formatMaximum": "2020-01-01"}}"#, #"["2020-02-01", "2020-03-01"]"#,
        [#"~ /items/formatMaximum: "2020-01-01" -> "2020-03-01""#]
      ),
      // Several places share one bound.
      (
        ##"{"properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"maximum": 5}}}"##,
        #"{"a": 9, "b": 7}"#, ["~ /$defs/n/maximum: 5 -> 9"]
      ),
      // In draft 4, a bound is exclusive by the member next to it.
      (
        #"{"$schema": "http://json-schema.org/draft-04/schema#", "items": {"maximum": 5, "exclusiveMaximum": true}}"#, "[5]",
        ["- /items/exclusiveMaximum: true"]
      ),
      (
        #"{"$schema": "http://json-schema.org/draft-04/schema#", "items": {"maximum": 5, "exclusiveMaximum": true}}"#,
        "[5, 8, 7]",
        ["- /items/exclusiveMaximum: true", "~ /items/maximum: 5 -> 8"]
      ),
      // The version that a format declares.
      (
        #"{"backup": {"name": "x", "version": {"pointer": "/v", "current": 2}}, "properties": {"v": {"type": "integer"}}}"#,
        #"{"v": 3}"#, ["~ /backup/version/current: 2 -> 3", "+ /backup/version/oldest: 2"]
      ),
      // A document without the member declares none.
      (
        #"{"backup": {"name": "x", "version": {"pointer": "/v", "current": 2}}, "properties": {"v": {"type": "integer"}}}"#,
        "[3]", []
      ),
      // A collection's date needs the format of its field.
      (
        #"{"backup": {"name": "x", "collections": {"/a": {"date": "on"}}}, "properties": {"a": {"items": {"properties": {"on": {"format": "date"}}}}}}"#,
        #"{"a": [{"on": "soon"}]}"#,
        [#"- /properties/a/items/properties/on/format: "date""#, #"- /backup/collections/~1a/date: "on""#]
      ),
      (#"{"primaryKey": "id"}"#, #"[{"id": 1}, {"id": 1}]"#, [#"- /primaryKey: "id""#]),
      (#"{"items": {"maxBytes": 2}}"#, #"["aé"]"#, ["- /items/maxBytes: 2"]),
      // Several values refuse one key, and no other.
      (
        #"{"uniqueKeys": ["a", "b", "c"]}"#, #"[{"a": 1, "b": 1, "c": 1}, {"a": 1, "b": 2, "c": 1}, {"a": 1, "b": 3, "c": 1}]"#,
        [#"~ /uniqueKeys: ["a", "b", "c"] -> ["b"]"#]
      ),
      // Equal only after normalisation: another value.
      (#"{"items": {"enum": ["\u00e9"]}}"#, #"["e\u0301"]"#, ["~ /items/enum: [\"\u{e9}\"] -> [\"\u{e9}\", \"e\u{301}\"]"]),
      (
        ##"{"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}}"##, #"{"a": 1}"#,
        [#"~ /$defs/a/type: "string" -> ["string", "integer"]"#]
      ),
      (#"{"properties": {"a": {}}, "additionalProperties": false}"#, #"{"b": "x"}"#, [#"+ /properties/b: {"type": "string"}"#]),
      (#"{"type": "array", "items": {"type": "integer"}}"#, "[1]", []),
    ] as [(String, String, [String])])
  func `a rule is widened as far as a document needs`(_ rules: String, _ text: String, _ expected: [String]) throws {
    #expect(try changes(rules, toAdmit: text) == expected)
  }

  @Test func `what can't be widened is counted`() throws {
    try folder.write(#"{"not": {"type": "integer"}}"#, to: "rules.json")
    try folder.write("1", to: "a.json")
    let update = try RuleDrafter(options: DraftingOptions()).widen(
      folder.path.appending("rules.json"), toAdmit: [folder.path.appending("a.json")], now: Instant(seconds: 0))
    #expect(update.findingsLeft == 1 && update.changes.isEmpty)
    #expect(update.firstFindingsLeft.map(\.finding.schemaLocation) == ["/not"])
  }

  @Test func `a keyword that the rules need stays, and others are widened`() throws {
    // Without the key, nothing says that /cars is an array.
    let rules =
      #"{"backup": {"name": "x", "collections": {"/cars": {}}}, "properties": {"cars": {"primaryKey": "id"}, "n": {"type": "string"}}}"#
    try folder.write(rules, to: "rules.json")
    try folder.write(#"{"cars": [{"id": 1}, {"id": 1}], "n": 1}"#, to: "a.json")
    let update = try RuleDrafter(options: DraftingOptions()).widen(
      folder.path.appending("rules.json"), toAdmit: [folder.path.appending("a.json")], now: Instant(seconds: 0))
    #expect(update.changes.map(\.description) == [#"~ /properties/n/type: "string" -> ["string", "integer"]"#])
    #expect(update.firstFindingsLeft.map(\.finding.schemaLocation) == ["/properties/cars/primaryKey"])
    _ = try BackupFormat(descriptor: update.json)
  }

  @Test func `rules to widen can be compressed, and refer to files next to them`() throws {
    var file = try AtomicFile(folder.path.appending("rules.json.lz4"))
    _ = try Compressor().compress(
      MemorySource(#"{"properties": {"a": {"$ref": "part.json"}}}"#.utf8), to: &file)
    try file.commit()
    try folder.write(#"{"type": "integer"}"#, to: "part.json")
    try folder.write(#"{"a": 1}"#, to: "a.json")
    let update = try RuleDrafter(options: DraftingOptions()).widen(
      folder.path.appending("rules.json.lz4"), toAdmit: [folder.path.appending("a.json")], now: Instant(seconds: 0))
    #expect(update.changes.isEmpty && update.findingsLeft == 0)
  }
}
