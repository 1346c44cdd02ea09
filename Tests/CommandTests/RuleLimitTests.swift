import TestSupport
import Testing

/// Rules that take too many steps on a document give no verdict in any command.
@Suite struct RuleLimitTests {
  @Test(arguments: [
    "validate a.json", "inspect a.json", "verify backups", "import a.json --into x.db", "import a.json --into x.db --dry-run",
    "restore backups a.json --into x.db", "restore backups --into x.db",
  ])
  func `no verdict has one status and one message`(_ command: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {"backup": {"name": "trips", "detect": "/trips", "createdAt": "/made",
        "version": {"pointer": "/version", "current": 1, "oldest": 1}, "collections": {"/trips": {"key": "id"}}},
       "properties": {"version": {"type": "integer"}, "made": {"format": "date-time"}, "trips": {"primaryKey": "id", "items": {
         "required": ["id"], "properties": {"id": {"type": "integer"}}, "patternProperties": {"^(a+)+$": {"type": "string"}}}}}}
      """, to: "rules.json")
    let name = String(repeating: "a", count: 1000) + "!"
    for file in ["a.json", "backups/a.json"] {
      try folder.write(#"{"version":1,"made":"2026-01-01T00:00:00Z","trips":[{"id":1,"\#(name)":1}]}"#, to: file)
    }
    let arguments = command.split(separator: " ").map(String.init) + ["--rules", "rules.json"]
    let run = try await Command(arguments, in: folder)
    #expect(run.status == 5)
    let isUnnamed = command == "restore backups --into x.db"
    let message = isUnnamed ? "a.json is unreadable" : "takes too many steps"
    #expect((run.output + run.errors).contains(message), "\(run.output) \(run.errors)")
    #expect(try folder.names.sorted() == ["a.json", "backups", "rules.json"])
  }
}
