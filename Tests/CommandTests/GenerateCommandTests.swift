import Foundation
import TestSupport
import Testing

@Suite struct GenerateCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func whatIsPlantedIsFound() async throws {
    let made = try await Command(
      "generate", "ev-charging-tracker", "a.json", "--size", "2MB", "--seed", "9", "--defect", "reference=3", "--defect", "enum",
      "--ledger", "a.ledger", in: folder)
    #expect(made.status == 0)
    #expect(made.output == "")
    let run = try await Command("validate", "--output-format", "json", "a.json", in: folder)
    #expect(run.status == 1)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let findings = try #require((report["files"] as? [[String: Any]])?.first?["findings"] as? [[String: Any]])
    let found = findings.map { "\($0["code"] ?? "") \($0["pointer"] ?? "")" }
    let planted = try folder.text(of: "a.ledger").split(separator: "\n").map { line in
      let entry = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return "\(entry["code"] ?? "") \(entry["pointer"] ?? "")"
    }
    #expect(found.sorted() == planted.sorted())
    #expect(planted.count == 4)
    #expect(try folder.names == ["a.json", "a.ledger"])
  }

  @Test func theSameSeedGivesTheSameBytes() async throws {
    let first = try await Command("generate", "ev-charging-tracker", "-", "--size", "20kB", "--seed", "3")
    let second = try await Command("generate", "ev-charging-tracker", "-", "--size", "20kB", "--seed", "3")
    let other = try await Command("generate", "ev-charging-tracker", "-", "--size", "20kB", "--seed", "4")
    #expect(first.status == 0)
    #expect(first.output == second.output)
    #expect(first.output != other.output)
  }

  @Test func wrongWishesEndWithTwo() async throws {
    let wishes: [(format: String, option: String, value: String)] = [
      ("nothing", "--seed", "1"), ("ev-charging-tracker", "--size", "many"), ("ev-charging-tracker", "--defect", "misfortune=1"),
      ("ev-charging-tracker", "--defect", "version=2"), ("ev-charging-tracker", "--defect", "reference=-1"),
    ]
    for wish in wishes {
      let run = try await Command("generate", wish.format, "a.json", wish.option, wish.value, in: folder)
      #expect(run.status == 2, "\(wish)")
      #expect(run.errors != "")
    }
    let same = try await Command("generate", "ev-charging-tracker", "a.json", "--ledger", "a.json", in: folder)
    #expect(same.status == 2)
    #expect(try folder.names == [])
  }

  @Test func whatCannotBeWrittenEndsWithThree() async throws {
    let run = try await Command("generate", "ev-charging-tracker", "missing/a.json", in: folder)
    #expect(run.status == 3)
    #expect(run.errors == "coffer: cannot create missing/a.json: no such file or directory\n")
  }
}
