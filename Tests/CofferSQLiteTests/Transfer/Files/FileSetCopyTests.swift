import Coffer
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import CofferSQLite

/// Safety copies have sets of their own, which share the files.
@Suite struct FileSetCopyTests {
  let folder: TemporaryFolder
  let sets: FileSets
  let current: String

  private static let content = ["photos/a.jpg": "a", "photos/deep/b.jpg": "b"]

  init() throws {
    folder = try TemporaryFolder()
    sets = FileSets(ofDatabase: folder.path.appending("backup.db"))
    let sample = ArchiveSample(["photos/a.jpg": "a", "photos/deep/b.jpg": "b"])
    let staged = try sets.stage(sample.archive(), .replacing, current: nil)
    staged.commit()
    current = try #require(staged.name)
  }

  @Test func `a copy outlives its original`() throws {
    let copy = FileSets(ofDatabase: folder.path.appending("backup.db.before-import-20261122T120000Z.sqlite"))
    try sets.copy(current, to: copy)
    // Copying again has no effect.
    try sets.copy(current, to: copy)
    sets.removeAll()
    #expect(try folder.names == ["backup.db.before-import-20261122T120000Z.sqlite.files"])
    #expect(try folder.files(below: copy.folder(of: current)) == Self.content)
    copy.removeAll()
    #expect(try folder.names == [])
  }

  @Test func `removing a copy leaves the original`() throws {
    let copy = FileSets(ofDatabase: folder.path.appending("copy.sqlite"))
    try sets.copy(current, to: copy)
    copy.removeAll()
    #expect(try folder.files(below: sets.folder(of: current)) == Self.content)
  }

  /// If files can't be linked, for example between two file systems, they are copied.
  @Test(.enabled(if: FileSetCopyTests.otherFileSystem != nil))
  func `another file system gets copies of the files`() throws {
    let path = try #require(Self.otherFileSystem).appending("coffer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: path.string) }
    let copy = FileSets(ofDatabase: path.appending("copy.sqlite"))
    try sets.copy(current, to: copy)
    sets.removeAll()
    #expect(try folder.files(below: copy.folder(of: current)) == Self.content)
  }

  private static let otherFileSystem: FilePath? = {
    func device(_ path: String) -> Int? {
      (try? FileManager.default.attributesOfItem(atPath: path))?[.systemNumber] as? Int
    }
    let candidate = "/dev/shm"
    guard let there = device(candidate), there != device(FileManager.default.temporaryDirectory.path),
      FileManager.default.isWritableFile(atPath: candidate)
    else { return nil }
    return FilePath(candidate)
  }()
}
