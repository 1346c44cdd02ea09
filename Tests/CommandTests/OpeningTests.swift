import Foundation
import SystemPackage
import TestSupport
import Testing

/// All verbs decide by a backup's content, never by its name, whether it is a document, compressed data or an archive.
@Suite struct OpeningTests {
  let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    for (format, file) in [("ev-charging-tracker", "document.json"), ("smilepile", "archive.zip")] {
      #expect(try await Command("generate", format, file, "--size", "3kB", in: folder).status == 0)
    }
    #expect(try await Command("compress", "document.json", "compressed.lz4", in: folder).status == 0)
    #expect(try await Command("compress", "document.json", "compressed.zst", in: folder).status == 0)
    #expect(try await Command("compress", "document.json", "compressed.gz", in: folder).status == 0)
    try Data([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4]).write(to: URL(filePath: folder.path.appending("foreign.xz").string))
    try folder.write("{\"cars\": [", to: "cut.json")
  }

  /// Each verb, and its exit status for a document, compressed ones, an archive, a foreign compression and a cut document.
  static let verbs: [(arguments: String, statuses: [Int32])] = [
    ("validate --now 2030-01-01T00:00:00Z FILE", [0, 0, 0, 0, 0, 3, 3]), ("inspect FILE", [0, 0, 0, 0, 0, 3, 3]),
    ("diff FILE FILE", [0, 0, 0, 0, 3, 3, 3]), ("convert FILE out", [0, 0, 0, 0, 3, 3, 3]),
    ("migrate FILE out", [0, 0, 0, 0, 0, 3, 3]),
    ("import FILE --into out.db", [0, 0, 0, 0, 0, 3, 3]),
  ]

  @Test(arguments: verbs.map(\.arguments), TestDepth.sample(["a.json", "a.lz4", "a.zip", "a.gz", "a"], everyday: 2))
  func `the name of a backup does not decide how it is opened`(verb: String, name: String) async throws {
    let statuses = try #require(Self.verbs.first { $0.arguments == verb }).statuses
    let files = ["document.json", "compressed.lz4", "compressed.gz", "compressed.zst", "archive.zip", "foreign.xz", "cut.json"]
    for (file, status) in zip(files, statuses) {
      try? FileManager.default.removeItem(atPath: folder.path.appending(name).string)
      try FileManager.default.copyItem(
        atPath: folder.path.appending(file).string, toPath: folder.path.appending(name).string)
      let arguments = verb.split(separator: " ").map { $0 == "FILE" ? name : String($0) }
      let result = try await Command(arguments, in: folder)
      #expect(result.status == status, "\(file): \(result.output)\(result.errors)")
      if status == 3 { #expect((result.output + result.errors).contains(name), "\(file): \(result.errors)") }
      for output in try folder.names where output.hasPrefix("out") {
        try FileManager.default.removeItem(atPath: folder.path.appending(output).string)
      }
    }
  }

  @Test func `migrate refuses an output whose name promises another container`() async throws {
    let document = try await Command("migrate", "archive.zip", "new.json", in: folder)
    #expect(document.status == 3)
    #expect(document.errors == "coffer: archive.zip: a ZIP archive can't become a document: unpack it first\n")
    let archive = try await Command("migrate", "document.json", "new.zip", in: folder)
    #expect(archive.status == 3)
    #expect(archive.errors == "coffer: document.json: a document can't become a ZIP archive: pack the migrated document\n")
    #expect(try !folder.names.contains { $0.hasPrefix("new") })
  }

  @Test func `a file name that is not UTF-8 is named as the problem`() async throws {
    let run = try await Command(
      script: #"cp document.json "$(printf 'caf\351.json')"; "$0" inspect "$(printf 'caf\351.json')""#, in: folder)
    #expect(run.status == 2)
    #expect(run.output == "")
    #expect(
      run.errors
        == #"coffer: 'caf\xE9.json' is not UTF-8: rename the file, or let the shell open it and name - (standard input)"# + "\n")
    #expect(try await Command(script: #""$0" inspect - < "$(printf 'caf\351.json')""#, in: folder).status == 0)
  }

  /// The damage makes malformed JSON.
  @Test(arguments: ["validate", "inspect", "convert --compact", "diff plain.json", "import --into a.db"])
  func `damaged LZ4 data is not reported as malformed JSON`(verb: String) async throws {
    // Content without repetitions is stored as it is, so that every change of it can be decoded.
    let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    var random = SeededRandom(seed: 1)
    let noise = (0..<4000).map { _ in
      "\"" + String((0..<12).map { _ in letters[Int.random(in: 0..<62, using: &random)] }) + "\""
    }.joined(separator: ",")
    try folder.write("{\"a\": [\(noise)]}", to: "plain.json")
    #expect(try await Command("compress", "plain.json", "bad.json.lz4", in: folder).status == 0)
    let file = URL(filePath: folder.path.appending("bad.json.lz4").string)
    var bytes = try Data(contentsOf: file)
    let quote = try #require(bytes[500...].firstIndex(of: UInt8(ascii: "\"")))
    bytes[quote] = UInt8(ascii: "x")
    try bytes.write(to: file)
    let output = verb.hasPrefix("convert") ? ["out.json"] : []
    let run = try await Command(verb.split(separator: " ").map(String.init) + ["bad.json.lz4"] + output, in: folder)
    #expect(run.status == 3)
    #expect(
      (run.output + run.errors).contains("corrupt LZ4 data: the content's checksum does not match"), "\(run.output)\(run.errors)")
  }

  /// One wording for documents whose format isn't known.
  @Test(arguments: [
    "validate", "validate --output-format github", "inspect", "migrate FILE out",
    "merge FILE FILE out --on-conflict replace",
    "diff FILE FILE", "validate --only a",
  ])
  func `all verbs call an unknown format by that name`(verb: String) async throws {
    try folder.write(#"{"what": [{"id": 1}]}"#, to: "what.json")
    let arguments = verb.contains("FILE") ? verb : verb + " FILE"
    let run = try await Command(arguments.split(separator: " ").map { $0 == "FILE" ? "what.json" : String($0) }, in: folder)
    #expect((run.output + run.errors).contains("unknown format"), "\(run.output)\(run.errors)")
  }
}
