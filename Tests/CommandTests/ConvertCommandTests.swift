import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@Suite struct ConvertCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"b": [{"d": 1.0, "c": "\u00e9"}, {"d": 12345678901234567890}], "a": [ ]}"#, to: "in.json")
  }

  @Test(arguments: [
    (["in.json", "-"], #"{"b":[{"d":1.0,"c":"\u00e9"},{"d":12345678901234567890}],"a":[]}"#),
    (["--sort-keys", "in.json", "-"], #"{"a":[],"b":[{"c":"\u00e9","d":1.0},{"d":12345678901234567890}]}"#),
    (["--collection", "/b", "in.json", "-"], #"[{"d":1.0,"c":"\u00e9"},{"d":12345678901234567890}]"#),
    (["--collection", "/b", "--to", "ndjson", "in.json", "-"], "{\"d\":1.0,\"c\":\"\\u00e9\"}\n{\"d\":12345678901234567890}\n"),
    (["--collection", "/a", "--pretty", "in.json", "-"], "[]\n"),
    (["--collection", "/a", "--pretty", "--indent", "4", "in.json", "-"], "[]\n"),
  ])
  func `the options decide what is written, and how`(arguments: [String], text: String) async throws {
    let run = try await Command(["convert"] + arguments, in: folder)
    #expect(run.output == text)
    #expect(run.errors == "")
    #expect(run.status == 0)
  }

  @Test func `standard input is converted to standard output`() async throws {
    #expect(try await Command("convert", "--pretty", "-", "-", input: "[1,{}]").output == "[\n  1,\n  {}\n]\n")
    #expect(try await Command("convert", "--from", "ndjson", "-", "-", input: "1\n2\n").output == "[1,2]")
  }

  @Test func `file names decide the syntax and the compression`() async throws {
    #expect(try await Command("convert", "--collection", "/b", "in.json", "b.ndjson.lz4", in: folder).status == 0)
    #expect(try await Command("convert", "b.ndjson.lz4", "b.jsonl", in: folder).status == 0)
    #expect(try folder.text(of: "b.jsonl") == "{\"d\":1.0,\"c\":\"\\u00e9\"}\n{\"d\":12345678901234567890}\n")
    #expect(try await Command("convert", "b.jsonl", "b.json", in: folder).status == 0)
    #expect(try folder.text(of: "b.json") == #"[{"d":1.0,"c":"\u00e9"},{"d":12345678901234567890}]"#)
    #expect(try await Command("validate", "--syntax-only", "b.ndjson.lz4", in: folder).status == 0)
  }

  @Test func `a ZIP archive is refused with advice to unpack it`() async throws {
    try folder.write(PackCommandTests.metadata, to: "files/metadata.json")
    #expect(try await Command("pack", "--unchecked", "files", "backup.zip", in: folder).status == 0)
    let run = try await Command("convert", "backup.zip", "out.json", in: folder)
    #expect(run.status == 3)
    #expect(
      run.errors
        == "coffer: backup.zip: this is a ZIP archive: unpack it, and use the document in it instead\n")
    #expect(try folder.names.sorted() == ["backup.zip", "files", "in.json"])
  }

  @Test(arguments: [
    ["--pretty", "--compact", "in.json", "out"], ["--indent", "2", "in.json", "out"],
    ["--pretty", "--indent", "17", "in.json", "out"],
    ["--pretty", "in.json", "out.ndjson"], ["--level", "3", "in.json", "out"], ["--level", "13", "in.json", "out.lz4"],
    ["--collection", "b", "in.json", "out"], ["--jobs", "0", "in.json", "out"], ["--to", "xml", "in.json", "out"], ["in.json"],
    ["in.json", "out.zip"],
  ])
  func `wrong usage is refused and writes nothing`(arguments: [String]) async throws {
    let run = try await Command(["convert"] + arguments, in: folder)
    #expect(run.status == 2)
    #expect(try folder.names == ["in.json"])
  }

  @Test(arguments: [
    (
      "[1,\n 2,]", [],
      "broken.json:2:4: JSON doesn't allow a comma before ']' (byte 7); coffer recover writes the records that are whole"
    ),
    ("", [], "broken.json:1:1: the document is empty (byte 0)"),
    (#"{"a": 1}"#, ["--collection", "/b"], "broken.json: the document has no member 'b'"),
    (#"{"a": 1}"#, ["--collection", "/a"], "broken.json: /a is a number, not an array or object"),
    (
      #"{"a": 1}"#, ["--to", "ndjson"],
      "broken.json: the document is an object, not an array; JSON Lines are the items of an array; name one with --collection"
    ),
  ])
  func `input that cannot be converted is an error and leaves no output`(
    text: String, arguments: [String], message: String
  ) async throws {
    try folder.write(text, to: "broken.json")
    let run = try await Command(["convert"] + arguments + ["broken.json", "out"], in: folder)
    #expect(run.status == 3)
    #expect(run.errors == "coffer: \(message)\n")
    #expect(try folder.names == ["broken.json", "in.json"])
  }

  @Test func `existing output is replaced only with --force`() async throws {
    try folder.write("precious", to: "out")
    let refused = try await Command("convert", "in.json", "out", in: folder)
    #expect(refused.status == 4)
    #expect(refused.errors == "coffer: out already exists; --force replaces it\n")
    #expect(try folder.text(of: "out") == "precious")
    #expect(try await Command("convert", "--force", "in.json", "out", in: folder).status == 0)
    #expect(try folder.text(of: "out").hasPrefix("{\"b\""))
    #expect(try folder.names == ["in.json", "out"])
  }

  @Test(arguments: [[], ["--collection", "/cars"], ["--to", "ndjson", "--collection", "/cars"], ["--only", "cars"]])
  func `an existing backup of the same format is kept, too`(arguments: [String]) async throws {
    for name in ["one.json", "two.json"] {
      #expect(try await Command("generate", "ev-charging-tracker", name, "--size", "20kB", in: folder).status == 0)
    }
    let old = try folder.text(of: "two.json")
    #expect(try await Command(["convert"] + arguments + ["one.json", "two.json"], in: folder).status == 4)
    #expect(try folder.text(of: "two.json") == old)
  }

  @Test func `the input is never overwritten, even with --force`() async throws {
    let run = try await Command("convert", "--force", "in.json", "./in.json", in: folder)
    #expect(run.status == 4)
    #expect(try folder.text(of: "in.json").contains(": "))
  }

  /// A pipe can be read only once: reading its start to detect the format would lose those bytes.
  @Test func `a named pipe is read completely`() async throws {
    let generated = try await Command("generate", "ev-charging-tracker", "in.json", "--force", "--size", "200kB", in: folder)
    #expect(generated.status == 0)
    let script = """
      mkfifo pipe
      cat in.json >pipe &
      "$0" convert pipe out.json
      echo $?
      """
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", script, Command.path], workingDirectory: folder.path,
      output: .string(limit: 1000), error: .string(limit: 1000))
    #expect(result.standardOutput == "0\n")
    #expect(try await Command("convert", "in.json", "-", in: folder).output == folder.text(of: "out.json"))
  }

  @Test func `output can go to a device`() async throws {
    #expect(try await Command("convert", "in.json", "/dev/null", in: folder).status == 0)
    #expect(try await Command("compress", "in.json", "/dev/null", in: folder).status == 0)
    #expect(try await Command("validate", "--syntax-only", "in.json", "--output", "/dev/null", in: folder).status == 0)
    // A device may be input and output, because it is not replaced.
    #expect(try await Command("validate", "/dev/null", "--output", "/dev/null").status == 3)
  }
}
