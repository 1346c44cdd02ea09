import TestSupport
import Testing

/// Every verb that knows collections also knows an object of records, such as `{"u1": {…}, "u2": {…}}`.
@Suite struct ObjectOfRecordsTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      #"""
      {"type": "object", "properties": {
        "users": {"type": "object", "primaryKey": "mail",
          "additionalProperties": {"type": "object", "required": ["mail"],
            "properties": {"mail": {"type": "string"}, "since": {"type": "string", "format": "date"}}}},
        "n": {"countOf": "/users"},
        "orders": {"type": "array", "items": {"type": "object", "properties": {"by": {"type": "string"}}},
          "foreignKeys": [{"fields": "by", "reference": {"resource": "/users", "fields": "0#"}}]}}}
      """#, to: "rules.json")
    try folder.write(
      #"{"users":{"u1":{"mail":"a","since":"2026-01-01"},"u/2":{"mail":"b","since":"2026-03-01"}},"n":2,"orders":[{"by":"u1"}]}"#,
      to: "a.json")
    try folder.write(
      #"{"users":{"u/2":{"mail":"bb","since":"2026-03-02"},"u3":{"mail":"c"}},"n":2,"orders":[{"by":"u3"}]}"#, to: "b.json")
  }

  private func run(_ arguments: String...) async throws -> Command { try await Command(arguments, in: folder) }

  @Test func `validate counts the records, and names them in findings`() async throws {
    #expect(try await run("validate", "--rules", "rules.json", "a.json").output.contains("3 records in"))
    try folder.write(#"{"users": {"u1": {"mail": "a"}, "u~2": {"mail": "a"}}, "orders": [{"by": "x"}]}"#, to: "bad.json")
    let run = try await run("validate", "--rules", "rules.json", "bad.json")
    #expect(run.status == 1)
    #expect(run.output.contains("duplicate mail a: /users/u1 at 1:27 has it [primary-key]\n    /users/u~02/mail, byte 48"))
    #expect(run.output.contains("by x refers to no record of /users [foreign-key]\n    /orders/0/by, byte "))
  }

  @Test func `inspect counts the records with their dates`() async throws {
    let lines = try await run("inspect", "--rules", "rules.json", "a.json").output.split(separator: "\n")
    let words = lines.map { $0.split(separator: " ").map(String.init) }
    #expect(words.contains { $0.prefix(5) == ["users", "2", "2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "since"] })
  }

  @Test func `diff compares records by their names`() async throws {
    let run = try await run("diff", "--rules", "rules.json", "a.json", "b.json")
    #expect(run.status == 1)
    #expect(run.output.contains("users: 1 changed, 1 removed, 1 added\n"))
    #expect(run.output.contains("  ~ /users/u~12\n      /mail: \"b\" → \"bb\"\n"))
    #expect(run.output.contains("  + /users/u3\n"))
  }

  @Test func `merge takes records by their names, and corrects the count`() async throws {
    let run = try await run("merge", "--rules", "rules.json", "--on-conflict", "replace", "a.json", "b.json", "m.json")
    #expect(run.status == 0)
    let merged =
      #"{"users":{"u1":{"mail":"a","since":"2026-01-01"},"u/2":{"mail":"bb","since":"2026-03-02"},"u3":{"mail":"c"}},"n":3,"#
      + #""orders":[{"by":"u1"},{"by":"u3"}]}"#
    #expect(try folder.text(of: "m.json") == merged)
  }

  @Test func `a key for something that is no collection is refused`() async throws {
    let run = try await run("diff", "--rules", "rules.json", "--key", "/users/u1=mail", "a.json", "b.json")
    #expect(run.status == 2 && run.errors.contains("neither a.json nor b.json has an array at '/users/u1' for the key"))
  }

  @Test(arguments: [
    (
      ["--to", "ndjson"],
      "{\"u1\":{\"mail\":\"a\",\"since\":\"2026-01-01\"}}\n{\"u/2\":{\"mail\":\"b\",\"since\":\"2026-03-01\"}}\n"
    ),
    ([], #"{"u1":{"mail":"a","since":"2026-01-01"},"u/2":{"mail":"b","since":"2026-03-01"}}"#),
    (
      ["--sort-keys", "--to", "ndjson"],
      "{\"u1\":{\"mail\":\"a\",\"since\":\"2026-01-01\"}}\n{\"u/2\":{\"mail\":\"b\",\"since\":\"2026-03-01\"}}\n"
    ),
  ])
  func `convert writes the records with their names`(options: [String], output: String) async throws {
    #expect(try await Command(["convert", "--collection", "/users"] + options + ["a.json", "-"], in: folder).output == output)
  }

  @Test func `lines keep the names of members that are no records`() async throws {
    try folder.write(#"{"x": {"a": 1, "b": [2, {}], "c": {}}, "y": {}}"#, to: "x.json")
    let lines = try await run("convert", "--collection", "/x", "--to", "ndjson", "x.json", "-").output
    #expect(lines == "{\"a\":1}\n{\"b\":[2,{}]}\n{\"c\":{}}\n")
    #expect(try await run("convert", "--collection", "/y", "--to", "ndjson", "x.json", "-").output == "")
  }

  @Test func `collections that are left out become empty objects`() async throws {
    let run = try await run("convert", "--rules", "rules.json", "--only", "orders", "a.json", "-")
    #expect(run.output == #"{"users":{},"n":0,"orders":[{"by":"u1"}]}"#)
    #expect(run.errors.contains("left out: users\n"))
  }

  @Test func `rules for each item apply to the members of an object`() async throws {
    try folder.write(#"{"required": ["n"], "properties": {"n": {"countOf": "/x"}}}"#, to: "user.json")
    try folder.write(#"{"users": {"u1": {"n": 1, "x": [7]}, "u2": {"x": []}, "u3": {"n": 2, "x": [1]}}, "n": 3}"#, to: "b.json")
    let run = try await run("validate", "--each=/users", "--rules", "user.json", "b.json")
    #expect(run.status == 1)
    #expect(run.output.contains("/users/u2") && run.output.contains("/users/u3/n") && !run.output.contains("/users/u1"))
    #expect(run.output.contains("2 errors"), "\(run.output)")
  }
}
