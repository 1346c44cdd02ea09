import Foundation
import TestSupport
import Testing

@Suite struct GenerateCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `validation finds exactly the planted defects`() async throws {
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

  @Test func `the same seed gives the same bytes`() async throws {
    let first = try await Command("generate", "ev-charging-tracker", "-", "--size", "20kB", "--seed", "3")
    let second = try await Command("generate", "ev-charging-tracker", "-", "--size", "20kB", "--seed", "3")
    let other = try await Command("generate", "ev-charging-tracker", "-", "--size", "20kB", "--seed", "4")
    #expect(first.status == 0)
    #expect(first.output == second.output)
    #expect(first.output != other.output)
  }

  @Test func `wrong usage ends with status 2`() async throws {
    let wishes: [(format: String, option: String, value: String)] = [
      ("nothing", "--seed", "1"), ("ev-charging-tracker", "--size", "many"), ("ev-charging-tracker", "--defect", "misfortune=1"),
      ("ev-charging-tracker", "--defect", "version=2"), ("ev-charging-tracker", "--defect", "reference=-1"),
    ]
    for wish in wishes {
      let run = try await Command("generate", wish.format, "a.json", wish.option, wish.value, in: folder)
      #expect(run.status == 2, "\(wish)")
      #expect(run.errors != "")
    }
    let most = try await Command(
      "generate", "ev-charging-tracker", "a.json", "--defect", "enum=\(Int.max)", "--defect", "enum=1", in: folder)
    #expect(most.status == 2)
    #expect(most.errors.contains("enum=\(Int.max)"))
    let many = try await Command(
      "generate", "ev-charging-tracker", "a.json", "--defect", "enum=1000000000000", "--defect", "enum=1", in: folder)
    #expect(many.status == 2)
    #expect(many.errors.contains("cannot plant 1000000000001 defects"))
    let same = try await Command("generate", "ev-charging-tracker", "a.json", "--ledger", "a.json", in: folder)
    #expect(same.status == 4)
    #expect(try folder.names == [])
  }

  @Test(arguments: [[], ["--ledger", "new.ledger"], ["--ledger", "old"]])
  func `existing output is replaced only with --force`(ledger: [String]) async throws {
    try folder.write("old", to: "old")
    let file = ledger.last == "old" ? "new" : "old"
    let run = try await Command(["generate", "swiff", file, "--size", "3kB"] + ledger, in: folder)
    #expect(run.status == 4)
    #expect(run.errors.contains("old already exists; --force replaces it"))
    #expect(try folder.names == ["old"])
    let forced = try await Command(["generate", "swiff", file, "--size", "3kB", "--force"] + ledger, in: folder)
    #expect(forced.status == 0)
    #expect(try folder.text(of: "old") != "old")
  }

  @Test func `output that cannot be created ends with status 3`() async throws {
    let run = try await Command("generate", "ev-charging-tracker", "missing/a.json", in: folder)
    #expect(run.status == 3)
    #expect(run.errors == "coffer: cannot create missing/a.json: no such file or directory\n")
  }

  /// Findings and ledger have an entry for the archive's files where they have a pointer for its document.
  @Test func `a name that ends in .zip makes an archive with its planted defects`() async throws {
    let made = try await Command(
      "generate", "smilepile", "a.zip", "--size", "20kB", "--defect", "file-missing=2", "--defect", "file-extra", "--defect",
      "checksum", "--ledger", "a.ledger", in: folder)
    #expect(made.status == 0, "\(made.errors)")
    let run = try await Command("validate", "--output-format", "json", "a.zip", in: folder)
    #expect(run.status == 1)
    let report = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let findings = try #require((report["files"] as? [[String: Any]])?.first?["findings"] as? [[String: Any]])
    let found = findings.map { "\($0["code"] ?? "") \($0["entry"] ?? $0["pointer"] ?? "")" }
    let planted = try folder.text(of: "a.ledger").split(separator: "\n").map { line in
      let entry = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      return "\(entry["code"] ?? "") \(entry["entry"] ?? entry["pointer"] ?? "")"
    }
    #expect(found.sorted() == planted.sorted())
    #expect(planted.count == 4)
  }

  @Test func `a name that ends in .lz4 makes a compressed document`() async throws {
    let made = try await Command("generate", "swiff", "a.json.lz4", "--size", "20kB", in: folder)
    #expect(made.status == 0, "\(made.errors)")
    let plain = try await Command("generate", "swiff", "a.json", "--size", "20kB", in: folder)
    #expect(plain.status == 0)
    let read = try await Command("decompress", "a.json.lz4", "b.json", in: folder)
    #expect(read.status == 0, "\(read.errors)")
    #expect(try folder.text(of: "b.json") == folder.text(of: "a.json"))
    let archive = try await Command("generate", "smilepile", "a.lz4", "--container", "zip", in: folder)
    #expect(archive.status == 2)
    #expect(archive.errors.contains("a ZIP is already compressed: use a name without .lz4"))
  }

  @Test func `rules may be YAML or compressed`() async throws {
    try folder.write("type: object\nrequired: [a]\nproperties: {a: {const: 7}}\n", to: "rules.yaml")
    try folder.write(#"{"type": "object", "required": ["a"], "properties": {"a": {"const": 7}}}"#, to: "rules.json")
    #expect(try await Command("compress", "rules.json", "rules.lz4", in: folder).status == 0)
    for rules in ["rules.yaml", "rules.json", "rules.lz4"] {
      let run = try await Command("generate", "--rules", rules, "-", "--compact", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.output == #"{"a":7}"#)
    }
  }

  @Test func `a size that the format cannot reach is reported`() async throws {
    try folder.write(#"{"required": ["a"], "properties": {"a": {"const": 7}}}"#, to: "one.json")
    try folder.write(#"{"properties": {"a": {"maxItems": 9, "items": {"required": ["b"]}}}}"#, to: "few.json")
    try folder.write(#"{"properties": {"a": {"items": {"required": ["b"]}}}}"#, to: "many.json")
    for (rules, size, grows) in [
      ("one.json", "50kB", false), ("few.json", "50kB", false), ("many.json", "50kB", true), ("one.json", "0", true),
      ("few.json", "0", true),
    ] {
      let run = try await Command("generate", "--rules", rules, "-", "--size", size, in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(run.errors.contains("nothing in this format can grow to 50,000 bytes\n") == !grows, "\(rules) \(run.errors)")
      if grows { #expect(!run.errors.contains("can grow")) }
    }
  }

  @Test func `a format without archives makes none`() async throws {
    let run = try await Command("generate", "swiff", "a.zip", in: folder)
    #expect(run.status == 2)
    #expect(run.errors == "coffer: backups of swiff are not ZIP archives: a descriptor describes archives in backup.archive\n")
    let document = try await Command("generate", "swiff", "--container", "json", "a.zip", in: folder)
    #expect(document.status == 0)
    #expect(try folder.names == ["a.zip"])
  }

  @Test func `a misspelt format gets a suggestion`() async throws {
    let run = try await Command("generate", "swif", "a.json", in: folder)
    #expect(run.status == 2)
    #expect(run.errors == "coffer: there is no format 'swif'; did you mean 'swiff'?\n")
  }

  @Test(arguments: [("smilepile", true), ("swiff", false)])
  func `the list of defects has archive defects only for formats with archives`(format: String, has: Bool) async throws {
    let run = try await Command("generate", "--list-defects", format)
    let kinds = Set(run.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) })
    for kind in ["checksum", "size", "file-missing", "file-extra", "path-unsafe"] {
      #expect(kinds.contains(kind) == has, "\(kind)")
    }
  }

  @Test func `the list of defects as JSON has their kinds, places and codes`() async throws {
    let run = try await Command("generate", "--list-defects", "swiff", "--json")
    struct Defect: Decodable { let kind, place, code: String }
    struct List: Decodable { let defects: [Defect] }
    let list = try JSONDecoder().decode(List.self, from: Data(run.output.utf8))
    #expect(list.defects.contains { ($0.kind, $0.place, $0.code) == ("duplicate", "/people/*/id", "primary-key") })
  }

  @Test(arguments: [
    ["--size", "2MB"], ["--seed", "2"], ["--defect", "enum"], ["--ledger", "l"], ["--compact"], ["--force"], ["--quiet"],
  ])
  func `the list of defects takes no option of a backup`(options: [String]) async throws {
    let run = try await Command(["generate", "--list-defects", "swiff"] + options, in: folder)
    #expect(run.status == 2)
    #expect(run.errors.contains("--list-defects and \(options[0]) can't be combined"))
  }

  @Test func `an unknown kind of defect gets the known ones`() async throws {
    let run = try await Command("generate", "swiff", "a.json", "--defect", "misfortune=1", in: folder)
    #expect(run.errors.contains("the kinds are required, type, shape,"))
    let many = try await Command("generate", "swiff", "a.json", "--defect", "enum=many", in: folder)
    #expect(many.errors.contains("expected a kind, or a kind with a number such as enum=3"))
  }

  @Test func `a ledger named - goes to standard output`() async throws {
    let run = try await Command(
      "generate", "swiff", "a.json", "--size", "20kB", "--defect", "enum=2", "--ledger", "-", in: folder)
    #expect(run.status == 0)
    #expect(run.output.split(separator: "\n").count == 2)
    #expect(run.output.hasPrefix(#"{"code":"enum","pointer":"/"#))
    #expect(try folder.names == ["a.json"])
    for other in [["-"], ["b.json", "--json"]] {
      let both = try await Command(["generate", "swiff", "--ledger", "-"] + other, in: folder)
      #expect(both.status == 2)
      #expect(both.errors.contains("can't both go to standard output"))
    }
  }
}
