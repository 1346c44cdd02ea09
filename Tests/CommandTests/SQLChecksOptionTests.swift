import TestSupport
import Testing

@Suite struct SQLChecksOptionTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      backup:
        name: accounts
        detect: /accounts
        checks:
          - name: overdrawn
            collection: /accounts
            message: more was spent than there is
            select: SELECT rowid, balance FROM accounts WHERE balance < 0
      properties:
        accounts: {type: array, items: {type: object, properties: {balance: {type: integer}}}}
      """, to: "rules.yaml")
    try folder.write("{\"accounts\": [{\"balance\": 1},\n {\"balance\": -5}]}", to: "a.json")
  }

  private func validate(_ arguments: String...) async throws -> Command {
    try await Command(["validate", "a.json", "--rules", "rules.yaml"] + arguments, in: folder)
  }

  @Test func `validate says which checks it doesn't run, and runs them if asked`() async throws {
    let without = try await validate()
    #expect(without.status == 0)
    #expect(
      without.output.contains("warning: checks in SQL were not run: overdrawn [not-run]")
        && without.errors.contains("--sql-checks runs the checks in SQL"), "\(without.output)\(without.errors)")
    #expect(try await validate("--strict").status == 1)
    let run = try await validate("--sql-checks")
    #expect(run.status == 1)
    #expect(
      run.output.hasPrefix("a.json:2:2: error: more was spent than there is [overdrawn]\n    /accounts/1, byte 31"),
      "\(run.output)")
    #expect(!run.output.contains("not-run"))
    #expect(try await validate("--sql-checks", "--baseline", "b.json").status == 2)
    #expect(try await Command("validate", "-", "--sql-checks", "--rules", "rules.yaml", in: folder).status == 2)
  }

  @Test func `an error in a check's SQL is one of the rules`() async throws {
    #expect(try await Command("rules", "check", "rules.yaml", in: folder).output == "rules.yaml: valid (urn:coffer:rules:1)\n")
    try folder.write(try folder.text(of: "rules.yaml").replacing("rowid, balance", with: "rowid, balanc"), to: "rules.yaml")
    let check = try await Command("rules", "check", "rules.yaml", in: folder)
    #expect(check.status == 2, "\(check.output)")
    #expect(
      check.output.hasPrefix(
        "rules.yaml:8:15: error: the check 'overdrawn': no such column: balanc (line 1, column 15 of the statement)"),
      "\(check.output)")
    let piped = #"{"backup": {"name": "a", "checks": [{"name": "x", "select": "SELEC 1"}]}}"#
    let read = try await Command(["rules", "check", "-"], input: piped, in: folder)
    #expect(read.status == 2 && read.output.contains("the check 'x'"), "\(read.output)")
    let run = try await validate("--sql-checks")
    #expect(run.status == 2 && run.errors.contains("the check 'overdrawn'"), "\(run.errors)")
  }

  @Test(arguments: ["verify backups", "recover a.json b.json"])
  func `other verbs say that they don't run them`(_ arguments: String) async throws {
    try folder.write("{\"accounts\": [{\"balance\": 1}]}", to: "a.json")
    try folder.write("{\"accounts\": [{\"balance\": 1}]}", to: "backups/a.json")
    let run = try await Command(
      arguments.split(separator: " ").map(String.init) + ["--rules", "rules.yaml"], in: folder)
    #expect(run.output.contains(" not-run ") || run.errors.contains("checks in SQL"), "\(run.output)\(run.errors)")
  }

  @Test func `an import runs them`() async throws {
    let run = try await Command("import", "a.json", "--into", "a.db", "--rules", "rules.yaml", in: folder)
    #expect(run.status == 1 && run.errors.contains("more was spent than there is"), "\(run.errors)")
    #expect(try !folder.names.contains("a.db"))
  }
}
