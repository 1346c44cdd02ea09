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

  @Test func `a document that is not mapped is never fetched`() async throws {
    let run = try await validate(reference: "http://example.org/common.json")
    #expect(run.status == 2)
    #expect(
      run.errors
        == "coffer: rules.json:1:10: 'http://example.org/common.json' refers to 'http://example.org/common.json', which is not "
        + "available: documents are never fetched; use --map URI=FOLDER to give their folder at /$ref\n")
  }

  @Test func `the error for a missing document names the file`() async throws {
    let run = try await validate(reference: "http://example.org/gone.json", map: "http://example.org/=schemas")
    #expect(run.status == 2)
    #expect(
      run.errors
        == "coffer: rules.json:1:10: can't read 'http://example.org/gone.json': cannot open schemas/gone.json: no such file or "
        + "directory at /$ref\n")
  }

  @Test(arguments: [
    "../outside.json", "%2e%2e/outside.json", "..%2foutside.json", "a/../../outside.json", "%2E%2E%2Foutside.json",
    "a/%2e%2e/%2e%2e/outside.json",
    "./../outside.json",
  ])
  func `no reference leads out of the mapped folder`(_ path: String) async throws {
    let run = try await validate(reference: "http://example.org/s/\(path)", map: "http://example.org/s/=schemas")
    #expect(run.status == 2)
    #expect(run.errors.contains("which is not available"), "\(run.errors)")
  }

  @Test(arguments: ["%00", "common.json%00", "%ff", "%", ".", "/", "%2f%2f", "common.json%2f", ""])
  func `malformed names are errors`(_ path: String) async throws {
    let run = try await validate(reference: "http://example.org/\(path)", map: "http://example.org/=schemas")
    #expect(run.status == 2)
    #expect(run.errors.hasPrefix("coffer: rules.json:1:10: "), "\(run.errors)")
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
