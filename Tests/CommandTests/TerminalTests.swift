import Platform
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// The document and the messages as they appear together on a terminal.
@Suite struct TerminalTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write(#"{"cars": [{"id": 1}], "rest": []}"#, to: "a.json")
  }

  @Test(arguments: [
    (["convert", "--only", "cars", "a.json", "-", "--no-progress"], #"{"cars":[{"id":1}],"rest":[]}"# + "\nleft out: rest\n"),
    (["convert", "--collection", "/cars", "--to", "ndjson", "a.json", "-", "--no-progress"], "{\"id\":1}\n"),
    (["convert", "--collection", "/rest", "a.json", "-", "--no-progress"], "[]\n"),
    (["convert", "--collection", "/rest", "--to", "ndjson", "a.json", "-", "--no-progress"], ""),
  ])
  func `messages after a document begin on a new line`(arguments: [String], text: String) async throws {
    #expect(try await shown(arguments) == text)
  }

  @Test func `a list fits a terminal of 80 columns, and is whole in a pipe`() async throws {
    for number in 1...2 {
      let name = "ev_charging_tracker_backup_2026-07-0\(number)_12-00-00.json"
      _ = try await Command("generate", "ev-charging-tracker", name, "--size", "20kB", "--seed", "\(number)", in: folder)
    }
    try folder.write("", to: "ev_charging_tracker_backup_2026-07-03_12-00-00.json")
    let arguments = ["list", ".", "--rules", "ev-charging-tracker", "--now", "2026-07-10T00:00:00Z", "--no-progress"]
    let table = try await shown(arguments).split(separator: "\n").prefix {
      $0.hasPrefix("  ") && !$0.hasPrefix("  ev_charging_tracker")
    }
    #expect(table.count == 4, "\(table)")
    for line in table { #expect(line.count <= 80, "\(line)") }
    #expect(table[0].contains(/^\ +name +created +size +state +holds/), "\(table[0])")
    #expect(table[2].contains(/ev_chargin….*2026-07-0\d_12-00-00.json +2026-06-28 .*kB +valid +cars 3/), "\(table[2])")
    let wide = try await shown(arguments, columns: 120).split(separator: "\n")[2]
    #expect(wide.contains(/backup_2026-07-0\d_12-00-00.json +2026-06-28T\d\d:\d\d:\d\dZ .*kB +valid .*cars 3/), "\(wide)")
    let piped = try await Command(spawning: arguments, in: folder)
    #expect(!piped.output.contains("…"))
    #expect(piped.output.contains("sample-phone.local  cars 3, expenses 5"), "\(piped.output)")
  }

  @Test func `tables and descriptions fit a terminal of 80 columns, and are whole in a pipe`() async throws {
    for number in 1...2 {
      let name = "ev_charging_tracker_backup_2026-07-0\(number)_12-00-00.json"
      _ = try await Command("generate", "ev-charging-tracker", name, "--size", "20kB", "--seed", "\(number)", in: folder)
    }
    let last = "ev_charging_tracker_backup_2026-07-02_12-00-00.json"
    for arguments in [
      ["inspect", last, "--no-progress"],
      ["prune", ".", "--keep-daily", "2", "--keep-monthly", "3", "--dry-run", "--no-progress"],
      ["delete", last, "--dry-run", "--no-progress"],
      ["formats"], ["formats", "smilepile"], ["formats", "swiff"], ["generate", "--list-defects", "swiff"],
      ["rules", "explain"],
    ] {
      let text = try await shown(arguments)
      let long = text.split(separator: "\n").filter { $0.count > 80 && $0.contains(" ") }
      // Patterns, and names in lists of alternatives, have no place to break.
      #expect(long.allSatisfy { $0.contains("[0-9]") }, "\(arguments): \(long)")
      let piped = try await Command(spawning: arguments, in: folder).output
      #expect(piped.split(separator: "\n").contains { $0.count > 80 }, "\(arguments): \(piped)")
      #expect(!piped.contains("…"))
    }
  }

  @Test func `a page about a keyword fits a terminal of 80 columns, apart from its examples`() async throws {
    let (shown, piped) = (
      try await shown(["rules", "explain", "foreignKeys"]), try await Command("rules", "explain", "foreignKeys").output
    )
    let long = shown.split(separator: "\n").filter { $0.count > 80 && !$0.hasPrefix("    ") }
    #expect(long == [])
    #expect(shown.split(separator: "\n").contains("- `reference` as a list: the record is in one of these collections"))
    #expect(shown.split(whereSeparator: \.isWhitespace) == piped.split(whereSeparator: \.isWhitespace))
  }

  @Test func `a terminal shows the lines of findings, unless values are left out`() async throws {
    try folder.write(
      #"{"properties": {"cars": {"primaryKey": "id", "items": {"properties": {"id": {"maximum": 5}}}}}}"#, to: "rules.json")
    try folder.write("{\"cars\": [\n  {\"id\": 12}\n]}", to: "b.json")
    let arguments = ["validate", "--rules", "rules.json", "b.json", "--no-progress", "--color", "never"]
    let text = try await shown(arguments)
    #expect(
      text.hasPrefix(
        """
        b.json:2:10: error: expected at most 5, found 12 [maximum]
            2 |   {"id": 12}
              |          ^^
            /cars/0/id, byte 20, key 12
            rule /properties/cars/items/properties/id/maximum
        b.json: 1 error (rules.json)

        """), "\(text)")
    let piped = try await Command(spawning: arguments, in: folder).output
    #expect(
      piped.hasPrefix("b.json:2:10: error: expected at most 5, found 12 [maximum]\n    /cars/0/id, byte 20\nb.json: "), "\(piped)"
    )
    #expect(try await !shown(arguments + ["--redact"]).contains(" | "))
    _ = try await Command("compress", "b.json", "b.json.lz4", in: folder)
    #expect(try await !shown(["validate", "--rules", "rules.json", "b.json.lz4", "--no-progress"]).contains(" | "))
    try folder.write("{\"cars\": [\n  {\"id\": 1,}\n]}", to: "c.json")
    let broken = try await shown(["validate", "--rules", "rules.json", "c.json", "--no-progress", "--color", "never"])
    #expect(
      broken.hasPrefix(
        """
        c.json:2:12: error: JSON doesn't allow a comma before '}' [syntax], byte 22
            2 |   {"id": 1,}
              |            ^

        """), "\(broken)")
  }

  /// Longer than the delay of the progress line.
  private static let thinking = Duration.seconds(1)

  @Test func `no progress is drawn while a question waits`() async throws {
    let trips = try TripsFolder()
    _ = try await trips.run("import", "a.json", "--into", "x.db")
    let path = trips.folder.path
    let answer = try await answered(
      "n", ["import", "b.json", "--into", "x.db", "--mode", "replace"] + TripsFolder.rules, in: path)
    // The terminal echoes the answer.
    #expect(answer.hasPrefix("n\r\n"), "\(answer)")
    #expect(answer.contains("nothing was replaced"))
  }

  @Test func `prune asks before it removes`() async throws {
    let folder = try BackupFolder.mixed()
    let all = try folder.names
    let arguments = ["prune", "backups", "--rules", "trips.json", "--now", "2026-06-10T12:00:00Z", "--keep-last", "5"]
    let no = try await answered("n", arguments, in: folder.folder.path, after: .zero)
    #expect(no.contains("nothing removed"), "\(no)")
    #expect(try folder.names == all)
    let yes = try await answered("y", arguments, in: folder.folder.path, after: .zero)
    #expect(yes.contains("1 removed"), "\(yes)")
    #expect(try folder.names.count == all.count - 1)
    let forced = try await shown(arguments.dropLast() + ["4", "--force", "--no-progress"], in: folder.folder.path)
    #expect(forced.contains("1 removed") && !forced.contains("[y/N]"), "\(forced)")
  }

  /// Answers the command's question on a terminal, and returns the text from then on.
  private func answered(
    _ answer: String, _ arguments: [String], in path: FilePath, after pause: Duration = Self.thinking
  ) async throws -> String {
    try await withTaskExecutorPreference(DedicatedExecutor()) {
      var (first, second): (Int32, Int32) = (-1, -1)
      try #require(openpty(&first, &second, nil, nil, nil) == 0)
      let (screen, terminal) = (FileDescriptor(rawValue: first), FileDescriptor(rawValue: second))
      defer { try? screen.close() }
      defer { try? terminal.close() }
      async let run = Subprocess.run(
        .path(.init(Command.path)), arguments: Arguments(arguments), workingDirectory: path,
        input: .fileDescriptor(terminal, closeAfterSpawningProcess: false),
        output: .fileDescriptor(terminal, closeAfterSpawningProcess: false),
        error: .fileDescriptor(terminal, closeAfterSpawningProcess: false))
      _ = try screen.text(upTo: "[y/N] ")
      try await Task.sleep(for: pause)
      try screen.writeAll("\(answer)\n".utf8)
      _ = try await run
      try terminal.writeAll(".end.".utf8)
      return try screen.text(upTo: ".end.")
    }
  }

  /// Runs the command on its own terminal and returns the text on it. On a slow machine that includes progress, without
  /// `--no-progress`.
  private func shown(_ arguments: [String], in path: FilePath? = nil, columns: UInt16? = nil) async throws -> String {
    var (first, second): (Int32, Int32) = (-1, -1)
    try #require(openpty(&first, &second, nil, nil, nil) == 0)
    if let columns {
      var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
      try #require(ioctl(second, UInt(TIOCSWINSZ), &size) == 0)
    }
    let (screen, terminal) = (FileDescriptor(rawValue: first), FileDescriptor(rawValue: second))
    // Kept open, because unread text is lost when the last writer closes the terminal.
    defer {
      try? terminal.close()
      try? screen.close()
    }
    let input = try FileDescriptor.open("/dev/null", .readOnly)
    defer { try? input.close() }
    let end = ".end."
    return try await withTaskExecutorPreference(DedicatedExecutor()) {
      // Read while the command runs, because a terminal holds only a few kilobytes.
      async let text = screen.text(upTo: end)
      _ = try await Subprocess.run(
        .path(.init(Command.path)), arguments: Arguments(arguments), workingDirectory: path ?? folder.path,
        input: .fileDescriptor(input, closeAfterSpawningProcess: false),
        output: .fileDescriptor(terminal, closeAfterSpawningProcess: false),
        error: .fileDescriptor(terminal, closeAfterSpawningProcess: false))
      try terminal.writeAll(end.utf8)
      return String(try await text.dropLast(end.count).filter { $0 != "\r" }.map { $0 == "\r\n" ? "\n" : $0 })
    }
  }
}

extension FileDescriptor {
  func text(upTo end: String) throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: bytes, as: UTF8.self).contains(end) {
      let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
