import ByteStreams
import Coffer
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

/// Each change to an archive gives exactly its findings.
@Suite struct ArchiveValidationTests {
  struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    let findings: [String]
    let change: @Sendable (SampleBackup) -> SampleBackup

    init(_ name: String, _ findings: String..., change: @escaping @Sendable (SampleBackup) -> SampleBackup) {
      self.name = name
      self.findings = findings
      self.change = change
    }

    var testDescription: String { name }
  }

  static let changes = [
    Change("no change") { $0 },
    Change("7: checksum", "checksum error /photoManifest/0/checksum") {
      $0.replacing("b928a5b3c6e42c86858cb2a08dcda35d", by: "ffffffffffffffffffffffffffffffff")
    },
    Change("8: fileSize", "size warning /photoManifest/1/fileSize") {
      $0.replacing("\"102_cake.jpg\", \"fileSize\": 18", by: "\"102_cake.jpg\", \"fileSize\": 999")
    },
    Change("fileSize 0, as iOS writes it") {
      $0.replacing("\"102_cake.jpg\", \"fileSize\": 18", by: "\"102_cake.jpg\", \"fileSize\": 0")
    },
    Change(
      "9: fileName", "consistency warning /photoManifest/1/zipEntryName", "file-missing error /photoManifest/1/fileName",
      "file-extra warning photos/102_cake.jpg"
    ) { $0.replacing("\"fileName\": \"102_cake.jpg\"", by: "\"fileName\": \"103_cake.jpg\"") },
    Change("a photo is missing", "file-missing error /photoManifest/1/fileName") { $0.removing("photos/102_cake.jpg") },
    Change("an extra photo", "file-extra warning photos/stray.jpg") { $0.adding("photos/stray.jpg") },
    Change("an entry that the format doesn't know", "file-extra note notes.txt") { $0.adding("notes.txt") },
    Change("the document has another name", "file-missing error metadata.json") {
      $0.renaming { $0 == "metadata.json" ? "meta.json" : $0 }
    },
    Change("a folder around everything", "dialect note backup_temp_1759415422000/") {
      $0.renaming { "backup_temp_1759415422000/" + $0 }
    },
    Change("entries next to that folder", "dialect note a/", "file-extra note b/1.jpg") {
      $0.renaming { "a/" + $0 }.adding("b/1.jpg")
    },
    Change("version 1, which is bare JSON", "dialect warning metadata.json") {
      var other = $0
      other.entries = [("metadata.json", Array(Self.versionOne.utf8))]
      return other
    },
    Change("the document comes last") { $0.reversed },
    Change("names that differ only in case", "duplicate-entry error photos/101_DUNE.jpg") { $0.adding("photos/101_DUNE.jpg") },
    Change("not a backup", "not-a-backup") { _ in
      var other = SampleBackup()
      other.entries = [("a.txt", [65])]
      return other
    },
    Change("an empty archive", "not-a-backup") { _ in
      var other = SampleBackup()
      other.entries = []
      return other
    },
    Change("another document with that name", "unknown-format") {
      var other = $0
      other.entries[0].bytes = Array("{\"categoriesCount\": 1, \"photosCount\": 2}".utf8)
      return other
    },
    Change("two documents", "not-a-backup") { $0.adding("backup_metadata.json", "{}") },
    Change("a document in gzip", "foreign-compression") {
      var other = $0
      other.entries[0].bytes = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0]
      return other
    },
    Change("a truncated document", "truncated") {
      var other = $0
      other.entries[0].bytes.removeLast(5)
      return other
    },
  ]

  private static let versionOne = """
    {
      "version": 1, "format": "JSON", "exportDate": 1759415422000, "appVersion": "1.0", "categories": [], "photos": [],
      "settings": {
        "isDarkMode": false,
        "securitySettings": {"hasPIN": false, "hasPattern": false, "kidSafeModeEnabled": true, "deleteProtectionEnabled": false}
      }
    }
    """

  @Test(arguments: changes) func `each change to an archive gives its findings and no others`(_ change: Change) throws {
    let backup = change.change(SampleBackup())
    for compresses in [false, true] {
      let archive = try backup.archive(compresses: compresses)
      #expect(SampleBackup.lines(of: try SampleBackup.report(archive)) == change.findings)
      #expect(try SampleBackup.report(archive, jobs: 1).findings == SampleBackup.report(archive, jobs: 5).findings)
    }
  }

  @Test func `an unsafe entry name is a finding, and validation continues`() throws {
    // The writer refuses such a name, so it is patched in, in both places.
    let archive = try SampleBackup().adding("aa_evil.txt").archive()
    let hostile = Self.replacing(Array("aa_evil.txt".utf8), by: Array("../evil.txt".utf8), in: archive)
    #expect(SampleBackup.lines(of: try SampleBackup.report(hostile)) == ["path-unsafe error ../evil.txt"])
  }

  @Test func `a wrong ZIP checksum is a single finding`() throws {
    var archive = try SampleBackup().archive()
    let place = try #require(archive.firstRange(of: Array("sample photo two".utf8))).lowerBound
    archive[place] ^= 1
    #expect(SampleBackup.lines(of: try SampleBackup.report(archive)) == ["zip-checksum error photos/102_cake.jpg"])
  }

  @Test func `exceeding the format's limits is a finding`() throws {
    var many = SampleBackup()
    for index in 0..<10_000 { many.entries.append(("photos/\(index).jpg", Array("more".utf8))) }
    let report = try SampleBackup.report(try many.archive())
    #expect(report.counts.byCode["limit"] == 1)
    #expect(report.counts.byCode["file-extra"] == 10_000)
    #expect(report.findings.count == 1000)
    #expect(
      report.container == ContainerSummary(kind: "zip", entries: 10_003, bytes: SampleBackup.metadata.utf8.count + 35 + 40_000))

    var packed = SampleBackup()
    packed.entries.append(("photos/zeros.jpg", [UInt8](repeating: 0, count: 1 << 20)))
    let findings = SampleBackup.lines(of: try SampleBackup.report(try packed.archive(compresses: true)))
    #expect(findings.sorted() == ["file-extra warning photos/zeros.jpg", "limit error photos/zeros.jpg"])
  }

  @Test func `an archive gives the same report as a file and as a stream`() throws {
    let folder = try TemporaryFolder()
    for change in Self.changes {
      let archive = try change.change(SampleBackup()).archive()
      try folder.write(archive, to: "backup.zip")
      let validator = Validator(.detected(.builtIn), options: ValidationOptions(now: SampleBackup.now))
      var report = try validator.validate(FileSource(path: folder.path.appending("backup.zip")), named: "backup.zip")
      var other = try SampleBackup.report(archive)
      (report.seconds, other.seconds) = (0, 0)
      #expect(report == other, "\(change.name)")
    }
  }

  @Test func `a file that is not an archive is validated as a document`() throws {
    let report = try SampleBackup.report(Array(SampleBackup.metadata.utf8))
    #expect(report.format == "smilepile")
    #expect(report.container == nil)
    // Outside of an archive there are no entries to check.
    #expect(report.counts.byCode["file-missing"] == nil)
  }

  private static func replacing(_ old: [UInt8], by new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for range in bytes.ranges(of: old) { bytes.replaceSubrange(range, with: new) }
    return bytes
  }
}
