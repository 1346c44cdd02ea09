import Foundation
import TestSupport
import Testing

/// Which verb has which of the options that several verbs share, and that each means the same everywhere.
@Suite struct OptionTableTests {
  private static let options = [
    "json", "output", "report", "quiet", "summary", "rules", "map", "input-format", "only", "now", "jobs", "memory-limit",
    "progress",
    "color", "force", "dry-run", "log", "max-findings", "redact", "refs", "each", "no-config",
  ]

  /// x: has it; a letter: hasn't it, for the reason below; blank: it wouldn't make sense.
  ///
  /// - o: the document itself is the output; its summary is a line.
  /// - f: the format decides; JSON Lines have none.
  /// - n: it never replaces or removes anything.
  private static let table = """
                   json output report quiet summary rules map input-format only now jobs memory-limit progress color force dry-run log max-findings redact refs each no-config
    init                                                                            x    x            x              x
    validate       x    x      x      x     x       x     x   x            x    x   x    x            x        x     n             x   x            x      x    x    x
    split plan          x                           x     x   x            x    x   x    x            x              n                 x            x      x    x    x
    split scan          x                                     x                                       x              n
    report render  x    x      x      x     x       x     x                                                    x     n                                     x         x
    report merge   x    x      x      x     x                                       x                 x        x     n
    report keys         x                                                                             x              n
    inspect        x    x      x                    x     x   x            x    x   x    x            x        x     n                                     x         x
    convert        x    o             x             x     x   x            x        x                 x              x                                     x         x
    migrate        x    o             x             x     x   f                 x   x                 x              x                                     x         x
    compress       x    o             x                                             x                 x              x
    decompress     x    o             x                                             x                 x              x
    pack           x    o             x             x     x   f                 x   x    x            x              x                                     x         x
    unpack         x    o             x                                                               x              n
    diff           x    x      x            x       x     x   x            x        x    x            x        x     n                                     x         x
    merge          x    o             x             x     x   x            x        x    x            x              x     x                               x         x
    recover        x    x      x                    x     x   x                 x   x    x            x        x     x     x           x            x      x         x
    generate       x    o             x             x     x                                           x              x                                     x         x
    import         x                  x             x     x   f            x    x   x    x            x              x     x       x                       x         x
    export         x    o             x             x     x   f            x    x   x                 x              x             x                       x         x
    query                                           x     x   x            x    x   x    x            x              n                                     x         x
    backup         x                  x             x     x                x    x   x    x            x              n             x                       x         x
    restore        x                  x             x     x   f            x    x   x    x            x              x     x       x                       x         x
    bench          x    x      x                    x     x                     x   x                 x        x                                           x         x
    list           x    x      x                    x     x                     x   x    x            x        x     n                                     x         x
    verify         x    x      x      x     x       x     x                     x   x    x            x        x     n             x   x            x      x         x
    prune          x                  x             x     x                     x   x    x            x              x     x       x                       x         x
    delete         x                  x             x     x                     x   x    x            x              x     x       x                       x         x
    formats        x                                      x                                                                                                x         x
    rules check    x    x      x      x     x             x                                                    x     n                 x                   x         x
    rules test     x    x      x      x     x             x   x                 x   x    x            x        x     n                 x            x      x         x
    rules draft    x    x             x                   x   x                 x   x    x            x              x                                     x         x
    rules explain  x
    """

  private struct Command: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable { let kind, name: String }

      let names: [Name]?
      let abstract: String?
    }

    let commandName: String
    let shouldDisplay: Bool
    let subcommands: [Command]?
    let arguments: [Argument]?

    /// Help texts by verb and option.
    func texts(_ path: [String] = []) -> [String: [String: String]] {
      let named = (arguments ?? []).flatMap { argument in
        (argument.names ?? []).filter { $0.kind == "long" }.map { ($0.name, argument.abstract ?? "") }
      }
      var result = [path.joined(separator: " "): Dictionary(named) { first, _ in first }]
      for command in subcommands ?? [] where command.shouldDisplay && command.commandName != "help" {
        result.merge(command.texts(path + [command.commandName])) { first, _ in first }
      }
      if subcommands?.isEmpty == false { result[path.joined(separator: " ")] = nil }
      return result
    }
  }

  private func texts() async throws -> [String: [String: String]] {
    struct Dump: Decodable { let command: Command }
    let run = try await CommandTests.Command("--experimental-dump-help")
    return try JSONDecoder().decode(Dump.self, from: Data(run.output.utf8)).command.texts()
  }

  @Test func `each verb has the options of the table`() async throws {
    let texts = try await texts()
    let lines = Self.table.split(separator: "\n").map(String.init)
    let header = lines[0]
    var columns: [(name: String, start: Int)] = []
    for name in Self.options {
      // A name may be a part of another one.
      let range = try #require(" \(header) ".range(of: " \(name) "))
      columns.append((name, header.distance(from: header.startIndex, to: range.lowerBound)))
    }
    #expect(Set(lines.dropFirst().map(Self.verb)) == Set(texts.keys))
    for line in lines.dropFirst() {
      let cells = Array(line)
      for column in columns {
        let mark: Character = column.start < cells.count ? cells[column.start] : " "
        let has = texts[Self.verb(line)]?[column.name] != nil
        #expect(has == (mark == "x"), "\(Self.verb(line)) --\(column.name)")
      }
    }
  }

  private static func verb(_ line: String) -> String {
    String(line.prefix(15)).trimmingCharacters(in: .whitespaces)
  }

  /// A verb may restrict a choice (the formats of its reports), and says what it writes, and what it replaces without asking.
  @Test func `an option means the same in every verb`() async throws {
    let texts = try await texts()
    for option in Self.options where !["output", "force", "dry-run", "rules", "input-format", "jobs"].contains(option) {
      let meanings = Set(texts.values.compactMap { $0[option] })
      #expect(meanings.count == 1, "--\(option): \(meanings.sorted())")
    }
  }

  @Test(arguments: [
    ("inspect - --rules -", "standard input can be read only once"),
    ("prune - --keep-last 1 --rules -", "standard input can be read only once"),
    ("report keys - --plan - --bucket 0 --output o", "standard input can be read only once"),
    ("bench a.json --output a.svg --svg a.svg", "two reports would be written to a.svg"),
  ])
  func `files that exclude each other are a wrong usage of every verb`(_ line: String, _ complaint: String) async throws {
    let folder = try TemporaryFolder()
    let arguments: [String] = line.split(separator: " ").map { String($0) }
    let run = try await CommandTests.Command(arguments, in: folder)
    #expect(run.status == 2 && run.output == "")
    #expect(run.errors.hasPrefix("coffer: \(complaint)\nUsage: coffer "), "\(run.errors)")
  }
}
