import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@Suite struct CompressCommandTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let text = (0..<20_000).map { "{\"id\": \($0), \"name\": \"record \($0 % 7)\"}\n" }.joined()

  @Test func `a file survives a round trip, and its source is kept`() async throws {
    try folder.write(Self.text, to: "a.json")
    let compressed = try await Command("compress", "a.json", in: folder)
    #expect(compressed.status == 0)
    #expect(compressed.output == "")
    let summary = try #require(compressed.errors.wholeMatch(of: /a\.json\.lz4: ([0-9,]+) -> ([0-9,]+) bytes \(([0-9.]+) %\)\n/))
    #expect(summary.1 == "668,890")
    let size = try #require(Int(summary.2.filter { $0 != "," }))
    #expect(try data("a.json.lz4").count == size)
    #expect(String(format: "%.1f", 100 * Double(size) / Double(Self.text.utf8.count)) == summary.3)

    let again = try await Command("decompress", "a.json.lz4", "b.json", in: folder)
    #expect(again.status == 0)
    #expect(again.errors == "b.json: \(summary.2) -> 668,890 bytes\n")
    #expect(try folder.text(of: "b.json") == Self.text)
    #expect(try folder.names == ["a.json", "a.json.lz4", "b.json"])
  }

  @Test func `standard input is compressed to standard output and back`() async throws {
    let script = #""$0" compress - --jobs 3 | "$0" decompress - "#
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", script, Command.path], input: .string(Self.text),
      output: .string(limit: 1 << 22), error: .string(limit: 1000))
    #expect(result.standardOutput == Self.text)
    #expect(result.standardError == "")
  }

  @Test func `the output is the same with any number of threads`() async throws {
    try folder.write(Self.text, to: "a.json")
    var outputs: Set<Data> = []
    for jobs in ["1", "2", "7"] {
      let run = try await Command("compress", "a.json", "\(jobs).lz4", "--jobs", jobs, "--level", "4", in: folder)
      #expect(run.status == 0)
      outputs.insert(try data("\(jobs).lz4"))
    }
    #expect(outputs.count == 1)
    _ = try await Command("compress", "a.json", "fast.lz4", in: folder)
    #expect(try data("fast.lz4").count > data("1.lz4").count)
  }

  @Test func `existing output is replaced only with --force`() async throws {
    try folder.write(Self.text, to: "a.json")
    try folder.write("precious", to: "a.json.lz4")
    let refused = try await Command("compress", "a.json", in: folder)
    #expect(refused.status == 4)
    #expect(refused.errors == "coffer: a.json.lz4 already exists; --force replaces it\n")
    #expect(try folder.text(of: "a.json.lz4") == "precious")
    #expect(try await Command("compress", "a.json", "--force", in: folder).status == 0)
    let back = try await Command("decompress", "a.json.lz4", in: folder)
    #expect(back.status == 4)
    #expect(try await Command("decompress", "a.json.lz4", "--force", in: folder).status == 0)
    #expect(try folder.text(of: "a.json") == Self.text)
    #expect(try folder.names == ["a.json", "a.json.lz4"])
  }

  @Test func `the input is never overwritten`() async throws {
    try folder.write(Self.text, to: "a.json")
    for arguments in [["compress", "a.json", "./a.json", "--force"], ["decompress", "a.json", "a.json", "--force"]] {
      let run = try await Command(arguments, in: folder)
      #expect(run.status == 4)
      #expect(run.errors.contains("is an input"))
    }
    #expect(try folder.text(of: "a.json") == Self.text)
  }

  @Test func `damaged or truncated input is an error and leaves no output`() async throws {
    try folder.write(Self.text, to: "a.json")
    _ = try await Command("compress", "a.json", "a.lz4", in: folder)
    let stream = try data("a.lz4")
    var damaged = stream
    damaged[damaged.count / 2] ^= 0x10
    try write(damaged, "damaged.lz4")
    try write(stream.dropLast(40), "cut.lz4")
    for (name, words) in [
      ("damaged", "damaged.lz4: corrupt LZ4 data: "), ("cut", "cut.lz4: truncated LZ4 data: frames or the trailer"),
      ("a.json", "not LZ4 data"), ("missing", "cannot open missing.lz4: no such file or directory"),
    ] {
      if name == "a.json" { try write(Data(Self.text.utf8), "a.json.lz4") }
      let run = try await Command("decompress", "\(name).lz4", "out.json", in: folder)
      #expect(run.status == 3)
      #expect(run.errors.hasPrefix("coffer: "))
      #expect(run.errors.contains(words), "\(run.errors)")
    }
    #expect(try await Command("validate", "damaged.lz4", in: folder).status == 3)
    #expect(try folder.names == ["a.json", "a.json.lz4", "a.lz4", "cut.lz4", "damaged.lz4"])
  }

  @Test(arguments: [
    ["compress", "a.json", "--level", "0"], ["compress", "a.json", "--level", "13"], ["compress", "a.json", "--jobs", "0"],
    ["compress"], ["decompress", "a.json"], ["decompress", ".lz4"], ["decompress", "a.json.lz4", "--level", "3"],
  ])
  func `wrong usage ends with status 2`(arguments: [String]) async throws {
    try folder.write("{}", to: "a.json")
    let run = try await Command(arguments, in: folder)
    #expect(run.status == 2)
    #expect(run.errors != "")
    #expect(try folder.names == ["a.json"])
  }

  @Test func `a compressed backup has the same report as the plain one`() async throws {
    _ = try await Command("generate", "ev-charging-tracker", "a.json", "--size", "2MB", "--defect", "reference=2", in: folder)
    _ = try await Command("compress", "a.json", in: folder)
    let plain = try await Command("validate", "a.json", "--output-format", "json", in: folder)
    let compressed = try await Command("validate", "a.json.lz4", "--output-format", "json", in: folder)
    #expect(plain.status == 1)
    #expect(compressed.status == 1)
    #expect(compressed.output.replacing("a.json.lz4", with: "a.json") == plain.output)
  }

  @Test func `rules may be compressed`() async throws {
    try folder.write(#"{"type": "array", "maxItems": 1}"#, to: "rules.json")
    _ = try await Command("compress", "rules.json", in: folder)
    let run = try await Command("validate", "--rules", "rules.json.lz4", "-", input: "[1, 2]", in: folder)
    #expect(run.status == 1)
    #expect(try await Command("rules", "check", "rules.json.lz4", in: folder).status == 0)
  }

  private func data(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: folder.path.appending(name).string)) }

  private func write(_ data: Data, _ name: String) throws {
    try data.write(to: URL(filePath: folder.path.appending(name).string))
  }

  @Test func `rules in YAML may be compressed`() async throws {
    try folder.write("type: array\nmaxItems: 1\n", to: "rules.yaml")
    try folder.write("[1, 2]", to: "a.json")
    #expect(try await Command("compress", "rules.yaml", in: folder).status == 0)
    let run = try await Command("validate", "--rules", "rules.yaml.lz4", "a.json", in: folder)
    #expect(run.status == 1)
    #expect(run.output.contains("[max-items]"))
    #expect(try await Command("rules", "check", "rules.yaml.lz4", in: folder).status == 0)
  }

  /// Many people keep backups as `.json.gz`.
  @Test(
    arguments: [
      ([0x1F, 0x8B, 8, 0, 0, 0], "gzip", "gunzip"), ([0x28, 0xB5, 0x2F, 0xFD, 4, 0], "zstd", "unzstd"),
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz", "unxz"), (Array("BZh91A".utf8), "bzip2", "bunzip2"),
    ] as [([UInt8], String, String)])
  func `the error for other compression formats names the format and a program`(
    _ bytes: [UInt8], _ name: String, _ program: String
  ) async throws {
    try write(Data(bytes), "a.json.gz")
    let message = "\(name) data is not supported: decompress it first (\(program) -c FILE | coffer … -)"
    for arguments in [
      ["validate", "a.json.gz"], ["inspect", "a.json.gz"], ["convert", "a.json.gz", "out.json"],
      ["migrate", "a.json.gz", "out.json"],
      ["import", "a.json.gz", "--into", "x.db"], ["diff", "a.json.gz", "a.json.gz"],
    ] {
      let run = try await Command(arguments, in: folder)
      #expect(run.status == 3)
      #expect((run.output + run.errors).contains(message), "\(run.output)\(run.errors)")
    }
  }
}
