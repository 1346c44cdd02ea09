import Foundation
import TestSupport
import Testing

/// Verbs that take many files: in folders, in lists, and on several threads.
@Suite struct ManyFilesTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"items": {"required": ["id"]}}"#, to: "rules.json")
  }

  /// Writes files, every third of which has a finding.
  private func write(_ count: Int, to subfolder: String) throws -> [String] {
    try FileManager.default.createDirectory(atPath: "\(folder.path)/\(subfolder)", withIntermediateDirectories: true)
    return try (100..<100 + count).map { number in
      let name = "\(subfolder)/\(number).json"
      try folder.write(number % 3 == 0 ? #"[{"id": 1}, {"no": 2}]"# : #"[{"id": \#(number)}]"#, to: name)
      return name
    }
  }

  private func report(_ arguments: [String], input: String = "") async throws -> Command {
    try await Command(["validate", "--rules", "rules.json", "--json"] + arguments, input: input, in: folder)
  }

  private static func names(_ command: Command) -> [String] {
    command.output.matches(of: /"file": ?"([^"]*)"/).map { String($0.1) }
  }

  @Test func `reports are those of one thread, in the order of the files`() async throws {
    var files = try write(200, to: "a")
    // A thread takes 64 files or 64 KiB at once.
    for number in stride(from: 0, to: 200, by: 9) {
      let item = #"{"id": "\#(String(repeating: "x", count: number * 500))"}"#
      try folder.write("[\(item), \(number % 2 == 0 ? item : "{}")]", to: files[number])
    }
    // Large files and missing ones are between the small ones.
    try folder.write(
      "[" + Array(repeating: #"{"id": "\#(String(repeating: "x", count: 900))"}"#, count: 10_000).joined(separator: ",") + "]",
      to: "large.json")
    files.insert("large.json", at: 7)
    files.insert("gone.json", at: 20)
    files.append("a/100.json")
    files.swapAt(1, 30)
    let single = try await report(["--jobs", "1"] + files)
    for jobs in ["2", "5"] {
      let shared = try await report(["--jobs", jobs] + files)
      #expect(
        shared.output.replacing(/"seconds": ?[0-9.e-]+/, with: "") == single.output.replacing(/"seconds": ?[0-9.e-]+/, with: ""))
      #expect(shared.status == single.status)
    }
    #expect(Self.names(single) == files)
    let inspected = try await Command(["inspect", "--json", "--jobs", "3"] + files, in: folder)
    #expect(try await inspected.output == Command(["inspect", "--json", "--jobs", "1"] + files, in: folder).output)
  }

  @Test func `a folder is searched for backups, at any depth`() async throws {
    let files = try write(3, to: "b/c") + write(2, to: "b")
    try folder.write("no backup", to: "b/README.md")
    try folder.write("[]", to: "b/.hidden.json")
    try folder.write("{}\n{}", to: "b/c/lines.ndjson")
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/b/loop", withDestinationPath: ".")
    let command = try await report(["b"])
    #expect(Self.names(command) == (files + ["b/c/lines.ndjson"]).sorted())
    #expect(command.errors == "coffer: b: 6 backups; 2 others left out (--include chooses)\n")
    let chosen = try await report(["--include", "c/*.json", "b/", "b/100.json"])
    #expect(Self.names(chosen) == ["b/c/100.json", "b/c/101.json", "b/c/102.json", "b/100.json"])
    let empty = try await report(["b", "--include", "*.xml"])
    #expect(empty.status == 2 && empty.errors == "coffer: b: no file in this folder matches --include; 8 others left out\n")
  }

  @Test func `a list names files`() async throws {
    let files = try write(4, to: "d")
    try folder.write(files.joined(separator: "\n") + "\n", to: "list.txt")
    #expect(try await Self.names(report(["--files-from", "list.txt"])) == files)
    #expect(
      try await Self.names(report(["--files-from", "-", "a.json"], input: files.joined(separator: "\0") + "\0")) == ["a.json"]
        + files)
    try folder.write("\n", to: "empty.txt")
    try folder.write("\u{FEFF}" + files[0] + "\r\n", to: "windows.txt")
    let windows = try await report(["--files-from", "windows.txt", "--include", "*.json"])
    #expect(Self.names(windows) == [files[0]])
    #expect(windows.errors.contains("--include has no effect"))
    let empty = try await report(["--files-from", "empty.txt"])
    #expect(empty.status == 2 && empty.errors.contains("empty.txt: the list names no file"))
    let missing = try await report(["--files-from", "none.txt"])
    #expect(missing.status == 3 && missing.errors.contains("none.txt"))
    let twice = try await report(["--files-from", "-", "-"])
    #expect(twice.status == 2 && twice.errors.contains("standard input can be read only once"))
    let replaced = try await report(["--files-from", "list.txt", "--output", "d/101.json"])
    #expect(replaced.status == 4 && replaced.errors.contains("the report would replace d/101.json"))
    for verb in [["validate", "--rules", "rules.json", "--json"], ["inspect", "--json"], ["split", "--tasks", "1"]] {
      let refused = try await Command(verb + ["--files-from", "list.txt", "--output", "list.txt"], in: folder)
      #expect(refused.status == 4 && refused.errors.contains("list.txt"), "\(verb)")
    }
    #expect(try folder.text(of: "list.txt").hasPrefix("d/100.json"))
  }

  @Test func `what is no file can't hang a run, and nothing is left out because of its name`() async throws {
    _ = try write(2, to: "g")
    #expect(mkfifo("\(folder.path)/g/pipe.json", 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/g/dangling.json", withDestinationPath: "nowhere")
    let command = try await report(["g"])
    #expect(command.status == 3 && command.errors == "coffer: g: 3 backups; 1 other left out (--include chooses)\n")
    #expect(Self.names(command) == ["g/100.json", "g/101.json", "g/dangling.json"])
    let name = Array("\(folder.path)/g/".utf8) + [0xFF] + Array(".json\0".utf8)
    let descriptor = name.withUnsafeBufferPointer {
      open(UnsafeRawPointer($0.baseAddress!).assumingMemoryBound(to: CChar.self), O_CREAT | O_WRONLY, 0o600)
    }
    try #require(descriptor >= 0)
    close(descriptor)
    let foreign = try await report(["g"])
    #expect(foreign.status == 3 && foreign.errors == "coffer: g: 1 name is not UTF-8: rename the files\n")
  }

  @Test func `hundreds of names are files wherever they are among the options`() async throws {
    let files = try write(150, to: "e")
    let expected = try await report(["--jobs", "1"] + files.prefix(90))
    #expect(Self.names(expected) == Array(files.prefix(90)))
    var arguments = Array(files[..<60])
    arguments += ["--max-findings", "7", "--jobs=2"]
    arguments += files[60..<140]
    arguments += ["--"]
    arguments += files[140...]
    let mixed = try await report(arguments)
    #expect(mixed.status == 1 && Self.names(mixed) == files)
    let wrong = try await report(files + ["--nonsense"])
    #expect(wrong.status == 2 && wrong.errors.contains("--nonsense"))
    let replaced = try await report(files + ["--output", "e/101.json"])
    #expect(replaced.status == 4)
    let nameless = try await report(files + [""])
    #expect(nameless.status == 2 && nameless.output.isEmpty && nameless.errors == "coffer: a file's name is empty\n")
    let twice = try await report(files + ["-", "-"])
    #expect(twice.status == 2 && twice.errors == "coffer: standard input can be read only once\n")
  }

  @Test func `verify and list give the listing of one thread`() async throws {
    for number in 0..<12 {
      _ = try await Command(
        ["generate", number % 2 == 0 ? "swiff" : "aquavate", "h\(number).json", "--size", "9kB", "--seed", "\(number)"],
        in: folder)
    }
    try FileManager.default.createDirectory(atPath: "\(folder.path)/h", withIntermediateDirectories: true)
    for number in 0..<36 {
      let text = try folder.text(of: "h\(number % 12).json")
      try folder.write(number % 5 == 4 ? String(text.prefix(8000)) : text, to: "h/\(number).json")
    }
    try folder.write("no backup", to: "h/README.md")
    for verb in ["verify", "list"] {
      // What the first run remembers, the second wouldn't read.
      try? FileManager.default.removeItem(atPath: "\(folder.path)/.cache")
      let single = try await Command([verb, "h", "--json", "--jobs", "1", "--now", "2026-11-01T00:00:00Z"], in: folder)
      try? FileManager.default.removeItem(atPath: "\(folder.path)/.cache")
      let shared = try await Command([verb, "h", "--json", "--jobs", "4", "--now", "2026-11-01T00:00:00Z"], in: folder)
      #expect(
        shared.output.replacing(/"seconds": ?[0-9.e-]+/, with: "") == single.output.replacing(/"seconds": ?[0-9.e-]+/, with: ""))
      #expect(shared.status == single.status && single.output.contains("truncated"))
    }
  }
}
