import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct RecoverCommandTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("{\"a\": [\n {\"id\": 1},\n {\"id\": \0},\n {\"id\": 3}\n]}", to: "damaged.json")
    try folder.write(#"{"a": [{"id": 1}]}"#, to: "whole.json")
    try folder.write(#"{"properties": {"a": {"items": {"required": ["id"]}}}}"#, to: "rules.json")
  }

  private func recover(_ arguments: String...) async throws -> Command {
    try await Command(["recover"] + arguments + ["--rules", "rules.json"], in: folder)
  }

  @Test func `whole records are written, and what is left out is reported`() async throws {
    let run = try await recover("damaged.json", "out.json", "--rejects", "rejects.ndjson")
    #expect(run.status == 1 && run.errors == "")
    #expect(try folder.text(of: "out.json") == "{\"a\": [\n {\"id\": 1},\n {\"id\": 3}\n]}")
    #expect(
      run.output.hasPrefix(
        """
        damaged.json:3:2: left out 9 bytes of /a/1: a byte that JSON doesn't allow there [syntax], byte 21
        damaged.json: left out 1 part, 9 of 45 bytes
        out.json: valid (rules.json)

        """), "\(run.output)")
    #expect(
      try folder.text(of: "rejects.ndjson")
        == #"{"pointer":"/a/1","line":3,"column":2,"offset":21,"bytes":9,"reason":"syntax","text":"{\"id\": \u0000}"}"# + "\n")
  }

  @Test func `an undamaged document is copied, and the status is 0`() async throws {
    let run = try await recover("whole.json", "out.json", "--rejects", "rejects.ndjson")
    #expect(run.status == 0)
    #expect(run.output.hasPrefix("whole.json: not damaged\nout.json: valid (rules.json)\n"))
    #expect(try folder.text(of: "out.json") == folder.text(of: "whole.json"))
    #expect(try folder.text(of: "rejects.ndjson") == "")
  }

  @Test func `if nothing is recovered, no file appears, and an existing one remains`() async throws {
    try folder.write("lost", to: "damaged.json")
    try folder.write("old", to: "old.json")
    let run = try await recover("damaged.json", "out.json")
    #expect(run.status == 3)
    #expect(run.output.hasSuffix("damaged.json: nothing can be recovered\n"))
    #expect(try await recover("damaged.json", "old.json", "--force").status == 3)
    #expect(try folder.names.sorted() == ["damaged.json", "old.json", "rules.json", "whole.json"])
    #expect(try folder.text(of: "old.json") == "old")
  }

  @Test func `a dry run writes nothing, and reports the same`() async throws {
    let dry = try await recover("damaged.json", "--dry-run", "--json")
    let run = try await recover("damaged.json", "out.json", "--json")
    #expect(dry.status == 1 && run.status == 1)
    func withoutTime(_ text: String) -> [Substring] { text.split(separator: "\n").filter { !$0.contains("\"seconds\"") } }
    #expect(withoutTime(dry.output) == withoutTime(run.output))
    #expect(dry.output.contains(#""lossCount": 1,"#))
  }

  @Test func `the document on standard output leaves the report to standard error`() async throws {
    let run = try await recover("damaged.json", "-")
    #expect(run.status == 1)
    #expect(run.output == "{\"a\": [\n {\"id\": 1},\n {\"id\": 3}\n]}")
    #expect(run.errors.contains("left out 1 part"))
    #expect(try await recover("damaged.json", "-", "--json").status == 2)
    let file = try await recover("damaged.json", "-", "--json", "--output", "report.json")
    #expect(file.status == 1 && file.output == run.output)
    #expect(try folder.text(of: "report.json").contains(#""lossCount": 1,"#))
  }

  @Test func `an output is compressed by its name, and read again`() async throws {
    #expect(try await recover("damaged.json", "out.json.gz").status == 1)
    #expect(try await recover("out.json.gz", "again.json").status == 0)
    #expect(try folder.text(of: "again.json") == "{\"a\": [\n {\"id\": 1},\n {\"id\": 3}\n]}")
  }

  @Test(arguments: ["gz", "lz4", "zst"])
  func `what precedes damage of the compression is recovered`(_ ending: String) async throws {
    let records = (0..<150_000).map { #"{"id": \#($0), "name": "record \#($0 &* 7919 % 100_003)"}"# }
    try folder.write(#"{"a": [\#(records.joined(separator: ",\n"))]}"#, to: "large.json")
    #expect(try await Command(["convert", "large.json", "large.json.\(ending)"], in: folder).status == 0)
    let path = folder.path.appending("large.json.\(ending)").string
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[bytes.count * 9 / 10] ^= 0x55
    try bytes.write(to: URL(filePath: path))
    let run = try await recover("large.json.\(ending)", "out.json", "--json")
    #expect(run.status == 1)
    #expect(
      run.output.contains(#""code": "\#(["gz": "gzip", "zst": "zstd"][ending] ?? ending)-corrupt""#), "\(run.output.prefix(3000))"
    )
    // The document is compact once it is compressed.
    let text = try folder.text(of: "out.json")
    let whole = #"{"a":[\#(records.joined(separator: ",").replacing(": ", with: ":").replacing(", ", with: ","))]}"#
    #expect(text.utf8.count > whole.utf8.count / 4 && text.hasSuffix("}]}"))
    // Only a checksum shows some damage, after wrong bytes were decompressed.
    #expect(whole.hasPrefix(text.prefix(text.count / 2)))
  }

  @Test func `reports say which rules are not applied, and a notice that rules check nothing`() async throws {
    try folder.write(
      ##"{"$schema": "https://json-schema.org/draft/2020-12/schema", "properties": {"a": {"minItems": 1, "format": "nope"}}}"##,
      to: "rules.json")
    let run = try await recover("damaged.json", "--dry-run", "--report", "markdown=report.md")
    #expect(run.status == 1)
    #expect(run.errors == "coffer: rules.json: 1 rule is not applied (see: coffer rules check rules.json)\n")
    #expect(try folder.text(of: "report.md").contains("not applied"))
    try folder.write("true", to: "rules.json")
    #expect(try await recover("whole.json", "--dry-run").errors == "coffer: the rules accept every document\n")
  }

  @Test func `an existing output is kept, and the input is never replaced`() async throws {
    #expect(try await recover("damaged.json", "whole.json").status == 4)
    #expect(try await recover("damaged.json", "damaged.json", "--force").status == 4)
    #expect(try await recover("damaged.json", "out.json", "--rejects", "damaged.json").status == 4)
    #expect(try await recover("damaged.json").status == 2)
    #expect(try await recover("damaged.json", "out.json", "--rejects", "./out.json").status == 2)
    #expect(try await recover("damaged.json", "out.zip").status == 2)
  }
}
