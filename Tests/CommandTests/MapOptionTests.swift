import Foundation
import SystemPackage
import TestSupport
import Testing

/// `--map`: documents that rules refer to are read from folders, never from a network.
@Suite struct MapOptionTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path.appending("schemas").string, withIntermediateDirectories: false)
    try folder.write(#"{"type": "integer"}"#, to: "schemas/common.json")
    try folder.write(#"{"type": "null"}"#, to: "outside.json")
    try folder.write(#""text""#, to: "a.json")
  }

  private func validate(reference: String, map: String...) async throws -> Command {
    try folder.write(#"{"$ref": "\#(reference)"}"#, to: "rules.json")
    return try await Command(["validate", "--rules", "rules.json", "a.json"] + map.flatMap { ["--map", $0] }, in: folder)
  }

  @Test(arguments: [
    "http://example.org/=schemas", "http://example.org=schemas", "http://example.org/common.json=schemas/common.json",
  ])
  func `a URI is mapped to a folder or a file`(_ map: String) async throws {
    let run = try await validate(reference: "http://example.org/common.json", map: map)
    #expect(run.status == 1)
    #expect(run.output.hasPrefix("a.json:1:1: error: expected integer, found a string: 'text' [type]\n"))
  }

  @Test func `several URIs can be mapped`() async throws {
    let run = try await validate(
      reference: "urn:common", map: "http://example.org/=schemas", "urn:common=schemas/common.json")
    #expect(run.status == 1)
  }

  private static let hint =
    "coffer: --map URI=FOLDER names the folder of documents that rules refer to by URI, --refs FOLDER that of relative references\n"

  @Test func `a document that is not mapped is never fetched`() async throws {
    let run = try await validate(reference: "http://example.org/common.json")
    #expect(run.status == 5)
    #expect(
      run.output.hasPrefix(
        "a.json:1:1: error: the rules can't judge this value: 'http://example.org/common.json' is not available: documents are never "
          + "fetched (/$ref, line 1 of the rules) [unresolved-reference]"), "\(run.output)")
    #expect(run.errors == Self.hint)
  }

  /// The hint stays after the first folder.
  @Test func `a missing document is named with the files that it could have been`() async throws {
    let run = try await validate(
      reference: "http://example.org/gone", map: "http://example.org/=schemas", "http://example.org=.", "urn:other=schemas")
    #expect(run.status == 5)
    #expect(
      run.output.contains(
        "'http://example.org/gone' is not available: there is no file schemas/gone, schemas/gone.json, schemas/gone.yaml, "
          + "schemas/gone.yml and 4 more (/$ref"), "\(run.output)")
    #expect(run.errors == Self.hint)
  }

  @Test func `a check warns about each missing document, and gives the hint once`() async throws {
    try folder.write(
      #"{"properties": {"a": {"$ref": "urn:x:a"}, "b": {"$ref": "urn:x:b"}, "c": {"$ref": "gone.json"}}}"#, to: "rules.json")
    for arguments in [[], ["--map", "urn:y:=schemas"]] {
      let run = try await Command(["rules", "check", "rules.json", "rules.json"] + arguments, in: folder)
      #expect(run.status == 0)
      #expect(run.output.contains("rules.json:1:31: warning: 'urn:x:a' is not available: documents are never fetched"))
      #expect(run.output.contains("rules.json:1:83: warning: 'gone.json' is not available: there is no file gone.json"))
      #expect(run.errors == Self.hint)
    }
  }

  /// Each with the file that it leads to.
  static let names: [(reference: String, map: String, file: String)] = [
    ("https://x.org/a", "https://x.org/=m", "m/a"), ("https://x.org/a", "https://x.org/=m", "m/a.json"),
    ("https://x.org/a", "https://x.org=m", "m/a.yaml"), ("https://x.org/v1.2", "https://x.org=m", "m/v1.2.json"),
    ("https://x.org/s/a/b#/$defs/c", "https://x.org/=m", "m/s/a/b.json"), ("urn:example:car", "urn:example:=m", "m/car"),
    ("urn:example:car", "urn:example=m", "m/car.json"), ("urn:example:car:v1", "urn:example:=m", "m/car/v1.json"),
    ("urn:example:parts/car", "urn:example:=m", "m/parts/car.json"), ("urn:example:car", "urn:=m", "m/example/car.json"),
    ("tag:x.org,2026:car", "tag:x.org,2026=m", "m/car.json"), ("urn:example:a%20b", "urn:example:=m", "m/a b.json"),
  ]

  @Test(arguments: names) func `a name in a URI is that of a file, or lacks only its ending`(
    _ reference: String, _ map: String, _ file: String
  ) async throws {
    let folders = FilePath(file).removingLastComponent()
    try FileManager.default.createDirectory(
      atPath: folder.path.pushing(folders).string, withIntermediateDirectories: true)
    let rules = #"{"$defs": {"c": {"type": "integer"}}, "type": "integer"}"#
    try folder.write(file.hasSuffix("yaml") ? "type: integer" : rules, to: file)
    let run = try await validate(reference: reference, map: map)
    #expect(run.status == 1, "\(run.output)\(run.errors)")
    #expect(run.output.hasPrefix("a.json:1:1: error: expected integer"))
  }

  @Test func `the exact name comes first, and a folder of that name is no document`() async throws {
    try folder.write(#"{"type": "null"}"#, to: "schemas/a")
    try folder.write(#"{"type": "integer"}"#, to: "schemas/a.json")
    #expect(try await validate(reference: "urn:x:a", map: "urn:x:=schemas").output.contains("expected null"))
    try folder.write(#"{"type": "integer"}"#, to: "schemas.json")
    #expect(try await validate(reference: "urn:x:schemas", map: "urn:x:=.").output.contains("expected integer"))
    // That file is beside the folder.
    #expect(try await validate(reference: "urn:x:", map: "urn:x:=schemas").status == 5)
  }

  @Test(arguments: [
    "urn:x:..:outside", "urn:x:a:..:..:outside", "urn:x:%2e%2e:outside", "urn:x:../outside", "urn:x:..%2foutside", "urn:xy:a",
  ])
  func `no URN leads out of the mapped folder`(_ reference: String) async throws {
    let run = try await validate(reference: reference, map: "urn:x:=schemas", "urn:x=schemas/common.json")
    #expect(run.status == 5)
    #expect(run.output.contains("is not available"), "\(run.output)")
  }

  @Test func `two folders for one URI are refused`() async throws {
    let run = try await validate(reference: "urn:x:a", map: "urn:x:=schemas", "urn:x:=.")
    #expect(run.status == 2)
    #expect(run.errors.contains("--map names two folders for 'urn:x:'"), "\(run.errors)")
  }

  @Test(arguments: [
    "../outside.json", "%2e%2e/outside.json", "..%2foutside.json", "a/../../outside.json", "%2E%2E%2Foutside.json",
    "a/%2e%2e/%2e%2e/outside.json",
    "./../outside.json",
  ])
  func `no reference leads out of the mapped folder`(_ path: String) async throws {
    let run = try await validate(reference: "http://example.org/s/\(path)", map: "http://example.org/s/=schemas")
    #expect(run.status == 5)
    #expect(run.output.contains("is not available"), "\(run.output)")
  }

  @Test(arguments: ["%00", "common.json%00", "%ff", "%", ".", "/", "%2f%2f", "common.json%2f", ""])
  func `malformed names lead nowhere`(_ path: String) async throws {
    let run = try await validate(reference: "http://example.org/\(path)", map: "http://example.org/=schemas")
    #expect(run.status == 5)
    #expect(run.output.contains("is not available"), "\(run.output)")
  }

  @Test func `symbolic links in the folder are followed`() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path.appending("schemas/linked.json").string, withDestinationPath: "../outside.json")
    let run = try await validate(reference: "http://example.org/linked.json", map: "http://example.org/=schemas")
    #expect(run.status == 1)
    #expect(run.output.contains("expected null"))
  }

  @Test func `an error in a mapped document names the document`() async throws {
    try folder.write("{\n  \"tpye\": 1}", to: "schemas/wrong.json")
    try folder.write("{", to: "schemas/broken.json")
    for (name, message) in [
      ("wrong.json", ":2:3: unknown keyword 'tpye'; did you mean 'type'? at /tpye\n"),
      (
        "broken.json",
        ":1:2: the document ends where a key in double quotes or '}' was expected, with 1 bracket open at the root\n"
      ),
    ] {
      let run = try await validate(reference: "http://example.org/\(name)", map: "http://example.org/=schemas")
      #expect(run.status == 2)
      #expect(run.errors == "coffer: http://example.org/\(name)\(message)")
    }
  }

  @Test(arguments: [
    ("schemas", "expected URI=FOLDER, such as http://example.org/schemas/=schemas"),
    ("example.org=schemas", "'example.org' is not a URI: it has no scheme, such as http: or urn:"),
    ("http://example.org/#a=schemas", "'http://example.org/#a' has a fragment: leave out the '#' and everything after it"),
    ("http://example.org/=", "no folder after 'http://example.org/='"),
    ("http://example.org/=gone", "there is no file or folder 'gone'"),
  ])
  func `each wrong argument gets its own message`(_ map: String, _ message: String) async throws {
    let run = try await validate(reference: "urn:common", map: map)
    #expect(run.status == 2)
    #expect(run.errors.contains(message), "\(run.errors)")
  }
}
