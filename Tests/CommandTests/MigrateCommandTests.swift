import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct MigrateCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.descriptor, to: "my-app.json")
    try folder.write(#"{"notes": [{"b": "x", "n": 1.50}, {"n": 2}], "version": 1}"#, to: "old.json")
  }

  private static let descriptor = """
    {"backup": {"name": "my-app", "version": {"pointer": "/version", "current": 3, "oldest": 1}, "migrations": [
      {"to": 2, "title": "bodies", "steps": [{"rename": "/notes/*/b", "to": "body"}]},
      {"to": 3, "steps": [{"scale": "/notes/*/n", "by": 10}, {"default": "/tags", "value": []}]}]}}
    """

  @Test func `the report lists what was done`() async throws {
    let run = try await Command("migrate", "--rules", "my-app.json", "old.json", "new.json", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "")
    #expect(
      run.errors == """
        old.json: my-app, version 1 -> 3
          /notes/*/b: renamed to body, in 1 record
          /notes/*/n: multiplied by 10, in 2 records
          /tags: filled with []

        """)
    #expect(try folder.text(of: "new.json") == #"{"notes":[{"body":"x","n":15},{"n":20}],"version":3,"tags":[]}"#)
    let again = try await Command("migrate", "--rules", "my-app.json", "new.json", "-", in: folder)
    #expect(again.errors == "new.json: my-app, version 3: up to date, only the layout changed\n")
    #expect(try again.output == folder.text(of: "new.json"))
  }

  /// For `migrate` and `import`, the name of an empty file shows its format.
  @Test(
    arguments: [
      ("entrystore.json", 0, "keeptrack-legacy-entries"), ("goalsstore.json", 0, "keeptrack-legacy-goals"),
      ("intakeTypes.json", 3, "the document is empty"), ("a.json", 3, "the document is empty"),
    ] as [(String, Int32, String)])
  func `an empty file is migrated and imported by its name`(name: String, status: Int32, words: String) async throws {
    try folder.write("", to: name)
    let migrated = try await Command("migrate", name, "migrated.json", in: folder)
    #expect(migrated.status == status && migrated.errors.contains(words), "\(migrated.errors)")
    let imported = try await Command("import", name, "--into", "x.db", in: folder)
    #expect(imported.status == status && (imported.output + imported.errors).contains(words), "\(imported.errors)")
    guard status == 0 else { return }
    #expect(try await Command("validate", "migrated.json", in: folder).status == 0)
  }

  @Test func `the JSON report lists the steps`() async throws {
    let run = try await Command(
      "migrate", "--json", "--rules", "my-app.json", "--to-version", "2", "old.json", "new.json", in: folder)
    #expect(run.errors == "")
    #expect(
      run.output == """
        {
          "formatVersion": 1,
          "file": "old.json",
          "changed": true,
          "endsEarly": false,
          "from": {
            "format": "my-app",
            "version": 1
          },
          "to": {
            "format": "my-app",
            "version": 2,
            "current": 3
          },
          "steps": [
            {
              "step": "rename",
              "at": "/notes/*/b",
              "summary": "renamed to body",
              "version": 2,
              "title": "bodies",
              "changed": 1,
              "skipped": 0,
              "cut": 0
            }
          ]
        }

        """)
  }

  @Test func `streams and compressed files are migrated`() async throws {
    let text = try folder.text(of: "old.json")
    let stream = try await Command("migrate", "--rules", "my-app.json", "-", "new.json.lz4", input: text, in: folder)
    #expect(stream.status == 0 && stream.errors.hasPrefix("standard input: my-app, version 1 -> 3\n"))
    let pretty = try await Command(
      "migrate", "--rules", "my-app.json", "--pretty", "--indent", "1", "new.json.lz4", "-", in: folder)
    #expect(
      pretty.output == """
        {
         "notes": [
          {
           "body": "x",
           "n": 15
          },
          {
           "n": 20
          }
         ],
         "version": 3,
         "tags": []
        }

        """)
  }

  @Test(arguments: [
    (#"{"version": 7, "notes": []}"#, [], "in.json: version 7 of 'my-app' is newer than 3, the newest that Coffer knows"),
    (#"{"version": 2, "notes": []}"#, ["--to-version", "1"], "in.json: cannot migrate version 2 back to 1"),
    (#"{"notes": []}"#, [], "in.json: missing version at /version, which 'my-app' requires"),
  ])
  func `a document that cannot be migrated is refused and leaves no output`(
    document: String, arguments: [String], message: String
  ) async throws {
    try folder.write(document, to: "in.json")
    let run = try await Command(["migrate", "--rules", "my-app.json"] + arguments + ["in.json", "out.json"], in: folder)
    #expect(run.status == 4)
    #expect(run.errors == "coffer: \(message)\n")
    #expect(try folder.names == ["in.json", "my-app.json", "old.json"])
  }

  @Test func `unknown and broken documents are refused`() async throws {
    let unknown = try await Command("migrate", "old.json", "new.json", in: folder)
    #expect(unknown.status == 4 && unknown.errors == "coffer: old.json: unknown format; name one with --rules\n")
    try folder.write(#"{"version": 1, "notes": [{]}"#, to: "broken.json")
    let broken = try await Command("migrate", "--rules", "my-app.json", "broken.json", "new.json", in: folder)
    #expect(broken.status == 3)
    #expect(
      broken.errors
        == "coffer: broken.json:1:27: expected a key in double quotes or '}', found ']' (byte 26); "
        + "coffer recover writes the records that are whole\n")
    #expect(try !folder.names.contains("new.json"))
  }

  @Test func `a ZIP archive is migrated with its files`() async throws {
    try folder.write(
      PackCommandTests.metadata.replacingOccurrences(of: #""format": "ZIP","#, with: ""), to: "backup/metadata.json")
    try folder.write("sample photo one\n", to: "backup/photos/101_dune.jpg")
    #expect(try await Command("pack", "backup", "old.zip", in: folder).status == 0)
    let run = try await Command("migrate", "old.zip", "new.zip", in: folder)
    #expect(run.status == 0)
    #expect(run.errors == "old.zip: smilepile, version 2\n  /format: filled with \"ZIP\"\n")
    let again = try await Command("migrate", "new.zip", "newer.zip", in: folder)
    #expect(again.errors == "new.zip: smilepile, version 2: up to date, only the layout changed\n")
    #expect(try await Command("validate", "newer.zip", in: folder).output.hasPrefix("newer.zip: valid (smilepile 2: iOS)"))
    #expect(try await Command("unpack", "newer.zip", "out", in: folder).status == 0)
    #expect(try folder.text(of: "out/photos/101_dune.jpg") == "sample photo one\n")
  }

  @Test func `an archive of another format or with damage is refused`() async throws {
    try folder.write("photo", to: "files/photos/1.jpg")
    try folder.write(PackCommandTests.metadata, to: "files/metadata.json")
    #expect(try await Command("pack", "--unchecked", "files", "some.zip", in: folder).status == 0)
    let other = try await Command("migrate", "--rules", "my-app.json", "some.zip", "new.zip", in: folder)
    #expect(other.status == 3)
    #expect(other.errors == "coffer: some.zip: backups of the format my-app can't be ZIP archives\n")
    let compressed = try await Command("migrate", "some.zip", "new.zip.lz4", in: folder)
    #expect(compressed.status == 3)
    let path = folder.path.appending("some.zip").string
    let handle = try FileHandle(forWritingTo: URL(filePath: path))
    try handle.truncate(atOffset: 300)
    try handle.close()
    let cut = try await Command("migrate", "some.zip", "new.zip", in: folder)
    #expect(cut.status == 3)
    #expect(
      cut.errors
        == "coffer: some.zip: the archive's end is missing: it was truncated or never finished; "
        + "coffer recover writes the records that are whole\n")
    #expect(try !folder.names.contains { $0.hasPrefix("new.zip") })
  }

  @Test func `existing output is replaced only with --force`() async throws {
    try folder.write("precious", to: "new.json")
    let refused = try await Command("migrate", "--rules", "my-app.json", "old.json", "new.json", in: folder)
    #expect(refused.status == 4)
    #expect(refused.errors == "coffer: new.json already exists; --force replaces it\n")
    #expect(try folder.text(of: "new.json") == "precious")
    #expect(try await Command("migrate", "--force", "--rules", "my-app.json", "old.json", "new.json", in: folder).status == 0)
    let itself = try await Command("migrate", "--force", "--rules", "my-app.json", "old.json", "old.json", in: folder)
    #expect(itself.status == 4)
  }

  @Test(arguments: [
    ["old.json"], ["--indent", "2", "old.json", "new.json"], ["--pretty", "--indent", "17", "old.json", "new.json"],
    ["--level", "3", "old.json", "new.json"], ["--json", "old.json", "-"], ["old.ndjson", "new.json"], ["old.json", "new.jsonl"],
    ["--rules", "-", "-", "new.json"], ["--to-version", "x", "old.json", "new.json"],
    ["--jobs", "0", "old.json", "new.json"],
    ["--rules", "nothing.json", "old.json", "new.json"], ["--rules", "old.json", "old.json", "new.json"],
  ])
  func `wrong usage is refused and writes nothing`(arguments: [String]) async throws {
    let run = try await Command(["migrate"] + arguments, in: folder)
    #expect(run.status == 2)
    #expect(try folder.names == ["my-app.json", "old.json"])
  }
}
