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

  @Test func `what was cut is said`() async throws {
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
    ("DELETE FROM items", "only SELECT"), ("ATTACH 'x' AS x", "only SELECT"),
    ("", "expected one SELECT statement"),
  ])
  func `an error in the statement is wrong usage`(_ sql: String, _ message: String) async throws {
    let run = try await query("any.json", sql)
    #expect(run.status == 2 && run.output == "" && run.errors.contains(message), "\(run.errors)")
  }

  @Test func `damaged input is named`() async throws {
    try folder.write(#"{"items": [{"id": 1}"#, to: "cut.json")
    let run = try await query("cut.json", "SELECT 1")
    #expect(run.status == 3 && run.errors.contains("cut.json:1:21"), "\(run.errors)")
    #expect(try await query("missing.json").status == 3)
  }
}
