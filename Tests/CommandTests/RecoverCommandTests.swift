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

  private func bytes(of name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: folder.path.appending(name).string)))
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

  /// Coffer writes frames, or pieces of a member, that need no others.
  @Test(arguments: ["gz", "lz4", "zst"])
  func `what is before and behind damage of the compression is recovered`(_ ending: String) async throws {
    let note = (0..<20).map { "\($0 * 7919 % 1009)" }.joined(separator: " ")
    let records = (0..<50_000).map { #"{"id": \#($0), "name": "record \#($0 &* 7919 % 100_003)", "note": "\#(note)"}"# }
    try folder.write(#"{"a": [\#(records.joined(separator: ",\n"))]}"#, to: "large.json")
    #expect(try await Command(["convert", "large.json", "large.json.\(ending)"], in: folder).status == 0)
    let path = folder.path.appending("large.json.\(ending)").string
    var bytes = try Data(contentsOf: URL(filePath: path))
    let middle = bytes.count * 7 / 10
    bytes.replaceSubrange(middle..<middle + 3000, with: Data(repeating: 0xFF, count: 3000))
    try bytes.write(to: URL(filePath: path))
    let run = try await recover("large.json.\(ending)", "out.json", "--json")
    #expect(run.status == 1)
    #expect(
      run.output.contains(#""code": "\#(["gz": "gzip", "zst": "zstd"][ending] ?? ending)-corrupt""#), "\(run.output.prefix(3000))"
    )
    #expect(run.output.contains(#""errorCount": 1,"#), "\(run.output.prefix(3000))")
    // The document is compact once it is compressed.
    let text = try folder.text(of: "out.json")
    #expect(
      text.hasPrefix(#"{"a":[{"id":0,"#)
        && text.hasSuffix(#"{"id":49999,"name":"record \#(49999 * 7919 % 100_003)","note":"\#(note)"}]}"#), "\(text.suffix(100))")
    #expect(text.utf8.count(where: { $0 == UInt8(ascii: "{") }) > 10_000)
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

  @Test func `records with errors are left out, and what refers to them, if that is asked for`() async throws {
    try folder.write(Self.tripRules, to: "rules.json")
    try folder.write(
      """
      {"carCount": 3, "cars": [
        {"id": 1},
        {"id": "x"},
        {"id": 1, "name": "again"}
      ], "trips": [
        {"car": 1},
        {"car": 2}
      ]}
      """, to: "trips.json")
    #expect(try await recover("trips.json", "all.json").output.hasPrefix("trips.json: not damaged\nall.json: 3 errors"))
    let run = try await recover("--drop-invalid", "trips.json", "out.json", "--rejects", "rejects.ndjson")
    #expect(run.status == 1 && run.errors == "")
    #expect(
      run.output.hasPrefix(
        """
        trips.json:1:14: corrected 1 byte: /carCount: expected the number of items of /cars, which is 1, found 3 [count], byte 13
        trips.json:3:3: left out 11 bytes of /cars/1: /id: expected integer, found a string: 'x' [invalid], byte 41
        trips.json:4:3: left out 26 bytes of /cars/2: /id: duplicate id 1: an earlier record has it [duplicate], byte 56
        trips.json:7:3: left out 10 bytes of /trips/1: /car: car 2 refers to no record of /cars [dangling], byte 113
        trips.json: left out 3 parts (1 invalid, 1 duplicate, 1 dangling), 47 of 126 bytes; 1 declared number corrected
        out.json: valid (rules.json)

        """), "\(run.output)")
    #expect(
      try folder.text(of: "out.json")
        == #"{"carCount": 1, "cars": [\#n  {"id": 1}\#n], "trips": [\#n  {"car": 1}\#n]}"#)
    let rejects = try folder.text(of: "rejects.ndjson").split(separator: "\n")
    #expect(rejects.count == 4 && rejects[1].contains(#""reason":"invalid","codes":["type"],"findings":[{"code":"type""#))
    #expect(rejects[3].hasSuffix(#""text":"{\"car\": 2}"}"#))
    #expect(try await recover("--drop-invalid", "--duplicates", "last", "trips.json", "-").output.contains("again"))
    #expect(try await recover("--duplicates", "last", "trips.json", "-").status == 2)
    let unknown = try await Command(["recover", "--drop-invalid", "trips.json", "new.json"], in: folder)
    #expect(unknown.status == 4 && unknown.errors.contains("which records are invalid is not known without rules"))
    #expect(try !folder.names.contains("new.json"))
  }

  static let tripRules = """
    {"properties": {"carCount": {"countOf": "/cars"},
      "cars": {"primaryKey": "id", "items": {"properties": {"id": {"type": "integer"}}}},
      "trips": {"foreignKeys": [{"fields": "car", "reference": {"resource": "/cars", "fields": "id"}}], "items": {"required": ["car"]}}}}
    """

  /// The file's name says how it is compressed.
  @Test(arguments: ["gz", "lz4", "zst"]) func `data whose first bytes are damaged is expanded`(_ ending: String) async throws {
    let note = (0..<60).map { "\($0 * 7919 % 1009)" }.joined(separator: " ")
    let records = (0..<40_000).map { "{\"id\": \($0 * 7919 % 1_000_003), \"note\": \"\(note)\"}" }
    try folder.write("{\"a\": [\n" + records.joined(separator: ",\n") + "\n]}", to: "large.json")
    _ = try await Command("compress", "large.json", "large.json.\(ending)", in: folder)
    var bytes = try bytes(of: "large.json.\(ending)")
    for index in 0..<20 { bytes[index] = 0 }
    try folder.write(bytes, to: "large.json.\(ending)")
    let run = try await recover("large.json.\(ending)", "out.json", "--json")
    #expect(run.status == 1)
    let rest = try folder.text(of: "out.json").split(separator: "\n").dropFirst().dropLast()
    // All but those in the first frame or piece.
    #expect(rest.count > 2000)
    let isSame = records.suffix(rest.count - 1).elementsEqual(
      rest.dropFirst().map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) })
    #expect(isSame)
  }

  @Test func `JSON Lines keep their byte order mark`() async throws {
    try folder.write("\u{FEFF}{\"id\": 1}\n{\"id\": }\n", to: "cut.ndjson")
    #expect(try await recover("cut.ndjson", "out.ndjson").status == 1)
    #expect(try bytes(of: "out.ndjson") == Array("\u{FEFF}{\"id\": 1}\n".utf8))
    #expect(try await recover("out.ndjson", "same.ndjson").output.hasPrefix("out.ndjson: not damaged\n"))
    #expect(try bytes(of: "same.ndjson") == bytes(of: "out.ndjson"))
  }

  @Test func `the files of an archive that the output can't hold are said`() async throws {
    _ = try await Command("generate", "smilepile", "photos.zip", "--size", "4kB", "--seed", "3", in: folder)
    let line = "not recovered: 6 other files of the archive; only a .zip can hold more than the document\n"
    let document = try await Command("recover", "photos.zip", "photos.json", in: folder)
    #expect(document.output.contains("photos.zip: not damaged\n" + line) && document.status == 0, "\(document.output)")
    let archive = try await Command("recover", "photos.zip", "copy.zip", in: folder)
    #expect(archive.output.contains("not damaged") && !archive.output.contains(line), "\(archive.output)")
    let plan = try await Command("recover", "photos.zip", "--dry-run", "--json", in: folder)
    #expect(plan.output.contains(#""files": 6"#) && plan.output.contains(#""filesAreWritten": false"#), "\(plan.output)")
  }

  @Test func `an existing output is kept, and the input is never replaced`() async throws {
    #expect(try await recover("damaged.json", "whole.json").status == 4)
    #expect(try await recover("damaged.json", "damaged.json", "--force").status == 4)
    #expect(try await recover("damaged.json", "out.json", "--rejects", "damaged.json").status == 4)
    #expect(try await recover("damaged.json").status == 2)
    #expect(try await recover("damaged.json", "out.json", "--rejects", "./out.json").status == 2)
    let noArchive = try await recover("damaged.json", "out.zip")
    #expect(noArchive.status == 3 && noArchive.errors.contains("damaged.json is no ZIP archive"))
    #expect(try !folder.names.contains("out.zip"))
  }
}
