import Foundation
import TestSupport
import Testing

@Suite struct FormatsCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.descriptor, to: "my-app.json")
  }

  @Test func `the formats are listed in order`() async throws {
    let run = try await Command("formats")
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 12)
    #expect(lines[0] == "aquavate                           Aquavate (water-bottle tracker, iOS)")
    #expect(lines == lines.sorted())
  }

  @Test(arguments: [
    "aquavate", "ev-charging-tracker", "ev-charging-tracker-specification", "keeptrack", "keeptrack-legacy-entries",
    "keeptrack-legacy-goals", "keeptrack-legacy-intake-types", "keeptrack-specification", "smilepile", "smilepile-specification",
    "swiff",
    "swiff-database-copy",
  ])
  func `each format is shown, and its rules are valid`(_ name: String) async throws {
    let shown = try await Command("formats", name)
    #expect(shown.output.hasPrefix("\(name)\n  "))
    #expect(shown.output.contains("\n  recognised  by /"))
    #expect(shown.output.contains("  required"))
    let rules = try await Command("formats", name, "--print-rules")
    #expect(rules.output.hasPrefix("{\n  \"$schema\": \"urn:coffer:rules:1\""))
    // The descriptor is valid by the meta-schema, without unknown keywords.
    let check = try await Command("rules", "check", name)
    #expect(check.status == 0, "\(check.output)")
  }

  @Test func `a custom format is shown as recorded`() async throws {
    let run = try await Command("formats", "my-app.json", in: folder)
    #expect(run.status == 0)
    #expect(run.output == Self.overview)
  }

  @Test func `the JSON report has the format's properties`() async throws {
    let run = try await Command("formats", "my-app.json", "--output-format", "json", in: folder)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let format = try #require((report["formats"] as? [[String: Any]])?.first)
    #expect(format["name"] as? String == "my-app")
    #expect((format["version"] as? [String: Any])?["ifAbsentInZIP"] as? Int == 3)
    let cars = try #require((format["collections"] as? [[String: Any]])?.first)
    #expect(cars["key"] as? [String] == ["id"])
    #expect(cars["date"] as? String == "boughtAt")
    let fields = try #require(cars["fields"] as? [[String: Any]])
    #expect(fields.map { $0["path"] as? String } == ["id", "name", "boughtAt", "seats", "owners", "owners/*"])
    #expect(fields.map { $0["required"] as? Bool } == [true, true, false, false, false, false])
    let fileName = try #require(format["fileName"] as? [String: String])
    #expect(fileName["template"] == "my-app_{year}-{month}-{day}.json")
    let retention = try #require(format["retention"] as? [[String: Any]])
    #expect(retention.map { $0["count"] as? Int } == [5, nil])
    #expect(retention.map { $0["days"] as? Int } == [30, nil])
    let all = try await Command("formats", "--output-format", "json")
    let formats = try #require(try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [String: Any])
    #expect((formats["formats"] as? [Any])?.count == 12)
  }

  @Test func `an argument that names no format ends with status 2`() async throws {
    let unknown = try await Command("formats", "ev")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("there is no format 'ev' and no such file; the formats are aquavate, "))
    let misspelt = try await Command("formats", "swif")
    #expect(misspelt.status == 2)
    #expect(misspelt.errors == "coffer: there is no format 'swif' and no such file; did you mean 'swiff'?\n")
    try folder.write(#"{"type": "object"}"#, to: "rules.json")
    let rules = try await Command("formats", "rules.json", in: folder)
    #expect(rules.status == 2)
    #expect(rules.errors == "coffer: rules.json doesn't describe a format: it has no backup with a name\n")
    try folder.write(#"{"backup": {"name": "x", "collections": {"/cars": {}}}}"#, to: "wrong.json")
    let wrong = try await Command("formats", "wrong.json", in: folder)
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("wrong.json:1:42: the rules describe no collection '/cars'"))
  }

  /// A custom format is treated like the built-in ones.
  @Test func `a custom format works like a built-in one`() async throws {
    try folder.write(#"{"version": 4, "cars": [{"id": "A", "name": "x"}, {"id": "a", "name": "y"}]}"#, to: "a.json")
    let run = try await Command("validate", "--rules", "my-app.json", "a.json", in: folder)
    #expect(run.status == 1)
    #expect(run.output.contains("a.json: 1 error (my-app 4)\n"))
  }

  @Test func `a document of no format is reported with the nearest formats`() async throws {
    try folder.write(#"{"cars": [], "expenses": []}"#, to: "like.json")
    let like = try await Command("validate", "like.json", in: folder)
    #expect(like.status == 1)
    #expect(
      like.output.contains(
        """
        like.json: well-formed; unknown format
          is like ev-charging-tracker: /cars exists, /expenses exists; but /metadata/databaseSchemaVersion is missing

        """))
    try folder.write(#"{"metadata": {"peopleCount": 1}, "drinkRecords": [{"bottleLevelMl": 1}]}"#, to: "both.json")
    let both = try await Command("validate", "both.json", in: folder)
    #expect(both.status == 1)
    #expect(
      both.output.contains(
        """
        both.json: well-formed; several formats fit
          may be aquavate: /drinkRecords/*/bottleLevelMl exists
          may be swiff: /metadata/peopleCount exists

        """))
    // Verdicts are "no", and commands that write do nothing.
    let verbs: [(arguments: [String], status: Int32)] = [
      (["inspect", "both.json"], 1), (["migrate", "both.json", "out.json"], 4), (["import", "both.json", "--into", "x.db"], 4),
      (["diff", "both.json", "both.json"], 4), (["merge", "both.json", "both.json", "out.json", "--on-conflict", "replace"], 4),
    ]
    for verb in verbs {
      let run = try await Command(verb.arguments, in: folder)
      #expect(run.status == verb.status)
      #expect((run.output + run.errors).contains("name one with --rules"), "\(verb.arguments)")
    }
  }

  private static let descriptor = #"""
    {
      "title": "My app", "description": "Cars and who owns them.",
      "backup": {
        "name": "my-app", "createdAt": "/madeAt",
        "version": {"pointer": "/version", "current": 4, "oldest": 2, "ifAbsent": {"zip": 3, "json": 2}},
        "detect": {"all": [{"any": ["/cars", {"at": "/app", "every": "^my-app$"}]}, {"not": "/boats"}]},
        "fileName": {"pattern": "^my-app_[0-9]{4}-[0-9]{2}-[0-9]{2}\\.json$", "template": "my-app_{year}-{month}-{day}.json", "holds": "the day"},
        "retention": [{"of": "daily ones", "keeps": "newest", "count": 5, "days": 30, "by": "creation of the file"}, {"keeps": "all"}],
        "dialects": [{"name": "old", "detect": {"any": [{"not": "/version"}, {"container": "zip"}]}}],
        "collections": {"/cars": {"date": "boughtAt"}}
      },
      "required": ["cars"],
      "properties": {
        "version": {"type": "integer", "minimum": 2, "maximum": 4},
        "madeAt": {"type": "string", "format": "date-time", "formatMaximum": "now+P1D"},
        "cars": {
          "type": "array",
          "uniqueKeys": [{"fields": "id", "ignoreCase": true, "code": "primary-key"}, {"fields": ["name", "boughtAt"], "severity": "warning"}],
          "foreignKeys": [{"fields": "owners/*", "reference": [{"resource": "/people", "fields": "id"}, {"resource": "/names"}]}],
          "items": {
            "required": ["id", "name"],
            "properties": {
              "id": {"type": "string"},
              "name": {"type": "string", "pattern": "\\S", "errorMessage": "the name is blank"},
              "boughtAt": {"type": ["string", "null"], "format": "date", "formatMaximum": {"$data": "/madeAt", "minus": "P2D"}},
              "seats": {"since": 3, "type": "integer", "allOf": [{"severity": "warning", "exclusiveMinimum": 0}]},
              "owners": {"type": "array", "items": {"type": "string"}, "minItems": 1}
            },
            "if": {"required": ["seats"]}, "then": {"required": ["owners"], "severity": "note", "errorMessage": "seats for nobody"}
          }
        }
      }
    }
    """#

  private static let overview = #"""
    my-app
      My app
      Cars and who owns them.
      version     /version, known: 2 to 4
                  if missing in a separate file: 2
                  if missing in a ZIP entry: 3
      made        when: /madeAt
      dialects    old: no /version or ZIP entry
      named       ^my-app_[0-9]{4}-[0-9]{2}-[0-9]{2}\.json$, with the day
                  template: my-app_{year}-{month}-{day}.json
      kept        daily ones: the 5 newest, and none older than 30 days, by creation of the file
                  all
      recognised  by /cars
                  or /app matching ^my-app$
                  and no /boats

      the root
        version  integer  optional  2 to 4
        madeAt   string   optional  a date and time; no later than the current time plus P1D

      /cars: cars
        key: id
        date: boughtAt
        id        string          required
        name      string          required  "the name is blank"
        boughtAt  null or string  optional  a date; no later than the value of /madeAt minus P2D
        seats     integer         optional  since version 3; warning: more than 0
        owners    array           optional  at least 1 item
        owners/*  string
        - note: "seats for nobody"
        - unique: id, ignoring case
        - warning: unique: name, boughtAt
        - reference: owners/* → id of /people, or an item of /names

    """#
}
