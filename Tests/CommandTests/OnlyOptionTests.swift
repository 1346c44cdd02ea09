import TestSupport
import Testing

@Suite struct OnlyOptionTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      #"""
      {"$schema": "urn:coffer:rules:1", "backup": {"name": "my-app", "detect": "/cars"},
       "properties": {
         "cars": {"items": {"required": ["id"]}},
         "expenses": {
           "foreignKeys": [{"fields": "carId", "reference": {"resource": "/cars", "fields": "id"}}],
           "items": {"required": ["carId"]}}}}
      """#, to: "my-app.json")
    try folder.write(#"{"cars": [{}, {"id": 1}], "expenses": [{"carId": 1}, {"carId": 2}, {}]}"#, to: "in.json")
  }

  @Test func `validation omits other collections and reports that`() async throws {
    let run = try await Command(
      "validate", "--rules", "my-app.json", "--only", "cars", "--output-format", "json", "in.json", in: folder)
    #expect(run.status == 1)
    #expect(run.output.contains(#""error": 1,"#))
    #expect(run.output.contains("/cars/0"))
    #expect(run.output.contains("\"leftOut\": [\n        \"expenses\"\n      ]"))
    let text = try await Command("validate", "--rules", "my-app.json", "--only", "expenses", "in.json", in: folder)
    #expect(text.output.contains("in.json: 2 errors (my-app)\n"))
    #expect(text.output.contains("  not validated: cars\n"))
  }

  @Test func `files of omitted records in a ZIP are not checked`() async throws {
    try folder.write(PackCommandTests.metadata, to: "backup/metadata.json")
    try folder.write("another photo", to: "backup/photos/101_dune.jpg")
    try folder.write("stray", to: "backup/photos/stray.jpg")
    #expect(try await Command("pack", "--unchecked", "backup", "backup.zip", in: folder).status == 0)
    let whole = try await Command("validate", "--output-format", "json", "backup.zip", in: folder)
    #expect(whole.status == 1)
    #expect(whole.output.contains("\"checksum\": 1") && whole.output.contains("\"file-extra\": 1"))
    let files = try await Command("validate", "--only", "photo files", "--output-format", "json", "backup.zip", in: folder)
    #expect(files.status == 1)
    #expect(files.output.contains("\"checksum\": 1") && files.output.contains("\"file-extra\": 1"))
    let photos = try await Command("validate", "--only", "photos,categories", "backup.zip", in: folder)
    #expect(photos.status == 0)
    #expect(photos.output.hasPrefix("backup.zip: valid (smilepile 2"))
    #expect(photos.output.contains("  not validated: photo files\n"))
    let unknown = try await Command("validate", "--only", "x", "backup.zip", in: folder)
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("smilepile has no collection 'x': it has categories, photos, photo files"))
  }

  @Test func `conversion lists the references that will dangle`() async throws {
    let run = try await Command("convert", "--rules", "my-app.json", "--only", "expenses", "in.json", "-", in: folder)
    #expect(run.output == #"{"cars":[],"expenses":[{"carId":1},{"carId":2},{}]}"#)
    #expect(
      run.errors == """
        left out: cars
        expenses.carId refers to cars, which is left out: these references will dangle

        """)
    #expect(run.status == 0)
  }

  /// These cars have no key, so SQLite doesn't check references to them.
  @Test func `import lists the references that will dangle`() async throws {
    try folder.write(#"{"cars": [{"id": 1}], "expenses": [{"carId": 1}]}"#, to: "sound.json")
    let run = try await Command(
      "import", "--rules", "my-app.json", "--only", "expenses", "--dry-run", "sound.json", "--into", "x.db", in: folder)
    #expect(run.output.contains("\n  expenses.carId refers to cars, which is left out: these references will dangle\n"))
    #expect(run.status == 0)
    let all = try await Command("import", "--rules", "my-app.json", "--dry-run", "sound.json", "--into", "x.db", in: folder)
    #expect(!all.output.contains("dangle"))
  }

  @Test func `conversion of an unknown format lists the omitted collections`() async throws {
    let run = try await Command("convert", "--only", "cars", "in.json", "-", in: folder)
    #expect(run.errors == "left out: expenses\n")
    #expect(run.status == 0)
  }

  @Test(arguments: [
    (
      ["validate", "--rules", "my-app.json", "--only", "car", "in.json"],
      "my-app has no collection 'car': it has cars, expenses"
    ),
    (
      ["convert", "--rules", "my-app.json", "--only", "cars,x", "in.json", "-"],
      "my-app has no collection 'x': it has cars, expenses"
    ),
    (
      ["inspect", "--rules", "my-app.json", "--only", "x", "in.json"],
      "--only: my-app has no collection 'x': it has cars, expenses"
    ),
    (["convert", "--only", "x", "in.json", "-"], "--only: the document has no collection 'x': it has cars, expenses"),
    (["validate", "--only", "cars", "in.json"], "unknown format"),
    (["validate", "--only", ",", "in.json"], "--only names no collection"),
    (
      ["convert", "--only", "cars", "--collection", "/cars", "in.json", "-"], "can't be combined with --collection or JSON Lines"
    ),
    (["convert", "--only", "cars", "in.json", "out.ndjson"], "can't be combined with --collection or JSON Lines"),
    (["convert", "--rules", "my-app.json", "in.json", "-"], "--rules requires --only"),
  ])
  func `wrong usage is refused with a message`(arguments: [String], message: String) async throws {
    let run = try await Command(arguments, in: folder)
    #expect(run.errors.contains(message))
    #expect(run.status == 2)
    #expect(try folder.names == ["in.json", "my-app.json"])
  }
}
