import Foundation
import TestSupport
import Testing

@Suite struct RulesCheckCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      {"properties": {
        "cars": {"primaryKey": "id",
          "contains": {"required": ["selected"]}},
        "trips": {
          "foreignKeys": [{"fields": "carId", "reference": {"resource": "/cars", "fields": "id"}}]}}}
      """, to: "rules.json")
    try folder.write("{\n  \"tpye\": 1,\n  \"minLength\": -1}", to: "wrong.json")
  }

  @Test func `the report of valid rules has their cost`() async throws {
    let run = try await Command("rules", "check", "rules.json", in: folder)
    #expect(run.status == 0)
    #expect(
      run.output == """
        rules.json: valid (urn:coffer:rules:1)
          5 schemas, 6 states, 0 patternProperties patterns
          memory while a document is read
            about 22 bytes per distinct key, less for consecutive integers
              /cars  line 2, /properties/cars/primaryKey
            20 to 30 bytes per reference that precedes its target
              /trips  line 5, /properties/trips/foreignKeys/0
          arrays sliced for parallel validation
              /trips
          arrays not sliced: contains counts the matching items
              /cars  line 3, /properties/cars/contains

        """)
    #expect(run.errors == "")
  }

  @Test func `wrong rules end with status 2`() async throws {
    let run = try await Command("rules", "check", "wrong.json", "rules.json", in: folder)
    #expect(run.status == 2)
    #expect(
      run.output.hasPrefix(
        """
        wrong.json:2:3: error: this member is not allowed; did you mean 'type'? [unevaluated-properties]
            /tpye, byte 4
        wrong.json:3:16: error: expected at least 0, found -1 [minimum]
            /minLength, byte 30
        wrong.json: 2 errors (urn:coffer:rules:1)
          1  error    minimum
          1  error    unevaluated-properties

        rules.json: valid
        """), "\(run.output)")
  }

  @Test func `unreadable rules end with status 3`() async throws {
    try folder.write("{", to: "broken.json")
    let run = try await Command("rules", "check", "broken.json", "gone.json", "wrong.json", in: folder)
    #expect(run.status == 3)
    #expect(run.output.contains("broken.json:1:2: error: the document ends"))
    #expect(run.output.contains("gone.json: error: cannot open gone.json: no such file or directory [not-found]"))
    #expect(run.output.contains("wrong.json: 2 errors"))
  }

  @Test func `a format is checked by its name`() async throws {
    let run = try await Command("rules", "check", "ev-charging-tracker")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("ev-charging-tracker: valid (urn:coffer:rules:1)\n"))
    #expect(run.output.contains(/\n      \/cars  line [0-9]+, \/properties\/cars\/allOf\/0\/contains\n/))
    #expect(run.output.contains("\n      /expenses\n      /plannedMaintenance\n"))
  }

  @Test func `the JSON report has the cost of valid rules`() async throws {
    let run = try await Command("rules", "check", "rules.json", "wrong.json", "--output-format", "json", in: folder)
    #expect(run.status == 2)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let files = try #require(report["files"] as? [[String: Any]])
    #expect(files.map { $0["valid"] as? Bool } == [true, false])
    let cost = try #require(files[0]["cost"] as? [String: Any])
    #expect(cost["schemas"] as? Int == 5)
    let collections = try #require(cost["collections"] as? [[String: Any]])
    #expect(collections.map { $0["sliced"] as? Bool } == [false, true])
    #expect(collections[0]["reason"] as? String == "counts")
    #expect(collections[0]["line"] as? Int == 3)
    let needs = try #require(cost["needs"] as? [[String: Any]])
    #expect(needs.map { $0["kind"] as? String } == ["keys", "references"])
    #expect(files[1]["cost"] == nil)
  }

  @Test func `--map gives access to referenced documents`() async throws {
    try folder.write(#"{"$ref": "http://example.org/rules.json"}"#, to: "outer.json")
    let unmapped = try await Command("rules", "check", "outer.json", in: folder)
    #expect(unmapped.status == 0)
    #expect(unmapped.output.contains("1 warning"))
    let run = try await Command("rules", "check", "outer.json", "--map", "http://example.org/=.", in: folder)
    #expect(run.status == 0)
    #expect(run.output.contains("line 3, http://example.org/rules.json#/properties/cars/contains"))
  }

  @Test func `validation names the first of several errors, and where all of them are`() async throws {
    try folder.write(#"{"type": "strin", "pattern": "(", "properties": {"a": {"$ref": "../a.json"}}}"#, to: "three.json")
    let run = try await Command("validate", "--rules", "three.json", "rules.json", in: folder)
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coffer: three.json:1:10: type must be null, boolean, "), "\(run.errors)")
    #expect(run.errors.hasSuffix("at /type; 2 further errors: 'coffer rules check' lists all\n"), "\(run.errors)")
    let check = try await Command("rules", "check", "three.json", in: folder)
    #expect(check.output.contains("three.json: 3 errors"), "\(check.output)")
  }

  @Test func `standard input is checked`() async throws {
    let run = try await Command("rules", "check", "-", input: "true")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("standard input: valid (urn:coffer:rules:1)\n"))
  }
}
