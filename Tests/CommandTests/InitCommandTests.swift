import Foundation
import TestSupport
import Testing

/// From exports to rules, a project file and a CI job.
@Suite struct InitCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(
      #"""
      {"cars": [{"id": 1}, {"id": 2}, {"id": 3}], "tags": [{"code": "a"}, {"code": "b"}, {"code": "c"}],
       "trips": [{"id": 4, "carId": 1}, {"id": 5, "carId": 3}, {"id": 6, "carId": 1}]}
      """#, to: "exports/Garage 2026-01.json")
  }

  private func run(_ arguments: String...) async throws -> Command { try await Command(arguments, in: folder) }

  @Test func `the files that it writes validate later exports`() async throws {
    let run = try await run("init", "exports/Garage 2026-01.json", "--ci", "github")
    #expect(run.status == 0, "\(run.errors)")
    #expect(
      run.output.contains("valid (garage)") && run.output.contains("configuration: coffer.yaml; garage is rules/garage.yaml"))
    #expect(run.errors.contains("wrote rules/garage.yaml, coffer.yaml, .github/workflows/coffer.yml"))
    #expect(try folder.text(of: "coffer.yaml").hasSuffix("formats:\n  - rules/garage.yaml\n"))
    #expect(try folder.text(of: ".github/workflows/coffer.yml").contains("            exports/*.json\n"))
    try folder.write(
      #"{"cars": [{"id": 1}], "tags": [{"code": "a"}], "trips": [{"id": 4, "carId": 7}, {"id": 4, "carId": 1}]}"#,
      to: "exports/february.json")
    let later = try await self.run("validate", "exports/february.json")
    #expect(later.status == 1)
    #expect(later.output.contains("[foreign-key]") && later.output.contains("[primary-key]"))
  }

  @Test func `a rule that few values support is named, and can be left out`() async throws {
    let kept = try await run("init", "exports/Garage 2026-01.json", "--ci", "none")
    let place = "/properties/tags/primaryKey"
    #expect(kept.errors.contains("kept: code is the key of /tags (3 values, no duplicates); --drop \(place) leaves it out"))
    #expect(try folder.text(of: "rules/garage.yaml").contains("fields: \"code\""))
    let dropped = try await run("init", "exports/Garage 2026-01.json", "--ci", "none", "--force", "--drop", place)
    #expect(dropped.status == 0 && !dropped.errors.contains("/tags"), "\(dropped.errors)")
    #expect(try !folder.text(of: "rules/garage.yaml").contains("fields: \"code\""))
    let unknown = try await run("init", "exports/Garage 2026-01.json", "--ci", "none", "--force", "--drop", "/x")
    #expect(unknown.status == 2 && unknown.errors.contains(place), "\(unknown.errors)")
  }

  @Test func `existing files are kept`() async throws {
    try folder.write("formats: []\n", to: "coffer.yaml")
    let run = try await run("init", "exports/Garage 2026-01.json")
    #expect(run.status == 4 && run.errors == "coffer: coffer.yaml already exists; --force replaces it\n")
    #expect(try folder.text(of: "coffer.yaml") == "formats: []\n")
    #expect(try !folder.names.contains("rules"))
  }

  @Test func `exports that share nothing are named`() async throws {
    try folder.write(#"{"dogs": [{"id": 1}]}"#, to: "dogs.json")
    let run = try await run("init", "exports/Garage 2026-01.json", "dogs.json", "--ci", "none")
    #expect(run.errors.contains("garage: the exports share no member: "))
  }

  @Test func `a file that can't be written is named, with those that were`() async throws {
    try folder.write("", to: ".github")
    let run = try await run("init", "exports/Garage 2026-01.json", "--ci", "github")
    #expect(run.status == 3 && run.errors.hasSuffix("wrote rules/garage.yaml, coffer.yaml before that\n"), "\(run.errors)")
  }

  @Test func `JSON Lines have their rules by the name of the file`() async throws {
    try folder.write("{\"at\": 1}\n{\"at\": 2}\n", to: "events.ndjson")
    let run = try await run("init", "events.ndjson", "--ci", "gitlab")
    #expect(run.status == 0, "\(run.errors)")
    #expect(try folder.text(of: "coffer.yaml").hasSuffix("files:\n  \"*.ndjson\": rules/events.yaml\n"))
    #expect(try folder.text(of: "coffer.gitlab-ci.yml").contains(#"  COFFER_FILES: "*.ndjson""#))
    #expect(try await self.run("validate", "events.ndjson").output.contains("valid (events)"))
  }

  @Test func `a built-in format needs no rules, and a baseline accepts its findings`() async throws {
    let made = try await run("generate", "swiff", "s.json", "--size", "20kB", "--seed", "3", "--defect", "reference=2")
    #expect(made.status == 0)
    #expect(try await run("init", "s.json", "--ci", "none").status == 1)
    let accepted = try await run("init", "s.json", "--ci", "none", "--force", "--baseline")
    #expect(accepted.status == 0, "\(accepted.output)")
    #expect(try folder.text(of: "coffer.yaml").hasSuffix("formats: []\nbaseline: coffer-baseline.json\n"))
    #expect(try !folder.names.contains("rules"))
    #expect(try await run("validate", "s.json").status == 0)
  }

  @Test(arguments: ["-", "/tmp/a.json", "../a.json"]) func `exports outside the folder are refused`(path: String) async throws {
    let run = try await run("init", path)
    #expect(run.status == 2 && run.errors.contains("must be in or below the current folder"))
  }

  @Test func `an export that is not JSON changes nothing`() async throws {
    try folder.write(#"{"cars": ["#, to: "cut.json")
    let run = try await run("init", "cut.json", "--ci", "github")
    #expect(run.status == 3 && run.errors.contains("cut.json:1:"), "\(run.errors)")
    #expect(try folder.names.sorted() == ["cut.json", "exports"])
  }
}
