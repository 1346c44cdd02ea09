import BackupFormats
import ByteStreams
import Coffer
import CofferSQLite
import Findings
import SystemPackage
import TestSupport
import Testing

@Suite struct BackupQueryTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      #"{"cars": [{"id": 7, "name": "Ä", "tags": [{"x": 1}, {"x": 2}]}, {"id": 8, "km": 1.5}], "more": {"a": true}}"#,
      to: "backup.json")
  }

  private func query(_ name: String = "backup.json", keeping kept: FilePath? = nil) throws -> BackupQuery {
    var validation = ValidationOptions(now: Storing.now)
    validation.execution.temporaryFolder = folder.path
    return try BackupQuery(
      folder.path.appending(name), .detected(.builtIn), catalog: .builtIn,
      options: DatabaseImportOptions(validation: validation), keeping: kept)
  }

  private func lines(_ backup: BackupQuery, _ sql: String, as format: QueryFormat = .ndjson) throws -> String {
    var writer = QueryWriter(MemorySink(), as: format)
    try backup.rows(of: sql, begin: { try writer.begin($0) }) { try writer.write($0) }
    try writer.finish()
    return String(decoding: writer.sink.bytes, as: UTF8.self)
  }

  @Test func `records are rows, lists of objects in them are views`() throws {
    let backup = try query()
    #expect(
      try backup.tables.map { "\($0.name) \($0.rowCount)" } == ["cars 2", "cars_tags 2", "coffer_backup 6", "coffer_members 2"])
    #expect(
      try lines(backup, "SELECT rowid, id, name, km FROM cars")
        == """
        {"rowid":1,"id":7,"name":"Ä","km":null}
        {"rowid":2,"id":8,"name":null,"km":1.5}

        """)
    #expect(try lines(backup, "SELECT sum(x) AS x FROM cars_tags") == "{\"x\":3}\n")
    #expect(try folder.names.count { $0 != "backup.json" } == 1, "the tables are in a temporary folder")
  }

  @Test func `every value has one spelling in each format`() throws {
    let backup = try query()
    let sql = """
      SELECT 1 AS a, -2.50 AS a, 'x,"y"' AS "b""c", '' AS e, NULL AS n, x'0aFF' AS h, 9e999 AS i, CAST(x'ff' AS TEXT) AS t, char(27) AS z
      """
    #expect(
      try lines(backup, sql)
        == #"{"a":1,"a_2":-2.5,"b\"c":"x,\"y\"","e":"","n":null,"h":"0aff","i":9e999,"t":"ff","z":"\u001b"}"# + "\n")
    #expect(
      Array(try lines(backup, sql, as: .csv).utf8)
        == Array("a,a,\"b\"\"c\",e,n,h,i,t,z\n1,-2.5,\"x,\"\"y\"\"\",\"\",,0aff,9e999,ff,\"\u{1B}\"\n".utf8))
    let table = try lines(backup, sql, as: .table)
    #expect(table.hasSuffix("\n1 row\n") && !table.contains("\u{1B}") && table.contains("\\u{1B}"), "\(table)")
  }

  @Test func `a table is as wide as its first rows`() throws {
    let sql = """
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 101)
      SELECT i, CASE i WHEN 101 THEN 'longer' ELSE 'a' END AS t FROM n
      """
    let rows = try lines(query(), sql, as: .table).split(separator: "\n")
    #expect(rows[0] == "    i  t" && rows[1] == "    1  a" && rows[101] == "  101  …" && rows[102] == "101 rows")
  }

  @Test func `records with errors have rows, also those with one key`() throws {
    let rules =
      #"{"backup": {"name": "t"}, "properties": {"a": {"type": "array", "primaryKey": "id", "items": {"properties": {"id": {"type": "integer"}, "n": {"type": "string"}}}}}}"#
    try folder.write(#"{"a": [{"id": 1, "n": "x"}, {"id": 1, "n": 5}]}"#, to: "double.json")
    let format = try BackupFormat(descriptor: rules)
    var validation = ValidationOptions(now: Storing.now)
    validation.execution.temporaryFolder = folder.path
    let options = DatabaseImportOptions(validation: validation)
    let backup = try BackupQuery(folder.path.appending("double.json"), .format(format), catalog: .builtIn, options: options)
    #expect(backup.report.validation.counts.count(.error) == 2)
    #expect(
      try lines(backup, "SELECT id, coffer_extra FROM a ORDER BY rowid")
        == #"{"id":1,"coffer_extra":null}"# + "\n" + #"{"id":1,"coffer_extra":"{\"n\":5}"}"# + "\n")
    #expect {
      try BackupQuery(
        folder.path.appending("double.json"), .format(format), catalog: .builtIn, options: options,
        keeping: folder.path.appending("kept.db"))
    } throws: { CofferError.Code.findings ~= $0 }
    #expect(try !folder.names.contains("kept.db"))
  }

  @Test func `what is no row elsewhere is one here`() throws {
    try folder.write(
      #"{"a": [{"id": 1, "id": 2}, 5, "x", null, [1, {"b": [2]}], [], {"id": 7}]}"#, to: "odd.json")
    let format = try BackupFormat(
      descriptor:
        #"{"backup": {"name": "t"}, "properties": {"a": {"type": "array", "primaryKey": "id", "items": {"properties": {"id": {"type": "integer"}}}}}}"#
    )
    var validation = ValidationOptions(now: Storing.now)
    validation.execution.temporaryFolder = folder.path
    let backup = try BackupQuery(
      folder.path.appending("odd.json"), .format(format), catalog: .builtIn,
      options: DatabaseImportOptions(validation: validation))
    #expect(
      try lines(backup, "SELECT id, coffer_extra FROM a ORDER BY rowid", as: .csv)
        == "id,coffer_extra\n1,\"{\"\"id\"\":2}\"\n,5\n,\"\"\"x\"\"\"\n,null\n,\"[1,{\"\"b\"\":[2]}]\"\n,[]\n7,\n")
  }

  @Test func `tables are kept in a new database alone`() throws {
    let kept = folder.path.appending("kept.db")
    let backup = try query(keeping: kept)
    #expect(try lines(backup, "SELECT count(*) AS n FROM cars") == "{\"n\":2}\n")
    #expect(throws: CofferError.self) { try query(keeping: kept) }
    #expect(try lines(query(keeping: folder.path.appending("other.db")), "SELECT count(*) AS n FROM cars") == "{\"n\":2}\n")
  }

  /// What SQL could do beside reading the tables.
  @Test(arguments: [
    "ATTACH 'other.db' AS other", "SELECT load_extension('x')", "SELECT * FROM pragma_database_list", "PRAGMA journal_mode = WAL",
    "DELETE FROM cars", "UPDATE cars SET id = 1 RETURNING id", "INSERT INTO cars (id) VALUES (1) RETURNING id", "DROP TABLE cars",
    "CREATE TABLE t (x)", "CREATE TEMP TABLE t (x)", "CREATE VIRTUAL TABLE t USING fts5(x)", "VACUUM INTO 'copy.db'", "BEGIN",
    "SAVEPOINT s", "REINDEX", "ANALYZE", "SELECT readfile('/etc/passwd')", "SELECT writefile('x', 'y')", "SELECT edit('x')",
    "SELECT fts3_tokenizer('simple')", "SELECT 1; DELETE FROM cars", "SELECT 1; SELECT 2", "SELECT 1;; ;SELECT 2", "",
    "-- nothing", "SELECT 1\0",
    "SELECT zeroblob(1000000000)", "SELECT replace(hex(zeroblob(100000000)), '0', 'long text')",
    "SELECT ?", "SELECT $c", "SELECT zeroblob(70000000)", "SELECT * FROM pragma_table_info('cars')", "SELECT \"nme\" FROM cars",
    "SELECT * FROM absent", "SELEC 1", "SELECT * FROM coffer_rows(1)",
  ])
  func `only SELECT on the tables is possible`(_ sql: String) throws {
    let backup = try query()
    #expect(performing: { try lines(backup, sql) }, throws: { CofferError.Code.sql ~= $0 })
    // Nothing has changed, and the connection still works.
    #expect(try lines(backup, "SELECT count(*) AS n FROM cars") == "{\"n\":2}\n")
    #expect(try folder.names.count == 2)
  }

  @Test(arguments: [
    "SELECT 1 AS n;", "SELECT 1 AS n; -- done", "/* one */ SELECT 1 AS n ;; ", "WITH t(n) AS (VALUES (1)) SELECT n FROM t",
  ])
  func `blanks and comments may follow a statement`(_ sql: String) throws {
    #expect(try lines(query(), sql) == "{\"n\":1}\n")
  }

  @Test func `nested values are read with SQLite's functions`() throws {
    let backup = try query()
    #expect(try lines(backup, "SELECT sum(j.value ->> 'x') AS x FROM cars, json_each(cars.tags) AS j") == "{\"x\":3}\n")
    #expect(try lines(backup, "SELECT count(*) AS n FROM json_tree('[1,[2]]')") == "{\"n\":4}\n")
  }

  @Test func `a statement is checked without tables`() throws {
    try BackupQuery.check("SELECT x FROM y")
    for sql in ["SELEC 1", "SELECT 1; SELECT 2", "ATTACH 'x' AS y", "SELECT (", "SELECT ?", ""] {
      #expect(performing: { try BackupQuery.check(sql) }, throws: { CofferError.Code.sql ~= $0 })
    }
  }

  @Test func `a row outlives its query`() throws {
    var row: QueryRow?
    var backup: BackupQuery? = try query()
    try backup?.rows(of: "SELECT id FROM cars") { row = $0 }
    backup = nil
    #expect(row?[0] == .null)
  }

  @Test func `large values are written in pieces`() throws {
    var writer = QueryWriter(CountingSink(), as: .ndjson)
    try query().rows(of: "SELECT zeroblob(10000000) AS b, printf('%.*c', 10000000, 'x') AS t", begin: { try writer.begin($0) }) {
      try writer.write($0)
    }
    try writer.finish()
    #expect(writer.sink.count == 30_000_000 + #"{"b":"","t":""}"#.utf8.count + 1)
  }

  @Test func `an error in the statement has its place`() throws {
    let backup = try query()
    do {
      _ = try lines(backup, "SELECT id,\n  'ä', nme FROM cars")
      Issue.record("nme is no column")
    } catch let error as CofferError {
      #expect(error.place.document == "SQL" && error.message == "no such column: nme")
      #expect(error.place.position?.line == 2 && error.place.position?.column == 8)
    }
  }

  @Test func `a statement without end ends with the run`() throws {
    let cancellation = Cancellation()
    var validation = ValidationOptions(now: Storing.now)
    validation.execution.cancellation = cancellation
    validation.execution.temporaryFolder = folder.path
    let backup = try BackupQuery(
      folder.path.appending("backup.json"), .detected(.builtIn), catalog: .builtIn,
      options: DatabaseImportOptions(validation: validation))
    var count = 0
    #expect(throws: CancellationError.self) {
      try backup.rows(of: "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n") { _ in
        count += 1
        if count == 1000 { cancellation.request() }
      }
    }
    #expect(count >= 1000)
  }
}
