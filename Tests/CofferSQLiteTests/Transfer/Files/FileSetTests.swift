import ByteStreams
import Coffer
import Foundation
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

@testable import CofferSQLite

/// Imported files become sets, which later imports replace or extend.
@Suite struct FileSetTests {
  let folder: TemporaryFolder
  let sets: FileSets

  init() throws {
    folder = try TemporaryFolder()
    sets = FileSets(ofDatabase: folder.path.appending("backup.db"))
  }

  /// Stages and commits like an import, and checks that the result equals the preview.
  private func use(
    _ sample: ArchiveSample, _ combination: FileCombination = .replacing, over current: String? = nil
  ) throws -> (set: String?, changes: DatabaseImportReport.FileChanges) {
    let preview = try sets.preview(sample.archive(), combination, current: current)
    let staged = try sets.stage(sample.archive(), combination, current: current)
    staged.commit()
    #expect(staged.changes == preview)
    return (staged.name, staged.changes)
  }

  private func files(of set: String?) throws -> [String: String] {
    guard let set else { return [:] }
    return try folder.files(below: sets.folder(of: set))
  }

  private func inode(_ set: String, _ name: String) throws -> Int {
    let path = try sets.folder(of: set).appending(name).string
    return try #require(FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
  }

  // MARK: What a set holds

  @Test func `a set has all files of the archive except the document`() throws {
    let sample: ArchiveSample = .init(["photos/a.jpg": "a", "photos/deep/b.jpg": "b", "notes.txt": "n", "photos/none.jpg": ""])
    let used = try use(sample)
    #expect(
      try files(of: used.set) == ["photos/a.jpg": "a", "photos/deep/b.jpg": "b", "notes.txt": "n", "photos/none.jpg": ""])
    #expect(used.changes.added == 4)
    #expect(try folder.names == ["backup.db.files"])
  }

  @Test func `the common top folder of the archive is omitted`() throws {
    let sample = ArchiveSample(["photos/a.jpg": "a", "__MACOSX/photos/._a.jpg": "x"], below: "backup_temp_1759415422000/")
    #expect(try files(of: use(sample).set) == ["photos/a.jpg": "a"])
  }

  @Test func `an archive without files makes no set`() throws {
    let first = try use(ArchiveSample([:]))
    #expect(first.set == nil)
    #expect(try folder.names == [])
    let second = try use(ArchiveSample(["photos/a.jpg": "a"]))
    #expect(try use(ArchiveSample([:]), over: second.set).set == nil)
    #expect(try use(ArchiveSample([:]), .takingImported, over: second.set).set == second.set)
  }

  @Test func `the folder is named after the target of a link`() throws {
    try FileManager.default.createSymbolicLink(
      atPath: folder.path.appending("link.db").string, withDestinationPath: "real.db")
    // The name is the same before and after the database exists.
    let expected = folder.path.appending("real.db.files").lastComponent
    #expect(FileSets(ofDatabase: folder.path.appending("link.db")).folder.lastComponent == expected)
    try folder.write("", to: "real.db")
    #expect(FileSets(ofDatabase: folder.path.appending("link.db")).folder.lastComponent == expected)
  }

  /// Users who may not read the database don't see the files.
  @Test(arguments: [(0o600, 0o700), (0o640, 0o750)])
  func `the folder is as private as the database`(mode: Int, expected: Int) throws {
    try folder.write("", to: "backup.db")
    let path = folder.path.appending("backup.db").string
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    _ = try use(ArchiveSample(["photos/a.jpg": "a"]))
    let found = try FileManager.default.attributesOfItem(atPath: sets.folder.string)[.posixPermissions] as? Int
    #expect(found == expected)
  }

  // MARK: One set after another

  @Test func `a replacement keeps no file of the old set`() throws {
    let first = try use(ArchiveSample(["photos/a.jpg": "a", "photos/b.jpg": "b"]))
    let second = try use(ArchiveSample(["photos/b.jpg": "new", "photos/c.jpg": "c"]), over: first.set)
    #expect(try files(of: second.set) == ["photos/b.jpg": "new", "photos/c.jpg": "c"])
    #expect(second.changes.added == 1)
    #expect(second.changes.replaced == 1)
    #expect(second.changes.removed == 1)
    // The previous set stays until the caller removes unreferenced sets.
    #expect(try files(of: first.set) == ["photos/a.jpg": "a", "photos/b.jpg": "b"])
  }

  @Test(arguments: [(FileCombination.keepingExisting, "old"), (.takingImported, "new")])
  func `a merge keeps one of two files with the same name`(combination: FileCombination, text: String) throws {
    let first = try use(ArchiveSample(["photos/a.jpg": "a", "photos/b.jpg": "old", "photos/c.jpg": "same"]))
    let sample = ArchiveSample(["photos/b.jpg": "new", "photos/c.jpg": "same", "photos/d.jpg": "d"])
    let second = try use(sample, combination, over: first.set)
    #expect(
      try files(of: second.set)
        == ["photos/a.jpg": "a", "photos/b.jpg": text, "photos/c.jpg": "same", "photos/d.jpg": "d"])
    #expect(second.changes.added == 1)
    #expect(second.changes.replaced == (combination == .takingImported ? 1 : 0))
    #expect(second.changes.kept == (combination == .takingImported ? 2 : 3))
  }

  @Test(arguments: [true, false])
  func `a repeated import makes no new set`(merges: Bool) throws {
    let sample = ArchiveSample(["photos/a.jpg": "a", "photos/b.jpg": String(repeating: "b", count: 3_000_000)])
    let first = try #require(try use(sample).set)
    let repeated = try use(sample, merges ? .takingImported : .replacing, over: first)
    #expect(repeated.set == first)
    #expect(repeated.changes.kept == 2)
    #expect(try FileManager.default.contentsOfDirectory(atPath: sets.folder.string) == [first])
  }

  @Test func `unchanged files are linked and not written again`() throws {
    let first = try #require(try use(ArchiveSample(["photos/a.jpg": "a", "photos/b.jpg": "b", "photos/c.jpg": "c"])).set)
    let sample = ArchiveSample(["photos/a.jpg": "a", "photos/b.jpg": "B"])
    let second = try #require(try use(sample, .takingImported, over: first).set)
    #expect(try inode(first, "photos/a.jpg") == inode(second, "photos/a.jpg"))
    #expect(try inode(first, "photos/c.jpg") == inode(second, "photos/c.jpg"))
    #expect(try inode(first, "photos/b.jpg") != inode(second, "photos/b.jpg"))
    #expect(try files(of: first)["photos/b.jpg"] == "b")
  }

  /// Long files are compared in pieces; the part before the first difference is copied from the existing file.
  @Test(arguments: [0, 1, 262_143, 262_144, 1_500_000, 2_999_999])
  func `a file with a difference anywhere is replaced by the imported one`(place: Int) throws {
    let long = String(repeating: "long file ", count: 300_000)
    var changed = Array(long.utf8)
    changed[place] = UInt8(ascii: "#")
    let text = String(decoding: changed, as: UTF8.self)
    let first = try use(ArchiveSample(["photos/a.jpg": long]))
    let second = try use(ArchiveSample(["photos/a.jpg": text]), over: first.set)
    #expect(second.changes.replaced == 1)
    #expect(try files(of: second.set) == ["photos/a.jpg": text])
    #expect(try files(of: first.set) == ["photos/a.jpg": long])
  }

  // MARK: What can't be put together

  @Test(arguments: [("photos/a.jpg", "photos/A.jpg"), ("photos/a.jpg", "photos/a.jpg/b.jpg"), ("photos/a/b.jpg", "photos/a")])
  func `names that clash on some file systems are refused in a merge`(existing: String, imported: String) throws {
    let first = try use(ArchiveSample([existing: "a", "photos/z.jpg": "z"]))
    let second = ArchiveSample([imported: "b"])
    let error = #expect(throws: CofferError.self) { try use(second, .takingImported, over: first.set) }
    #expect(error?.code == .duplicateName)
    #expect(try FileManager.default.contentsOfDirectory(atPath: sets.folder.string) == [first.set])
    #expect(try files(of: use(second, over: first.set).set) == [imported: "b"])
  }

  @Test(arguments: ["0123456789abcdef", "../backup.db.files", "", "0123456789ABCDEF", "photos", "0123456789abcde/"])
  func `a missing set is an error unless it is replaced`(name: String) throws {
    let error = #expect(throws: CofferError.self) { try sets.files(of: name) }
    #expect(error?.code == (name == "0123456789abcdef" ? .filesMissing : .filesDamaged))
    let sample = ArchiveSample(["photos/a.jpg": "a"])
    #expect(throws: CofferError.self) { try use(sample, .takingImported, over: name) }
    #expect(throws: CofferError.self) { try sets.copy(name, to: FileSets(ofDatabase: folder.path.appending("copy.db"))) }
    #expect(try folder.names == [])
    // A replacement doesn't need the old set.
    #expect(try files(of: use(sample, over: name).set) == ["photos/a.jpg": "a"])
  }

  @Test func `a link inside a set is an error`() throws {
    let set = try #require(try use(ArchiveSample(["photos/a.jpg": "a"])).set)
    try FileManager.default.createSymbolicLink(
      atPath: sets.folder(of: set).appending("photos/link").string, withDestinationPath: "/etc/passwd")
    let error = #expect(throws: CofferError.self) { try sets.files(of: set) }
    #expect(error?.code == .filesDamaged)
  }
}
