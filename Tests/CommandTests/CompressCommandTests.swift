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

  @Test(arguments: [("lz4", "lz4"), ("gzip", "gz"), ("zstd", "zst")])
  func `a file is written and read in every format`(format: String, ending: String) async throws {
    try folder.write(Self.text, to: "a.json")
    #expect(try await Command("compress", "a.json", "--to", format, in: folder).status == 0)
    let named = try await Command("compress", "a.json", "b.json.\(ending)", "--jobs", "1", in: folder)
    #expect(named.status == 0)
    #expect(try data("a.json.\(ending)") == data("b.json.\(ending)"))
    let back = try await Command("decompress", "b.json.\(ending)", in: folder)
    #expect(back.status == 0)
    #expect(try folder.text(of: "b.json") == Self.text)
    // The content decides, not the name.
    try write(data("a.json.\(ending)"), "any")
    #expect(try await Command("decompress", "any", "c.json", in: folder).status == 0)
    #expect(try folder.text(of: "c.json") == Self.text)
    let plain = try await Command("validate", "a.json", "--output-format", "json", in: folder)
    let compressed = try await Command("validate", "a.json.\(ending)", "--output-format", "json", in: folder)
    #expect(compressed.output.replacing("a.json.\(ending)", with: "a.json") == plain.output)
    let cut = try data("a.json.\(ending)").dropLast(9)
    try write(Data(cut), "cut")
    let damaged = try await Command("validate", "cut", in: folder)
    #expect(damaged.status == 3)
    #expect(damaged.output.contains("[\(format)-truncated]"), "\(damaged.output)")
  }

  @Test func `a document that expands too much is refused unless the limit is raised`() async throws {
    try folder.write("[" + String(repeating: " ", count: 2_000_000) + "]", to: "a.json")
    #expect(try await Command(script: "gzip -9 -c a.json >a.json.gz", in: folder).status == 0)
    for verb in ["validate --syntax-only", "convert", "inspect"] {
      let arguments = verb.split(separator: " ").map(String.init) + ["a.json.gz"] + (verb == "convert" ? ["-"] : [])
      let status: Int32 = verb == "inspect" ? 1 : 0
      let refused = try await Command(arguments, in: folder)
      #expect(refused.status == 3, "\(verb)")
      #expect((refused.output + refused.errors).contains("expands to more than 200 times its size"))
      #expect(refused.errors.contains("--max-size and --max-ratio set the limits of what is expanded\n"), "\(refused.errors)")
      #expect(try await Command(arguments + ["--max-ratio", "2000"], in: folder).status == status, "\(verb)")
      let small = try await Command(arguments + ["--max-ratio", "2000", "--max-size", "1MB"], in: folder)
      #expect((small.output + small.errors).contains("expands to more than 1000000 bytes"))
    }
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
      ("a.json", "not LZ4, gzip or zstd data"), ("missing", "cannot open missing.lz4: no such file or directory"),
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
    ["compress", "a.json", "--level", "0"], ["compress", "a.json", "--level", "13"],
    ["compress", "a.json", "a.gz", "--level", "10"],
    ["compress", "a.json", "--to", "zstd", "--level", "20"], ["compress", "a.json", "--to", "xz"],
    ["compress", "a.json", "--jobs", "0"],
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

  @Test(
    arguments: [
      ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], "xz data is not supported: decompress it first (unxz FILE)"),
      (Array("BZh91A".utf8), "bzip2 data is not supported: decompress it first (bunzip2 FILE)"),
      ([0x78, 0x9C, 0xAB, 0x56], "zlib data is not supported: decompress it first (pigz -dz FILE)"),
      ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive is not supported: extract the document first (7z x FILE)"),
      (
        Array("SQLite format 3\0".utf8),
        "a SQLite database is not supported: first export a backup from it, here or in its app"
      ),
    ] as [([UInt8], String)])
  func `the error for other kinds of files names the kind and a remedy`(_ bytes: [UInt8], _ message: String) async throws {
    try write(Data(bytes), "a.backup")
    for arguments in [
      ["validate", "a.backup"], ["inspect", "a.backup"], ["convert", "a.backup", "out.json"],
      ["migrate", "a.backup", "out.json"], ["decompress", "a.backup", "out.json"],
      ["import", "a.backup", "--into", "x.db"], ["diff", "a.backup", "a.backup"],
    ] {
      let run = try await Command(arguments, in: folder)
      #expect(run.status == 3)
      #expect((run.output + run.errors).contains(message), "\(run.output)\(run.errors)")
      #expect(run.errors.contains("coffer export FILE export.json") == bytes.starts(with: "SQLite".utf8), "\(run.errors)")
    }
  }
}
