import Foundation
import TestSupport
import Testing

@Suite struct RulesDraftCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let trips = (1...30).map { #"{"id": \#($0), "carId": \#([17, 230][$0 % 2]), "kind": "\#(["work", "home"][$0 % 2])"}"# }
    try folder.write(
      #"{"version": 2, "cars": [{"id": 17, "name": "Van"}, {"id": 230, "name": "Car"}], "trips": [\#(trips.joined(separator: ","))]}"#,
      to: "a.json")
  }

  @Test func `a draft has keys, references and enums, and its file satisfies it`() async throws {
    let run = try await Command("rules", "draft", "a.json", "--output", "garage.json", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "")
    #expect(run.errors == "garage.json: drafted from 1 document, 2 keys and 1 reference\n")
    let rules = try folder.text(of: "garage.json")
    #expect(rules.contains(#""name": "garage""#))
    #expect(rules.contains(#""primaryKey": "id""#))
    #expect(rules.contains(#""reference": { "resource": "/cars", "fields": "id" }"#))
    #expect(rules.contains(#""enum": ["home", "work"]"#))
    #expect(try await Command("rules", "check", "garage.json", in: folder).status == 0)
    #expect(try await Command("validate", "--rules", "garage.json", "a.json", in: folder).status == 0)
  }

  @Test func `a YAML draft has the same rules`() async throws {
    #expect(try await Command("rules", "draft", "a.json", "--output", "garage.yaml", in: folder).status == 0)
    #expect(try folder.text(of: "garage.yaml").hasPrefix("# Drafted from 1 document"))
    #expect(try await Command("validate", "--rules", "garage.yaml", "a.json", in: folder).status == 0)
  }

  @Test func `--explain says why there is no rule`() async throws {
    let run = try await Command("rules", "draft", "a.json", "--explain", in: folder)
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("{\n"))
    #expect(run.errors.contains("/cars/*/name: no enum: the name suggests text that people write\n"))
  }

  @Test func `--update shows what it widens`() async throws {
    #expect(try await Command("rules", "draft", "a.json", "--output", "garage.json", in: folder).status == 0)
    try folder.write(#"{"version": "3", "cars": [{"id": 17}], "trips": []}"#, to: "b.json")
    let run = try await Command("rules", "draft", "--update", "garage.json", "b.json", "--output", "wide.json", in: folder)
    #expect(run.status == 0)
    #expect(
      run.errors == """
        ~ /properties/version/type: "integer" -> ["integer", "string"]
        ~ /properties/cars/items/required: ["id", "name"] -> ["id"]
        wide.json: 2 changes

        """)
    #expect(try await Command("validate", "--rules", "wide.json", "b.json", "a.json", in: folder).status == 0)
  }

  @Test func `rules can be updated in place`() async throws {
    try folder.write(#"{"type": "string"}"#, to: "rules.json")
    let run = try await Command(
      "rules", "draft", "--update", "rules.json", "a.json", "--output", "rules.json", "--force", in: folder)
    #expect(run.status == 0)
    #expect(try folder.text(of: "rules.json").contains(#""type": ["string", "object"]"#))
  }

  @Test func `rules that can't be widened end with status 1`() async throws {
    try folder.write(#"{"not": {"type": "object"}}"#, to: "rules.json")
    let run = try await Command("rules", "draft", "--update", "rules.json", "a.json", in: folder)
    #expect(run.status == 1)
    #expect(run.errors == "coffer: 1 finding left: the rules that give them can't be widened\n")
  }

  @Test(arguments: [
    (["missing.json"], 3, "coffer: cannot open missing.json: no such file or directory\n"),
    (["a.json", "--output", "a.json", "--force"], 4, "coffer: a.json is an input: choose another output name\n"),
    (["--update", "missing.json", "a.json"], 3, "coffer: cannot open missing.json: no such file or directory\n"),
  ])
  func `failures have a status of their own`(_ arguments: [String], _ status: Int32, _ errors: String) async throws {
    let run = try await Command(["rules", "draft"] + arguments, in: folder)
    #expect(run.status == status)
    #expect(run.errors == errors)
  }
}
