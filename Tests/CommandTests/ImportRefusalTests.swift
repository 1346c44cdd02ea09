import Foundation
import SystemPackage
import TestSupport
import Testing

/// If a backup can't be imported or exported, there is a message and nothing has changed.
@Suite struct ImportRefusalTests {
  private let trips: TripsFolder

  init() async throws {
    trips = try TripsFolder()
    _ = try await trips.run("import", "a.json", "--into", "x.db")
  }

  private func expect(_ run: Command, _ status: Int32, _ message: String, _ location: SourceLocation = #_sourceLocation)
    async throws
  {
    #expect(run.status == status, "\(run.errors)", sourceLocation: location)
    #expect(run.errors.contains(message), "\(run.errors)", sourceLocation: location)
    #expect(run.output == "", sourceLocation: location)
    #expect(
      try await trips.run("export", "x.db", "-").output == trips.folder.text(of: "a.json"), sourceLocation: location)
    #expect(try trips.folder.names.filter { $0.hasPrefix(".") || $0.contains("before-import") } == [], sourceLocation: location)
  }

  @Test(arguments: [
    // Malformed or truncated, with the place.
    (#"{"trips":[{"id":1]}"#, 3, "coffer: bad.json:1:18: "),
    (#"{"trips":[{"id":1}"#, 3, "coffer: bad.json:1:"),
    ("", 3, "coffer: bad.json:"),
    // Incompatible: newer, too old, or with an invalid version.
    (#"{"version":3,"trips":[]}"#, 4, "coffer: bad.json: version 3 of 'trips' is newer than 2, the newest that Coffer knows"),
    (#"{"version":0,"trips":[]}"#, 4, "older than 1, the oldest that Coffer knows"),
    (#"{"version":"two","trips":[]}"#, 4, "version"),
    // Invalid, with the finding.
    (#"{"trips":[{"id":1,"km":-5}]}"#, 1, "bad.json: 1 finding of severity error: nothing was imported"),
    (#"{"trips":[{"id":1},{"id":1}]}"#, 1, "/trips/1"),
  ])
  func `a broken, incompatible or invalid backup is refused`(_ text: String, status: Int32, message: String) async throws {
    try trips.folder.write(text, to: "bad.json")
    for mode in [["--mode", "merge"], ["--mode", "replace", "--force"]] {
      try await expect(
        try await Command(["import", "bad.json", "--into", "x.db"] + mode + TripsFolder.rules, in: trips.folder), status, message)
    }
  }

  @Test func `a backup of another format is refused`() async throws {
    _ = try await Command("generate", "keeptrack", "other.json", "--size", "2KB", in: trips.folder)
    try await expect(
      try await Command("import", "other.json", "--into", "x.db", "--mode", "replace", "--force", in: trips.folder), 4,
      "the database holds a backup of 'trips', but this one is of 'keeptrack'")
  }

  @Test func `a document that is not of the database's format is refused`() async throws {
    try trips.folder.write(#"{"what":[]}"#, to: "bad.json")
    try await expect(
      try await Command("import", "bad.json", "--into", "x.db", in: trips.folder), 4,
      "coffer: bad.json: unknown format; name one with --rules")
  }

  /// The missing part may be what the format is detected by.
  @Test(arguments: [
    (#"{"metadata":{"created"#, "bad.json:1:"), ("", "bad.json:1:1: "), ("   ", "bad.json:1:"), ("\u{0}\u{1}", "bad.json:1:1: "),
    (#"{"what":[}"#, "bad.json:1:10: "),
  ])
  func `unreadable input has status 3 and its place, whatever its format`(text: String, place: String) async throws {
    try trips.folder.write(text, to: "bad.json")
    for arguments in [[], ["--dry-run"]] {
      try await expect(
        try await Command(["import", "bad.json", "--into", "x.db"] + arguments, in: trips.folder), 3, "coffer: \(place)")
    }
  }

  @Test func `a missing backup or database is an error`() async throws {
    try await expect(try await trips.run("import", "none.json", "--into", "x.db"), 3, "none.json: no such file or directory")
    try await expect(try await trips.run("export", "none.db", "-"), 3, "none.db: no such file or directory")
  }

  @Test func `a file that is not a database is refused`() async throws {
    try trips.folder.write("this is not a database, though it is long enough to look like one for a moment", to: "no.db")
    try await expect(try await trips.run("import", "b.json", "--into", "no.db"), 3, "no.db: not a SQLite database")
    try await expect(try await trips.run("export", "no.db", "-"), 3, "no.db: not a SQLite database")
    try await expect(try await trips.run("import", "b.json", "--into", "."), 3, "so it can't be a database")
    try await expect(try await trips.run("import", "b.json", "--into", "none/x.db"), 3, "there is no folder none")
  }

  /// The database refuses the last record, and the import is rolled back.
  @Test func `a row that the database refuses rolls the import back`() async throws {
    try await sqlite("CREATE TRIGGER t BEFORE INSERT ON trips WHEN new.id = 3 BEGIN SELECT RAISE(ABORT, 'not three'); END")
    try await expect(
      try await trips.run("import", "b.json", "--into", "x.db"), 4, "x.db: a constraint of the database rejects a row (not three)"
    )
  }

  @Test func `a damaged database is an error`() async throws {
    let path = URL(fileURLWithPath: trips.folder.path.appending("x.db").string)
    var bytes = try Data(contentsOf: path)
    let sound = bytes
    for index in 4096..<bytes.count where index.isMultiple(of: 7) { bytes[index] = 0xA5 }
    try bytes.write(to: path)
    let run = try await trips.run("import", "b.json", "--into", "x.db")
    let export = try await trips.run("export", "x.db", "out.json")
    try sound.write(to: path)
    try await expect(run, 3, "damaged")
    try await expect(export, 3, "damaged")
    #expect(try !trips.folder.names.contains("out.json"))
  }

  @Test(arguments: [["import", "b.json", "--into", "x.db"], ["import", "b.json", "--into", "new.db"]])
  func `a full disk is reported and leaves the database unchanged`(_ arguments: [String]) async throws {
    try trips.folder.write(
      #"{"trips":[\#((1...4000).map { #"{"id":\#($0),"km":\#($0).5}"# }.joined(separator: ","))]}"#, to: "b.json")
    // A limit on the size of files has the same effect as a full disk.
    try await expect(try await limited("ulimit -f 64", arguments + TripsFolder.rules), 4, "the disk is full")
    #expect(try !trips.folder.names.contains("new.db"))
  }

  @Test func `a folder without write permission is an error`() async throws {
    let name = trips.folder.path.string
    try await shell("chmod a+rx '\(name)' && chmod a-w '\(name)'")
    let run = try await unprivileged(["import", "b.json", "--into", "new.db"] + TripsFolder.rules)
    try await shell("chmod u+w '\(name)'")
    if let run { try await expect(run, 3, "ermission denied") }
  }

  // MARK: Programs

  private func shell(_ script: String) async throws {
    let run = try await Command(script: script, in: trips.folder)
    #expect(run.status == 0, "\(run.errors)")
  }

  private func sqlite(_ sql: String) async throws { try await shell("sqlite3 x.db \"\(sql)\"") }

  private func limited(_ limit: String, _ arguments: [String]) async throws -> Command {
    let words = ([Command.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    return try await Command(script: "\(limit); exec \(words)", in: trips.folder)
  }

  /// Runs the command as another user if this is the superuser, who may write anywhere; `nil` if that is impossible.
  private func unprivileged(_ arguments: [String]) async throws -> Command? {
    if getuid() != 0 { return try await Command(arguments, in: trips.folder) }
    let probe = try await Command(
      script: "setpriv --reuid=65534 --clear-groups true && test -x '\(Command.path)'", in: trips.folder)
    let words = ([Command.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    guard probe.status == 0 else { return nil }
    let run = try await Command(script: "exec setpriv --reuid=65534 --clear-groups \(words)", in: trips.folder)
    // The other user may not be allowed to run the command.
    return run.status == 126 || run.status == 127 || run.errors.contains("setpriv") ? nil : run
  }

  /// `import` has no --max-findings.
  @Test func `findings that are not shown are only counted`() async throws {
    let records = Array(repeating: #"{"id":1}"#, count: 1202).joined(separator: ",")
    try trips.folder.write(#"{"trips":[\#(records)]}"#, to: "bad.json")
    let run = try await trips.run("import", "bad.json", "--into", "x.db")
    #expect(run.status == 1)
    #expect(run.errors.contains("\n  201 findings not shown\n"))
    #expect(!run.errors.contains("--max-findings"))
  }
}
