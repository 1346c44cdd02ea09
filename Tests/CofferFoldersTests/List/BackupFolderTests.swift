import Coffer
import CofferFolders
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite struct BackupFolderTests {
  private let trips: TripFolder

  init() throws { trips = try TripFolder() }

  /// Names with states, newest first.
  private func states() throws -> [String] { try trips.backups().listing().backups.map { "\($0.name) \($0.validity.code)" } }

  private func others() throws -> [String] { try trips.backups().listing().others.map { "\($0.name) \($0.kind.rawValue)" } }

  @Test func `a listed backup has all its properties`() throws {
    try trips.write("any.json", daysAgo: 3)
    let listing = try trips.backups().listing()
    let backup = try #require(listing.backups.first)
    #expect(listing.backups.count == 1)
    #expect(backup.name == "any.json")
    #expect(backup.format == "trips")
    #expect(backup.version == 2)
    #expect(backup.created == .init(Instant(seconds: TripFolder.now.seconds - 3 * 86400), by: .document))
    #expect(backup.app == "1.0")
    #expect(backup.device == "phone")
    #expect(backup.counts.map { "\($0.title) \($0.pointer) \($0.count)" } == ["trips /trips 2"])
    #expect(backup.size == TripFolder.document(at: TripFolder.now).utf8.count)
    #expect(backup.isValid)
  }

  @Test func `the progress is that of all backups, and names the current one`() throws {
    try trips.write("a.json", daysAgo: 3)
    try trips.write("b.json", daysAgo: 2)
    try trips.folder.write("not read", to: "c.txt")
    let progress = WorkProgress()
    _ = try trips.backups(progress: progress).listing()
    let last = progress.snapshot
    #expect(last.byteCount == 2 * TripFolder.document(at: TripFolder.now).utf8.count)
    #expect(last.fraction == 1)
    #expect(last.records == 4)
    #expect(last.message == "b.json (2 of 2)")
  }

  @Test func `the date comes from the document, else the name, else the file`() throws {
    let touched = Instant(seconds: 1_770_000_000)
    for (name, at) in [
      ("trips_20260201_093000.json", #""at": "2026-01-01T00:00:00Z", "#), ("trips_20260202_093000.json", ""),
      ("trips_20260203_093000-2.json", #""at": "yesterday", "#), ("any.json", ""), ("trips_20260231_093000.json", ""),
    ] {
      try trips.folder.write(#"{"version": 2, \#(at)"trips": []}"#, to: name)
      try trips.touch(name, touched)
    }
    let dates = try trips.backups().listing().backups.sorted { $0.name < $1.name }.map {
      "\($0.created.instant) \($0.created.source)"
    }
    #expect(
      dates == [
        "2026-02-02T02:40:00Z file", "2026-01-01T00:00:00Z document", "2026-02-02T09:30:00Z name", "2026-02-03T09:30:00Z name",
        "2026-02-02T02:40:00Z file",
      ])
  }

  @Test(arguments: [
    (#"{"version": 2, "trips": []}"#, "valid"), (#"{"version": 2, "trips": [{}]}"#, "invalid"),
    (#"{"version": 3, "trips": []}"#, "newer-version"),
    (#"{"version": 2, "trips": ["#, "damaged"), ("", "damaged"), ("{}", "invalid"), ("no JSON", "damaged"), ("[1]", "invalid"),
    ("PK\u{3}\u{4}no archive", "damaged"),
  ])
  func `a file with the name of a backup is listed whatever its content`(_ content: String, _ state: String) throws {
    try trips.folder.write(content, to: "trips_20260201_093000.json")
    #expect(try states() == ["trips_20260201_093000.json \(state)"])
  }

  @Test(
    arguments: [
      (#"{"version": 2, "trips": []}"#, "valid"), (#"{"version": 2, "trips": [{}]}"#, "invalid"),
      (#"{"trips": [{"id": 1}, {"id"#, "damaged"),
    ])
  func `a file of any name is a backup if its content is`(_ content: String, _ state: String) throws {
    for name in ["any.json", "ANY.JSON", "any.json.lz4", "any.json.gz", "any.json.zst", "any.zip"] {
      let trips = try TripFolder()
      try trips.folder.write(content, to: name)
      let listing = try trips.backups().listing()
      #expect(listing.backups.map(\.validity.code) == [state])
      #expect(listing.others.isEmpty)
    }
  }

  /// The file may be a damaged backup.
  @Test(
    arguments: [
      ("", .damaged), ("no JSON", .damaged), (#"{"what": ["#, .damaged), ("PK\u{3}\u{4}no archive", .damaged),
      ("{}", .unknownFormat), ("null", .unknownFormat), (#"{"notes": [], "trips": []}"#, .ambiguous),
    ] as [(String, FolderListing.Other.Kind)])
  func `an unrestorable file with a backup's extension is lost`(_ content: String, _ kind: FolderListing.Other.Kind) throws {
    for name in ["any.json", "ANY.JSON", "any.json.lz4", "any.json.gz", "any.json.zst", "any.zip"] {
      let trips = try TripFolder()
      try trips.folder.write(content, to: name)
      let listing = try trips.backups().listing()
      #expect(listing.backups.isEmpty)
      #expect(listing.lost.map(\.kind) == [kind])
      #expect((listing.lost.first?.error != nil) == (kind == .damaged))
    }
  }

  @Test(
    arguments: [(#"{"bare": 1}"#, .file), (#"{"drinkRecords": [{"bottleLevelMl": 1}], "bottles": []}"#, .otherFormat)]
      as [(String, FolderListing.Other.Kind)])
  func `a file of another known format is not lost`(_ content: String, _ kind: FolderListing.Other.Kind) throws {
    try trips.folder.write(content, to: "any.json")
    let listing = try trips.backups().listing()
    #expect(listing.others.map(\.kind) == [kind])
    #expect(listing.lost.isEmpty)
  }

  @Test func `an invalid backup has its error count and first finding`() throws {
    try trips.folder.write(#"{"version": 2, "app": 1, "trips": [{"id": 1}, {"id": "x"}, {}]}"#, to: "any.json")
    guard case .invalid(let errors, let first) = try #require(trips.backups().listing().backups.first).validity else {
      Issue.record("the backup should be invalid")
      return
    }
    #expect(errors == 2)
    #expect(first?.place.pointer == "/trips/1/id")
  }

  /// A name that all files of a format share says nothing about a file.
  @Test func `a name without a date does not make a file a backup`() throws {
    try trips.folder.write("{}", to: "notes.json")
    #expect(try states() == [])
    try trips.folder.write(#"{"notes": ["x"]}"#, to: "notes.json")
    #expect(try states() == ["notes.json valid"])
  }

  @Test func `the name decides between formats that both match`() throws {
    try trips.folder.write(#"{"notes": [], "trips": []}"#, to: "any.json")
    #expect(try others() == ["any.json ambiguous-format"])
    try trips.folder.write(#"{"notes": [], "trips": []}"#, to: "trips_20260201_093000.json")
    #expect(try states() == ["trips_20260201_093000.json valid"])
  }

  @Test func `other files, folders and links are listed apart`() throws {
    let document = TripFolder.document(at: TripFolder.now)
    for name in [
      "a.json/b.json", "hidden/.x.json", ".hidden.json", "a.txt", "a.jsonl", "a.json.xz", "a.json.bak", "json", ".coffer-1-0.tmp",
      ".coffer-2-0.tmp/a.json",
    ] {
      try trips.folder.write(document, to: name)
    }
    try trips.write("real.json", daysAgo: 1)
    try trips.link("link.json", to: "real.json")
    try trips.link("lost.json", to: "nowhere")
    #expect(mkfifo(trips.folder.path.appending("pipe.json").string, 0o600) == 0)
    #expect(try states() == ["real.json valid"])
    #expect(
      try others() == [
        ".hidden.json file", "a.json folder", "a.json.bak file", "a.json.xz file", "a.jsonl file", "a.txt file", "hidden folder",
        "json file", "link.json symbolic-link", "lost.json symbolic-link", "pipe.json special",
      ])
  }

  @Test func `names that are not valid UTF-8 are counted`() throws {
    for byte in [0xFF, 0xFE] as [UInt8] {
      let path = Array(trips.folder.path.string.utf8) + [UInt8(ascii: "/"), byte] + Array(".json".utf8) + [0]
      let descriptor = path.withUnsafeBytes { bytes in
        bytes.bindMemory(to: CChar.self).baseAddress.map { open($0, O_CREAT | O_WRONLY, 0o600) } ?? -1
      }
      // Some systems refuse such names.
      if descriptor < 0 { return }
      close(descriptor)
    }
    let listing = try trips.backups().listing()
    #expect(listing.backups.isEmpty && listing.others.isEmpty)
    #expect(listing.unnamedCount == 2)
  }

  @Test(.enabled(if: geteuid() != 0, "root may read everything"))
  func `files without read permission are listed as unreadable`() throws {
    try trips.write("trips_20260201_093000.json", daysAgo: 1)
    try trips.write("any.json", daysAgo: 1)
    for name in ["trips_20260201_093000.json", "any.json"] { chmod(trips.folder.path.appending(name).string, 0) }
    #expect(try states() == ["trips_20260201_093000.json unreadable"])
    #expect(try others() == ["any.json unreadable"])
  }

  @Test func `the newest backup comes first`() throws {
    for (name, days) in [("c.json", 2), ("a.json", 1), ("b.json", 3)] as [(String, Int64)] {
      try trips.write(name, daysAgo: days)
    }
    #expect(try trips.backups().listing().backups.map(\.name) == ["a.json", "c.json", "b.json"])
  }

  @Test func `a missing folder is an error`() throws {
    let folder = BackupFolder(
      trips.folder.path.appending("none"), formats: try TripFolder.formats.get(), options: .init(now: TripFolder.now))
    #expect(try #require(throws: CofferError.self) { try folder.listing() }.code == .notFound)
    try trips.folder.write("", to: "file")
    let file = BackupFolder(
      trips.folder.path.appending("file"), formats: try TripFolder.formats.get(), options: .init(now: TripFolder.now))
    #expect(throws: CofferError.self) { try file.listing() }
  }

  @Test func `cancellation ends the listing`() throws {
    try trips.write("a.json", daysAgo: 1)
    let cancellation = Cancellation()
    cancellation.request()
    #expect(throws: CancellationError.self) { try trips.backups(cancellation: cancellation).listing() }
  }

  // MARK: What is restored

  @Test(arguments: [
    ([], "no backups"), (["v3", "v1", "v2"], "v1"),
    (["v-400", "i1", "d2", "n3", "u4", "v5", "i6"], "v5 after v-400 i1 d2 n3 u4"),
    (["i1", "d2"], "none valid"), (["v-400"], "none valid"), (["v1:b", "i2:a"], "several formats a b"),
  ])
  func `the newest valid backup of a single format is restored`(_ backups: [String], _ expected: String) {
    let listing = FolderListing(folder: "", backups: backups.map { RetentionPlanTests.backup($0) })
    let choice =
      switch listing.restoreChoice(at: RetentionPlanTests.now) {
      case .backup(let backup, let skipped): ([backup.name] + (skipped.isEmpty ? [] : ["after"]) + skipped.map(\.name))
      case .noBackups: ["no backups"]
      case .severalFormats(let formats): ["several formats"] + formats
      case .noneValid: ["none valid"]
      }
    #expect(choice.joined(separator: " ") == expected)
  }

  @Test func `each skipped backup has its reason`() throws {
    try trips.write("valid.json", daysAgo: 5)
    try trips.write("trips_20260620-part.json", daysAgo: 4)
    try trips.folder.write(
      #"{"version": 2, "at": "\#(Instant(seconds: TripFolder.now.seconds - 3600))", "trips": [{}]}"#, to: "invalid.json")
    try trips.write("future.json", daysAgo: -400)
    guard case .backup(let backup, let skipped) = try trips.backups().listing().restoreChoice(at: TripFolder.now) else {
      Issue.record("there is a valid backup")
      return
    }
    #expect(backup.name == "valid.json")
    #expect(
      skipped.map { "\($0.name): \($0.reason)" } == [
        "future.json: dated in the future", "invalid.json: invalid", "trips_20260620-part.json: a part of a backup",
      ])
  }

  // MARK: What is due

  @Test(arguments: [
    (["v3"], "4d", false), (["v3"], "3d", true), (["v3"], "2d", true), ([], "7d", true), (["i1", "d1", "v3"], "2d", true),
    (["i1", "v1"], "2d", false), (["v-9", "v3"], "2d", true), (["v0"], "0d", true), (["v1:b"], "7d", true),
    (["n1", "u1"], "7d", true),
    // A job that runs once a day must not skip a day.
    (["v1"], "1d", true),
  ])
  func `the newest valid backup decides whether the next is due`(_ backups: [String], _ age: String, _ isDue: Bool) throws {
    let listing = FolderListing(folder: "", backups: backups.map { RetentionPlanTests.backup($0) })
    let seconds = listing.secondsUntilDue(after: try #require(BackupAge(age)), of: "a", at: RetentionPlanTests.now)
    #expect((seconds == 0) == isDue)
  }

  @Test(arguments: [("7d", 3600), ("1d", 3600), ("12h", 1800), ("1h", 150)])
  func `a backup is due a little early`(_ age: String, _ tolerance: Int64) throws {
    let (now, age) = (RetentionPlanTests.now, try #require(BackupAge(age)))
    for (early, expected) in [(tolerance - 3, 0), (tolerance, 0), (tolerance + 1, 1), (tolerance + 70, 70)] {
      let made = Instant(seconds: age.before(now).seconds + early)
      let backup = ListedBackup(name: "a.json", format: "a", created: .init(made, by: .document), validity: .valid)
      #expect(FolderListing(folder: "", backups: [backup]).secondsUntilDue(after: age, at: now) == expected)
    }
  }
}
