import Foundation
import TestSupport
import Testing

/// An option that keeps one value is refused if it is given twice: otherwise an input or output would be dropped without a word.
@Suite struct RepeatedOptionTests {
  private struct Verb: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable { let kind, name: String }

      let kind: String
      let names: [Name]?
      let isRepeating: Bool
    }

    let commandName: String
    let subcommands: [Verb]?
    let arguments: [Argument]?

    /// All options with values, by verb.
    func options(_ path: [String] = []) -> [(verb: [String], name: String, isRepeating: Bool)] {
      let own = (arguments ?? []).filter { $0.kind == "option" }.flatMap { argument in
        (argument.names ?? []).map { (path, "--" + $0.name, argument.isRepeating) }
      }
      return own + (subcommands ?? []).flatMap { $0.options(path + [$0.commandName]) }
    }
  }

  @Test func `each option is repeatable or refused`() async throws {
    struct Dump: Decodable { let command: Verb }
    let dump = try await Command("--experimental-dump-help")
    let options = try JSONDecoder().decode(Dump.self, from: Data(dump.output.utf8)).command.options()
    #expect(options.count > 150)
    var refused: Set<String> = []
    var tried: Set<String> = []
    // Each name, and an option of each verb: all of them would take a minute.
    for option in options where tried.insert(option.name).inserted || tried.insert(option.verb.joined(separator: " ")).inserted {
      let run = try await Command(option.verb + [option.name, "a", "\(option.name)=b"])
      let isRefused = run.errors == "coffer: \(option.name) is given twice, but takes one value\n"
      #expect(isRefused != option.isRepeating, "\(option.verb) \(option.name): \(run.errors)")
      if isRefused {
        #expect(run.status == 2)
        refused.insert(option.name)
      }
    }
    #expect(refused.isSuperset(of: ["--rules", "--output", "--baseline", "--into", "--now", "--refs", "--each", "--jobs"]))
  }

  @Test func `no file is written, and none is read`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("{}", to: "a.json")
    try folder.write("true", to: "x.json")
    try folder.write("false", to: "y.json")
    let run = try await Command("validate", "--rules", "x.json", "a.json", "--rules", "y.json", in: folder)
    #expect(run.status == 2)
    #expect(run.errors == "coffer: --rules is given twice, but takes one value\n")
    let copy = try await Command("convert", "a.json", "--output-format=json", "b.json", "--output-format", "text", in: folder)
    #expect(copy.status == 2)
    #expect(try folder.names.sorted() == ["a.json", "x.json", "y.json"])
  }

  /// A flag has no value to drop, and what follows `--` is the name of a file.
  @Test func `flags and file names may repeat`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("{}", to: "--rules")
    let run = try await Command("validate", "--syntax-only", "--syntax-only", "--", "--rules", "--rules", in: folder)
    #expect(run.status == 0, "\(run.errors)")
  }
}
