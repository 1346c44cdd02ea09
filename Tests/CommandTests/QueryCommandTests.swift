import Foundation
import TestSupport
import Testing

@Suite struct QueryCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"items": [{"id": 1, "n": "a\u001b[31m"}, {"id": 2, "tags": [{"t": "x"}]}]}"#, to: "any.json")
    try folder.write(
      #"{"backup": {"name": "mine"}, "properties": {"items": {"type": "array", "primaryKey": "id", "items": {"properties": {"id": {"type": "integer"}}}}}}"#,
      to: "rules.json")
  }

  private func query(_ arguments: String...) async throws -> Command { try await Command(["query"] + arguments, in: folder) }

  @Test func `without a statement, the tables are listed`() async throws {
    let run = try await query("any.json", "--rules", "rules.json")
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(
      run.output == """
          table           rows  columns
          items              2  id, coffer_extra
          coffer_backup      5  name, value
          coffer_members     1  position, name, value

        """, "\(run.output)")
    let lines = try await query("any.json", "--rules", "rules.json", "--to", "ndjson")
    #expect(lines.output.hasPrefix(#"{"table":"items","rows":2,"columns":["id","coffer_extra"]}"# + "\n"))
    #expect(try await query("any.json", "--to", "csv").status == 2)
  }

  @Test func `rows are printed in three formats`() async throws {
    let table = try await query("any.json", "SELECT id, n FROM items")
    #expect(table.output == "  id  n\n   1  a\\u{1B}[31m\n   2  null\n2 rows\n", "\(table.output)")
    #expect(table.errors == "coffer: any.json: unknown format: the tables are those of drafted rules\n")
    let lines = try await query("any.json", "SELECT id, n FROM items", "--to", "ndjson")
    #expect(lines.output == #"{"id":1,"n":"a\u001b[31m"}"# + "\n" + #"{"id":2,"n":null}"# + "\n")
    #expect(try await query("any.json", "SELECT t FROM items_tags", "--to", "csv").output == "t\nx\n")
    let none = try await query("any.json", "SELECT id FROM items WHERE id > 2")
    #expect(none.output == "  id\n0 rows\n" && none.status == 0)
  }

  @Test func `a notice says that values were cut`() async throws {
    let run = try await query("any.json", "SELECT printf('%.*c', 70, 'x') AS x, rowid FROM items")
    #expect(run.output.contains(String(repeating: "x", count: 59) + "…") && run.errors.contains("values were cut"))
    #expect(try await !query("any.json", "SELECT id FROM items").errors.contains("cut"))
  }

  @Test func `a backup with errors has rows, and --into refuses it`() async throws {
    try folder.write(#"{"items": [{"id": 1}, {"id": 1}, {"id": "x"}]}"#, to: "wrong.json")
    let run = try await query("wrong.json", "SELECT count(*) AS n FROM items", "--to", "csv", "--rules", "rules.json")
    #expect(run.status == 0 && run.output == "n\n3\n")
    #expect(run.errors == "coffer: wrong.json: not valid: 2 errors; coffer validate reports them\n", "\(run.errors)")
    try folder.write(#"{"items": [{"id": 1}, {"id": 1}]}"#, to: "double.json")
    let kept = try await query("double.json", "--into", "kept.db", "--rules", "rules.json")
    #expect(kept.status == 1 && kept.errors.contains("primary-key"), "\(kept.errors)")
    #expect(try !folder.names.contains("kept.db"))
  }

  @Test func `--into makes a new database`() async throws {
    let run = try await query("any.json", "SELECT count(*) AS n FROM items", "--into", "kept.db", "--rules", "rules.json")
    #expect(run.status == 0 && run.output == "  n\n  2\n1 row\n", "\(run.errors)")
    #expect(try await Command("export", "kept.db", "-", in: folder).status == 0)
    let again = try await query("any.json", "--into", "kept.db", "--rules", "rules.json")
    #expect(again.status == 4 && again.errors.contains("kept.db already exists"), "\(again.errors)")
    #expect(try await query("any.json", "--into", "any.json").status == 4)
    #expect(try await query("any.json", "--into", "-").status == 2)
  }

  @Test(arguments: [
    ("SELECT x FROM items", "coffer: SQL:1:8: no such column: x"), ("SELECT 1;\nDROP TABLE items", "more follows"),
    ("DELETE FROM items", "only SELECT"), ("SELECT (", "coffer: SQL: incomplete input"),
    ("SELECT * FROM absent", "SQL: no such table"), ("ATTACH 'x' AS x", "only SELECT"),
    ("", "expected one SELECT statement"),
  ])
  func `an error in the statement is wrong usage`(_ sql: String, _ message: String) async throws {
    let run = try await query("any.json", sql)
    #expect(run.status == 2 && run.output == "" && run.errors.contains(message), "\(run.errors)")
  }

  @Test func `a wrong statement is refused before anything is read or kept`() async throws {
    let run = try await query("any.json", "SELEC 1", "--into", "kept.db")
    #expect(run.status == 2 && run.errors.hasPrefix("coffer: SQL:1:1:"), "\(run.errors)")
    #expect(try await query("any.json", "--to", "csv", "--into", "kept.db").status == 2)
    #expect(try !folder.names.contains("kept.db"))
  }

  @Test func `what the tables don't tell is said`() async throws {
    let only = try await query("any.json", "SELECT count(*) AS n FROM items", "--only", "tags", "--rules", "two.json")
    #expect(only.status != 0)
    try folder.write(
      #"{"backup": {"name": "mine"}, "properties": {"a": {"type": "array", "items": {"type": "object"}}, "b": {"type": "array", "items": {"type": "object"}}}}"#,
      to: "two.json")
    try folder.write(#"{"a": [{"x": 1}], "b": [{"x": 1}]}"#, to: "two-lists.json")
    let left = try await query(
      "two-lists.json", "SELECT count(*) AS n FROM b", "--only", "a", "--rules", "two.json", "--to", "csv")
    #expect(left.output == "n\n0\n" && left.errors.contains("two-lists.json: not read, and empty here: b"), "\(left.errors)")
    try folder.write("[1, 2]", to: "none.json")
    #expect(try await query("none.json").errors.contains("no collections were found"))
    let lines = try await Command(
      ["query", "-", "SELECT count(*) AS n FROM records", "--from", "ndjson", "--to", "csv"], input: "{\"a\": 1}\n{\"a\": 2}\n",
      in: folder)
    #expect(lines.status == 0 && lines.output == "n\n2\n", "\(lines.errors)")
    let old = Checkout.fixtures.appending(path: "Formats/ev-charging-tracker-v5.json").path(percentEncoded: false)
    let migrated = try await query(old, "SELECT count(*) AS n FROM cars")
    #expect(migrated.status == 0 && migrated.errors.contains("migrated from version 5 to 9"), "\(migrated.errors)")
  }

  @Test func `damaged input is named`() async throws {
    try folder.write(#"{"items": [{"id": 1}"#, to: "cut.json")
    let run = try await query("cut.json", "SELECT 1")
    #expect(run.status == 3 && run.errors.contains("cut.json:1:21"), "\(run.errors)")
    #expect(try await query("missing.json").status == 3)
  }
}
