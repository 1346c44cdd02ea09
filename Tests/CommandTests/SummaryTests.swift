import Foundation
import TestSupport
import Testing

/// The summaries of commands that write something: text, JSON, or nothing.
@Suite struct SummaryTests {
  let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"a": [1, 2]}"#, to: "a.json")
    #expect(try await Command("generate", "smilepile", "s.zip", "--size", "3kB", "--quiet", in: folder).errors == "")
    #expect(try await Command("compress", "a.json", "c.lz4", "--quiet", in: folder).errors == "")
  }

  @Test(
    arguments: [
      (["convert", "a.json", "out"], #"{"formatVersion":1,"file":"out","bytes":13,"leftOut":[],"danglingReferences":[]}"#),
      (["compress", "a.json", "out"], #"{"formatVersion":1,"file":"out","bytes":13,"compressedBytes":115}"#),
      (["decompress", "c.lz4", "out"], #"{"formatVersion":1,"file":"out","bytes":13,"compressedBytes":115}"#),
      (["unpack", "s.zip", "out"], #"{"formatVersion":1,"file":"out","files":7,"bytes":5561}"#),
      (
        ["generate", "swiff", "out", "--size", "1kB", "--seed", "9"],
        #"{"formatVersion":1,"file":"out","bytes":15068,"records":15,"defects":0,"seed":9}"#
      ),
    ] as [([String], String)])
  func `a command that writes something says so as JSON, or not at all`(arguments: [String], json: String) async throws {
    let quiet = try await Command(arguments.map { $0 == "out" ? "quiet" : $0 } + ["--quiet"], in: folder)
    #expect(quiet.status == 0 && quiet.output + quiet.errors == "")
    let run = try await Command(arguments + ["--json"], in: folder)
    #expect(run.status == 0 && run.errors == "")
    func members(_ text: String) throws -> NSDictionary {
      try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSDictionary)
    }
    #expect(try members(run.output) == members(json), "\(run.output)")
    let both = try await Command(arguments + ["--json", "--quiet"], in: folder)
    #expect(both.status == 2)
  }

  @Test(arguments: [["convert", "a.json", "-"], ["compress", "a.json", "-"], ["generate", "swiff", "-"]])
  func `a report as JSON and a document can't both go to standard output`(arguments: [String]) async throws {
    let run = try await Command(arguments + ["--json"], in: folder)
    #expect(run.status == 2 && run.output == "")
  }

  @Test func `quiet imports, exports and prunings print nothing`() async throws {
    let steps = [
      "generate ev-charging-tracker e.json --size 2kB", "import e.json --into e.db",
      "import e.json --into e.db --mode merge --on-conflict keep-newest", "export e.db e2.json",
      "backup e.db --into backups", "prune backups --keep-last 1", "validate e.json", "verify backups",
    ]
    for step in steps {
      let run = try await Command(step.split(separator: " ").map(String.init) + ["--quiet"], in: folder)
      #expect(run.status == 0 && run.output + run.errors == "", "\(step): \(run.output)\(run.errors)")
    }
  }

  @Test(arguments: ["validat", "Validate", "valdiate"])
  func `a misspelt command gets a suggestion`(word: String) async throws {
    let run = try await Command(word, "a.json", in: folder)
    #expect(run.status == 2)
    #expect(run.errors == "coffer: there is no command 'coffer \(word)'; did you mean 'validate'?\n")
    #expect(try await Command("rules", "chek", in: folder).errors.hasSuffix("did you mean 'check'?\n"))
    let unlike = try await Command("frobnicate", in: folder)
    #expect(unlike.errors == "coffer: there is no command 'coffer frobnicate'; see 'coffer --help'\n")
  }
}
