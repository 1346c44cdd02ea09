import Foundation
import SystemPackage
import TestSupport
import Testing

/// Rules that are read are never replaced, not even with --force.
@Suite struct RulesAsOutputTests {
  private let folder: TemporaryFolder
  private static let rules =
    #"{"backup": {"name": "x", "version": {"pointer": "/version", "current": 1, "oldest": 1}}, "properties": {"a": {"type": "array"}}}"#

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(Self.rules, to: "x.json")
    try folder.write("{}", to: "schemas/common.json")
    try folder.write(#"{"version": 1, "a": [1]}"#, to: "a.json")
    try folder.write("{}", to: "files/metadata.json")
  }

  @Test(arguments: [
    "convert --only a --rules x.json --force a.json x.json", "migrate --rules x.json --force a.json ./x.json",
    "pack --rules x.json --force files x.json", "merge --rules x.json --on-conflict replace --force a.json a.json x.json",
    "generate --rules x.json --force x.json", "generate --rules x.json --force out.json --ledger x.json",
    "export --rules x.json --force x.db x.json", "validate --rules x.json a.json --output x.json",
    "inspect --rules x.json a.json --output x.json", "diff --rules x.json a.json a.json --output x.json",
    "list --rules x.json . --output x.json", "verify --rules x.json . --output x.json",
    "validate --map urn:x=x.json a.json --output x.json", "rules check --map urn:x:=schemas x.json --output schemas/common.json",
  ])
  func `a rule document is never replaced by output`(_ command: String) async throws {
    let run = try await Command(command.split(separator: " ").map(String.init), in: folder)
    #expect(run.status == 2)
    #expect(run.errors.contains("contains rules to read: choose another output name"), "\(run.errors)")
    #expect(try folder.text(of: "x.json") == Self.rules)
    #expect(try folder.text(of: "schemas/common.json") == "{}")
  }

  /// The name of a format is not a file name.
  @Test func `a file named like a format may be replaced`() async throws {
    try folder.write("old", to: "swiff")
    #expect(try await Command("generate", "--rules", "swiff", "--force", "swiff", in: folder).status == 0)
  }
}
