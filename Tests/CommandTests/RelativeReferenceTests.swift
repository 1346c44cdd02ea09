import Foundation
import SystemPackage
import TestSupport
import Testing

/// Relative references lead to files beside the rules, and not out of their folder.
@Suite struct RelativeReferenceTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    for name in ["rules/parts", "common"] {
      try FileManager.default.createDirectory(atPath: folder.path.appending(name).string, withIntermediateDirectories: true)
    }
    try folder.write(##"{"$defs": {"n": {"$ref": "parts/number.json#/$defs/n"}}}"##, to: "rules/common.json")
    try folder.write(
      ##"{"$defs": {"n": {"type": "integer"}, "up": {"$ref": "../common.json#/$defs/n"}}}"##, to: "rules/parts/number.json")
    try folder.write("$defs: {n: {type: integer}}", to: "rules/parts/a b.yaml")
    try folder.write(#"{"type": "integer"}"#, to: "common/outside.json")
    try folder.write(#""text""#, to: "a.json")
  }

  private func validate(_ rules: String, _ options: String...) async throws -> Command {
    try folder.write(rules, to: "rules/rules.json")
    return try await Command(["validate", "--rules", "rules/rules.json", "a.json"] + options, in: folder)
  }

  @Test(arguments: [
    ##"{"$ref": "common.json#/$defs/n"}"##, ##"{"$ref": "./parts/number.json#/$defs/n"}"##,
    ##"{"$ref": "parts/number.json#/$defs/up"}"##, ##"{"$ref": "parts/a%20b.yaml#/$defs/n"}"##,
    ##"{"$ref": "parts/../common.json#/$defs/n"}"##,
    ##"{"$id": "https://example.org/s/rules.json", "$ref": "parts/number.json#/$defs/up"}"##,
    ##"{"$id": "https://example.org/s/rules.json", "$ref": "https://example.org/s/common.json#/$defs/n"}"##,
    ##"{"$id": "/s/rules.json", "$ref": "common.json#/$defs/n"}"##,
    ##"{"$schema": "http://json-schema.org/draft-04/schema#", "id": "http://example.org/s/", "$ref": "common.json#/$defs/n"}"##,
  ]) func `a reference leads to a file beside the rules`(_ rules: String) async throws {
    let run = try await validate(rules)
    #expect(run.status == 1, "\(run.errors)")
    #expect(run.output.hasPrefix("a.json:1:1: error: expected integer, found a string: 'text' [type]\n"))
    let check = try await Command("rules", "check", "rules/rules.json", in: folder)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }

  @Test(arguments: ["../common/outside.json", "parts/../../common/outside.json"])
  func `a reference out of the folder needs an option`(_ reference: String) async throws {
    let rules = #"{"$ref": "\#(reference)"}"#
    let run = try await validate(rules)
    #expect(run.status == 2)
    #expect(
      run.errors
        == "coffer: rules/rules.json:1:10: '../common/outside.json' leads out of the folder of the rules at /$ref; --refs FOLDER lets "
        + "references lead to files in that folder\n")
    let check = try await Command("rules", "check", "rules/rules.json", in: folder)
    #expect(check.status == 2)
    #expect(check.output.contains("leads out of the folder of the rules [outside-folder]"), "\(check.output)")
    #expect(check.errors == "coffer: --refs FOLDER lets references lead to files in that folder\n")
    #expect(try await validate(rules, "--refs", ".").status == 1)
    #expect(try await validate(rules, "--refs", folder.path.string).status == 1)
    #expect(try await validate(rules, "--refs", "rules/parts").status == 2)
    #expect(try await validate(#"{"$ref": "../../x.json"}"#, "--refs", ".").errors.contains("leads out of the folder"))
  }

  @Test(arguments: [
    "gone.json", "%2e%2e/common/outside.json", "..%2fcommon%2foutside.json", "//host/common.json", "common.json?a",
  ])
  func `a reference that names no file leads nowhere`(_ reference: String) async throws {
    let run = try await validate(#"{"$ref": "\#(reference)"}"#)
    #expect(run.status == 5)
    #expect(run.output.contains("is not available"), "\(run.output)")
    #expect(try await validate(#"{"properties": {"a": {"$ref": "\#(reference)"}}}"#).status == 0)
  }

  @Test(arguments: ["common#/$defs/n", "parts/number#/$defs/up", "./parts/a%20b#/$defs/n"])
  func `a name may lack its ending`(_ reference: String) async throws {
    let run = try await validate(##"{"$ref": "\##(reference)"}"##)
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.hasPrefix("a.json:1:1: error: expected integer"))
  }

  /// The file is read once, and its errors are reported once.
  @Test func `many references to a wrong file are one error`() async throws {
    try folder.write("{\n  \"a\": }", to: "rules/wrong.json")
    let members = (0..<500).map { #""m\#($0)": {"$ref": "wrong.json#/a/\#($0)"}"# }.joined(separator: ", ")
    let run = try await validate("{\"properties\": {\(members)}}")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coffer: wrong.json:2:8: "), "\(run.errors)")
    #expect(!run.errors.contains("further"), "\(run.errors)")
  }

  @Test func `an error in another file names it`() async throws {
    try folder.write("{\n  \"tpye\": 1}", to: "rules/wrong.json")
    let run = try await validate(#"{"$ref": "wrong.json"}"#)
    #expect(run.errors.contains("wrong.json:2:3: unknown keyword 'tpye'"), "\(run.errors)")
  }

  @Test func `rules from a stream need a folder`() async throws {
    let rules = ##"{"$ref": "common.json#/$defs/n"}"##
    let run = try await Command(["validate", "--rules", "-", "a.json"], input: rules, in: folder)
    #expect(run.status == 5)
    #expect(run.output.contains("'common.json' is relative, and the rules have no folder"), "\(run.output)")
    #expect(run.errors.contains("--refs FOLDER that of relative references"), "\(run.errors)")
    #expect(try await Command(["validate", "--rules", "-", "a.json", "--refs", "rules"], input: rules, in: folder).status == 1)
  }

  @Test func `no output replaces a file that the rules refer to`() async throws {
    let run = try await validate(##"{"$ref": "common.json#/$defs/n"}"##, "--json", "--output", "rules/parts/number.json")
    #expect(run.status == 2)
    #expect(run.errors.contains("contains rules to read"), "\(run.errors)")
    #expect(try await Command("compress", "rules/rules.json", "rules/rules.json.gz", in: folder).status == 0)
    let compressed = try await Command(
      "validate", "--rules", "rules/rules.json.gz", "a.json", "--json", "--output", "rules/parts/number.json", in: folder)
    #expect(compressed.status == 2)
    #expect(compressed.errors.contains("contains rules to read"), "\(compressed.errors)")
  }

  @Test func `rules in a pipe are read once`() async throws {
    try folder.write("old", to: "report.txt")
    let run = try await Command(
      script: #"mkfifo rules.pipe; echo '{"type": "integer"}' > rules.pipe & exec "$0" "$@""#,
      ["validate", "--rules", "rules.pipe", "a.json", "--output", "report.txt"], in: folder)
    #expect(run.status == 1, "\(run.errors)")
    #expect(try folder.text(of: "report.txt").contains("expected integer"))
  }

  @Test func `tasks of a plan read the referenced files, too`() async throws {
    try folder.write(##"{"$ref": "common.json#/$defs/n"}"##, to: "rules/rules.json")
    let split = try await Command(
      ["split", "--tasks", "1", "--rules", "rules/rules.json", "--output", "plan.json", "a.json"], in: folder)
    #expect(split.status == 0, "\(split.errors)")
    #expect(try await Command("validate", "--plan", "plan.json", "--task", "0", "--partial", "0", in: folder).status == 0)
    let merged = try await Command("report", "merge", "--plan", "plan.json", "0", in: folder)
    #expect(merged.status == 1)
    #expect(merged.output.contains("expected integer"))
  }
}
