import BackupFormats
import ByteStreams
import Coffer
import CofferSQLite
import Findings
import GRDB
import SystemPackage
import TestSupport
import Testing

@Suite struct SQLChecksTests {
  let folder: TemporaryFolder
  private var file: FilePath { folder.path.appending("backup.json") }

  init() throws { folder = try TemporaryFolder() }

  private static func format(_ checks: String, version: String = "") throws -> BackupFormat {
    try BackupFormat(
      descriptor: """
        {"backup": {"name": "accounts", \(version) "checks": [\(checks)]},
         "properties": {
           "version": {"type": "integer"},
           "accounts": {"type": "array", "items": {"type": "object", "properties": {
             "id": {"type": "integer"}, "balance": {"type": "number"},
             "entries": {"type": "array", "items": {"type": "object", "properties": {"amount": {"type": "number"}}}}}}},
           "byName": {"type": "object", "primaryKey": "0#", "additionalProperties": {"type": "object", "properties": {"balance": {"type": "number"}}}}}}
        """)
  }

  private static let overdrawn =
    #"{"name": "overdrawn", "collection": "/accounts", "message": "more was spent than there is", "select": "SELECT rowid, balance FROM accounts WHERE balance < 0"}"#

  private func options(_ change: (inout ValidationOptions) -> Void = { _ in }) -> ValidationOptions {
    var options = ValidationOptions(now: Storing.now)
    options.execution.temporaryFolder = folder.path
    options.runsSQLChecks = true
    change(&options)
    return options
  }

  private func report(_ text: String, _ format: BackupFormat, _ change: (inout ValidationOptions) -> Void = { _ in }) throws
    -> ValidationReport
  {
    try folder.write(text, to: "backup.json")
    let options = options(change)
    let report = try Validator(.format(format), options: options).validate(FileSource(path: file), named: "backup.json")
    return try SQLChecks(format, options: options).add(to: report, of: file, catalog: .builtIn)
  }

  @Test func `each row is a finding at its record`() throws {
    let report = try report(
      "{\"accounts\": [\n  {\"id\": 1, \"balance\": 5},\n  {\"id\": 2, \"balance\": -3}\n]}", Self.format(Self.overdrawn))
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1 && report.counts.total == 1 && !report.isValid)
    #expect(finding.code == "overdrawn" && finding.severity == .error && finding.message == "more was spent than there is")
    #expect(finding.place.pointer == "/accounts/1" && finding.place.line == 3 && finding.place.column == 3)
    #expect(finding.schemaLocation == "/backup/checks/0" && finding.excerpt == "balance -3.0")
  }

  @Test(arguments: TestDepth.cases(everyday: 5, deep: 50) as Range<UInt64>)
  func `random rows have their places`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var text = "{\"accounts\": ["
    var expected: [String: (line: Int, column: Int)] = [:]
    var (line, column) = (1, text.unicodeScalars.count + 1)
    func put(_ piece: String) {
      text += piece
      for scalar in piece.unicodeScalars { (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1) }
    }
    for index in 0..<1000 {
      if index > 0 { put(",") }
      put(["", " ", "\n", "\n\n  ", "\t"][Int(random.next() % 5)])
      let isBad = random.next() % 3 == 0
      if isBad { expected["/accounts/\(index)"] = (line, column) }
      put("{\"note\": \"äß😀\", \"id\": \(index), \"balance\": \(isBad ? "-" : "")\(1 + random.next() % 9)}")
    }
    put("]}")
    let report = try report(text, Self.format(Self.overdrawn))
    #expect(report.findings.count == expected.count && report.counts.total == expected.count)
    for finding in report.findings {
      let place = try #require(expected[finding.place.pointer])
      #expect(finding.place.line == place.line && finding.place.column == place.column)
    }
  }

  @Test func `records of objects, lists inside records, and the document`() throws {
    let checks = """
      {"name": "negative", "collection": "/byName", "select": "SELECT rowid FROM byName WHERE balance < 0"},
      {"name": "sum", "collection": "/accounts", "severity": "warning",
       "select": "SELECT a.rowid AS rowid, balance, sum(amount) AS entries FROM accounts a JOIN accounts_entries e ON e.accounts_rowid = a.rowid GROUP BY a.rowid HAVING sum(amount) <> balance"},
      {"name": "none", "select": "SELECT count(*) AS accounts FROM accounts WHERE id > 5 HAVING count(*) = 0"}
      """
    let text = """
      {"accounts": [{"id": 1, "balance": 3, "entries": [{"amount": 1}, {"amount": 2}]}, {"id": 2, "balance": 3, "entries": [{"amount": 1}]}],
       "byName": {"a/b": {"balance": 1}, "c": {"balance": -1}}}
      """
    let found = try report(text, Self.format(checks)).findings.map {
      "\($0.code) \($0.severity) \($0.place.pointer) \($0.place.line) \($0.excerpt ?? "")"
    }
    #expect(
      found == ["none error  1 accounts 0", "sum warning /accounts/1 1 balance 3.0, entries 1", "negative error /byName/c 2 "])
    #expect(try report(text, Self.format(checks)) { $0.redacts = true }.findings.allSatisfy { $0.excerpt == nil })
  }

  @Test func `all rows are counted`() throws {
    let items = (0..<3000).map { "{\"id\": \($0), \"balance\": -1}" }.joined(separator: ",")
    let report = try report("{\"accounts\": [\(items)]}", Self.format(Self.overdrawn)) { $0.maximumFindings = 50 }
    #expect(report.counts.total == 3000 && report.findings.count == 50 && report.notShown == 2950)
  }

  /// A rule document may be anyone's.
  @Test(arguments: [
    "ATTACH 'x.db' AS x", "PRAGMA journal_mode = WAL", "DELETE FROM accounts RETURNING rowid",
    "SELECT load_extension('x') AS rowid",
    "SELECT 1 AS rowid; SELECT 2", "SELECT nothing AS rowid FROM accounts", "SELEC", "SELECT id FROM accounts",
    "SELECT ? AS rowid",
    "SELECT \\\"x\\\" AS rowid FROM accounts",
  ])
  func `a statement that can't be used is an error of the rules, with its place`(_ select: String) throws {
    let format = try Self.format("{\"name\": \"x\", \"collection\": \"/accounts\",\n \"select\": \"\(select)\"}")
    let errors = try SQLChecks(format, options: options()).errors()
    #expect(errors.count == 1 && errors[0].code == .invalidRules && errors[0].message.hasPrefix("the check 'x': "), "\(errors)")
    #expect(errors.first?.place.pointer == "/backup/checks/0/select" && errors.first?.place.position?.line == 2)
    #expect(performing: { try report(#"{"accounts": [{"id": 1}]}"#, format) }, throws: { CofferError.Code.invalidRules ~= $0 })
    #expect(try folder.names == ["backup.json"])
  }

  @Test(arguments: [
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS rowid FROM n WHERE i < 0",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1 AS rowid FROM n",
  ])
  func `a statement without end gives no verdict`(_ select: String) throws {
    let format = try Self.format("{\"name\": \"x\", \"collection\": \"/accounts\", \"select\": \"\(select)\"}")
    try folder.write(#"{"accounts": []}"#, to: "backup.json")
    var checks = SQLChecks(format, options: options())
    checks.timeLimit = .milliseconds(300)
    #expect(
      performing: { try checks.add(to: ValidationReport(file: "backup.json"), of: file, catalog: .builtIn) },
      throws: { CofferError.Code.ruleLimit ~= $0 })
  }

  @Test(arguments: [("SELECT zeroblob(2000000) AS rowid", CofferError.Code.invalidRules), ("SELECT 'x' AS rowid", .invalidRules)])
  func `a row that is no record, or too large, is an error of the rules`(_ select: String, _ code: CofferError.Code) throws {
    let format = try Self.format("{\"name\": \"x\", \"collection\": \"/accounts\", \"select\": \"\(select)\"}")
    #expect(performing: { try report(#"{"accounts": []}"#, format) }, throws: { code ~= $0 })
  }

  @Test(arguments: ["/accounts", "/byName"]) func `a rowid of no record is an error of the rules`(_ collection: String) throws {
    let format = try Self.format("{\"name\": \"x\", \"collection\": \"\(collection)\", \"select\": \"SELECT 2 AS rowid\"}")
    do {
      _ = try report(#"{"accounts": [{"id": 1}], "byName": {"a": {}}}"#, format)
      Issue.record("not refused")
    } catch let error as CofferError {
      #expect(error.code == .invalidRules && error.message == "the check 'x': \(collection) has no record with the rowid 2")
    }
  }

  @Test func `checks of rules that are no format are refused`() {
    #expect {
      try RuleDocument(MemorySource(#"{"backup": {"checks": []}}"#.utf8))
    } throws: {
      ($0 as? CofferError)?.message == "checks in SQL need the tables of a format: give 'backup' a 'name'"
    }
  }

  @Test(arguments: [
    (#"{"select": "SELECT 1"}"#, "a check needs 'name' and 'select'"),
    (#"{"name": "A b", "select": "SELECT 1"}"#, "a check's name has only"),
    (#"{"name": "a", "select": "SELECT 1"}, {"name": "a", "select": "SELECT 1"}"#, "two checks have the name 'a'"),
    (#"{"name": "a", "collection": "/boats", "select": "SELECT 1"}"#, "the rules describe no collection '/boats' of objects"),
    (#"{"name": "a", "sql": "SELECT 1"}"#, "unknown member 'sql' in a check"),
  ])
  func `a check that means nothing is refused`(_ checks: String, _ message: String) throws {
    do {
      _ = try Self.format(checks)
      Issue.record("not refused")
    } catch let error as CofferError {
      #expect(error.code == .invalidRules && error.message.hasPrefix(message), "\(error)")
    }
  }

  @Test func `what isn't checked is said`() throws {
    let report = try report(#"{"accounts": [{"id": 1, "balance": -1}]}"#, Self.format(Self.overdrawn)) {
      $0.only = CollectionSelection(list: "accounts")
    }
    #expect(report.findings.map(\.code) == ["not-run"] && report.isValid)
    #expect(report.findings[0].message == "checks in SQL were not run: overdrawn (not all collections were read)")
  }

  @Test func `an import is refused before anything is written`() throws {
    let format = try Self.format(Self.overdrawn)
    let database = folder.path.appending("out.db")
    func load(_ text: String, allows: Bool = false) throws -> DatabaseImportReport {
      try folder.write(text, to: "backup.json")
      var options = DatabaseImportOptions(validation: options())
      options.allowsFindings = allows
      return try DatabaseImporter(.format(format), catalog: .builtIn, options: options).run(file, into: database)
    }
    let bad = #"{"accounts": [{"id": 1, "balance": -1, "entries": [{"amount": 1}]}]}"#
    #expect(performing: { try load(bad) }, throws: { CofferError.Code.findings ~= $0 })
    #expect(try folder.names == ["backup.json"])
    #expect(try load(#"{"accounts": [{"id": 1, "balance": 1}]}"#).validation.counts.total == 0)
    #expect(performing: { try load(bad) }, throws: { CofferError.Code.findings ~= $0 })
    let report = try load(bad, allows: true)
    #expect(report.validation.counts.count(.error, code: "overdrawn") == 1)
    let views = try DatabaseQueue(path: database.string).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema WHERE type = 'view'")
    }
    #expect(views == 0)
  }
}
