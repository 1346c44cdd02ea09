import TestSupport
import Testing

@Suite struct InspectCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      #"""
      {"$schema": "urn:coffer:rules:1", "title": "My app",
       "backup": {"name": "my-app", "detect": "/cars", "version": {"pointer": "/version", "current": 4, "oldest": 2},
         "createdAt": "/at", "migrations": [{"to": 4, "steps": []}], "settings": "/settings"},
       "properties": {
         "at": {"format": "unix-time-ms"},
         "cars": {"items": {"properties": {"boughtOn": {"format": "date-time"}, "parts": {"items": {"properties": {"id": {}}}}}}},
         "expenses": {"items": {}}}}
      """#, to: "my-app.json")
    try folder.write(
      #"{"version": 3, "at": 1782000000000, "cars": [{"boughtOn": "2026-03-01T00:00:00Z", "parts": [{}, {}]}, {}]}"#,
      to: "in.json")
  }

  @Test func `the report says if migrations end before the current version`() async throws {
    let descriptor = try folder.text(of: "my-app.json").replacing(#""to": 4"#, with: #""to": 3"#)
    try folder.write(descriptor, to: "early.json")
    try folder.write(#"{"version": 2}"#, to: "old.json")
    let run = try await Command("inspect", "--rules", "early.json", "old.json", in: folder)
    #expect(run.output.contains("import     yes, migrated to version 3; no migration from version 3 to 4\n"))
    let migration = try await Command("migrate", "--rules", "early.json", "old.json", "-", in: folder)
    #expect(migration.status == 0)
    #expect(migration.errors == "old.json: my-app, version 2 -> 3; no migration from version 3 to 4\n")
  }

  @Test func `the text report is a table`() async throws {
    let run = try await Command("inspect", "--rules", "my-app.json", "--now", "2026-06-30T00:00:00Z", "in.json", in: folder)
    #expect(
      run.output == """
        in.json
          format     my-app: My app
          version    3 (known: 2 to 4)
          import     yes, migrated to version 4
          created    2026-06-21T00:00:00Z (written 1782000000000), 9 days old
          container  JSON
          size       106 bytes
          settings   not included

          collection   count  from                  to                    by        size
          cars             2  2026-03-01T00:00:00Z  2026-03-01T00:00:00Z  boughtOn  61 B  1 without a boughtOn
            parts          2
          expenses    absent

          warning: version 3 is older than the current version 4 [older-version]

        """)
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test func `the JSON report is well-formed`() async throws {
    let run = try await Command("inspect", "--json", "--rules", "my-app.json", "in.json", in: folder)
    #expect(run.output.contains(#""reason": "older""#))
    #expect(run.output.contains(#""instant": "2026-06-21T00:00:00Z""#))
    #expect(run.status == 0)
    try folder.write(run.output, to: "report.json")
    #expect(try await Command("validate", "--syntax-only", "report.json", in: folder).status == 0)
  }

  @Test(arguments: [
    (#"{"version": 3, "cars": []}"#, 0, "yes"), (#"{"version": 5, "cars": []}"#, 1, "no: version 5 is newer than 4"),
    (#"{"version": 1, "cars": []}"#, 1, "no: version 1 is older than 2"),
    (#"{"cars": []}"#, 1, "no: its version is missing or invalid"),
    (#"{"version": 4, "cars": ["#, 3, "no: it can't be read completely"),
  ])
  func `the status shows whether a backup can be imported`(document: String, status: Int32, text: String) async throws {
    let run = try await Command("inspect", "--rules", "my-app.json", "-", input: document, in: folder)
    #expect(run.status == status)
    #expect(run.output.contains("import     \(text)"))
  }

  @Test func `a document of unknown format is reported with its members`() async throws {
    let run = try await Command("inspect", "my-app.json", in: folder)
    #expect(run.status == 1)
    #expect(run.output.contains("import     not as a backup: unknown format"))
    #expect(
      run.output.contains(
        "also       $schema (string), title (string), backup (object, 6 members), properties (object, 3 members)"))
  }

  @Test func `a missing file does not stop the others`() async throws {
    let run = try await Command("inspect", "--rules", "my-app.json", "gone.json", "in.json", in: folder)
    #expect(run.status == 3)
    #expect(run.output.contains("cannot open gone.json"))
    #expect(run.output.contains("in.json\n"))
  }

  @Test(arguments: [
    ["inspect"], ["inspect", "-", "-"], ["inspect", "--jobs", "0", "in.json"], ["inspect", "--only", "x", "in.json"],
  ])
  func `wrong usage is refused`(arguments: [String]) async throws {
    #expect(try await Command(arguments, in: folder).status == 2)
  }
}
