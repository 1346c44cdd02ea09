import ByteStreams
import Coffer
import Foundation
import SystemPackage
import TestSupport
import Testing
import ZIPArchives

@testable import CofferSQLite

/// However an import ends early, the current set stays complete, and the rest is removed.
@Suite struct FileSetInterruptionTests {
  let folder: TemporaryFolder
  let sets: FileSets
  let current: String

  private static let before = ["photos/a.jpg": "a", "photos/b.jpg": "b"]
  private let sample = ArchiveSample(["photos/b.jpg": "new", "photos/c.jpg": "c"])

  init() throws {
    folder = try TemporaryFolder()
    sets = FileSets(ofDatabase: folder.path.appending("backup.db"))
    let staged = try sets.stage(
      ArchiveSample(["photos/a.jpg": "a", "photos/b.jpg": "b"]).archive(), .replacing, current: nil)
    staged.commit()
    current = try #require(staged.name)
  }

  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: sets.folder.string).sorted() }
  }

  private func expectNothingChanged() throws {
    #expect(try names == [current])
    #expect(try folder.files(below: sets.folder(of: current)) == Self.before)
  }

  // MARK: Sets without a reference

  @Test func `an uncommitted set is removed`() throws {
    do {
      let staged = try sets.stage(sample.archive(), .replacing, current: current)
      #expect(try names.count == 2)
      _ = consume staged
    }
    try expectNothingChanged()
    let staged = try sets.stage(sample.archive(), .takingImported, current: current)
    staged.discard()
    try expectNothingChanged()
  }

  /// An import must not remove a set that it reuses.
  @Test func `discarding an import without changes keeps the current set`() throws {
    let same = ArchiveSample(["photos/a.jpg": "a"])
    let staged = try sets.stage(same.archive(), .takingImported, current: current)
    #expect(staged.name == current)
    staged.discard()
    try expectNothingChanged()
  }

  /// One run was killed after its set got its name and before the database referred to it, another while it filled its set.
  @Test func `unreferenced sets of killed runs are removed`() throws {
    try folder.write("x", to: "backup.db.files/0123456789abcdef/photos/x.jpg")
    try folder.write("x", to: "backup.db.files/.coffer-4711-0.tmp/photos/deep/x.jpg")
    // A half-removed set.
    try folder.write("x", to: "backup.db.files/fedcba9876543210/x.jpg")
    let staged = try sets.stage(sample.archive(), .replacing, current: current)
    staged.commit()
    let name = try #require(staged.name)
    #expect(try folder.files(below: sets.folder(of: name)) == ["photos/b.jpg": "new", "photos/c.jpg": "c"])
    sets.removeUnreferenced(keeping: name)
    #expect(try names == [name])
  }

  @Test func `links and folders of other programs stay`() throws {
    try folder.write("x", to: "precious/x")
    try FileManager.default.createSymbolicLink(
      atPath: sets.folder.appending("0123456789abcdef").string, withDestinationPath: folder.path.appending("precious").string)
    for name in ["mine/x.jpg", "0123456789ABCDEF/x.jpg", "README"] { try folder.write("x", to: "backup.db.files/\(name)") }
    sets.removeAll()
    #expect(try names == ["0123456789ABCDEF", "0123456789abcdef", "README", "mine"])
    #expect(try folder.text(of: "precious/x") == "x")
  }

  // MARK: Imports that fail

  /// The archive's directory doesn't show the damage.
  @Test(arguments: [true, false]) func `a damaged file leaves no set`(merges: Bool) throws {
    var bytes = try sample.bytes
    let name = Array("photos/c.jpg".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name + [UInt8(ascii: "c")]) })
    bytes[place + name.count] ^= 1
    let archive = try BackupArchive(StoredBytes(bytes, named: "a"), .detected(ArchiveSample.catalog))
    let error = #expect(throws: CofferError.self) {
      try sets.stage(archive, merges ? .keepingExisting : .replacing, current: current)
    }
    #expect(error?.code == .zipChecksum)
    try expectNothingChanged()
  }

  @Test(arguments: ["../evil.txt", "/etc/evil", "photos/../../evil"])
  func `an unsafe name leaves no set`(name: String) throws {
    let error = #expect(throws: CofferError.self) {
      try sets.stage(ArchiveSample(["photos/z.jpg": "z", name: "x"]).archive(), .replacing, current: current)
    }
    #expect(error?.code == .unsafeName)
    try expectNothingChanged()
  }

  @Test func `an archive over the size limit leaves no set`() throws {
    var limits = ZIPLimits()
    limits.size = 1 << 20
    let large = ArchiveSample(["photos/a.jpg": "a", "photos/z.jpg": String(repeating: "z", count: 1 << 21)])
    let error = #expect(throws: CofferError.self) {
      try sets.stage(large.archive(limits: limits), .takingImported, current: current)
    }
    #expect(error?.code == .limit)
    try expectNothingChanged()
  }

  @Test func `a cancelled import leaves no set`() throws {
    let cancellation = Cancellation()
    do {
      let archive = try ArchiveSample(["photos/z.jpg": "z", "photos/b.jpg": "b", "photos/y.jpg": "y"]).archive()
      let staging = try sets.staging(archive, .takingImported, current, cancellation)
      // The new files were written.
      cancellation.request()
      #expect(throws: CancellationError.self) { try staging.finish() }
    }
    try expectNothingChanged()
  }

  @Test func `a failed first import leaves no folder`() throws {
    let other = FileSets(ofDatabase: folder.path.appending("other.db"))
    #expect(throws: CofferError.self) {
      try other.stage(ArchiveSample(["photos/z.jpg": "z", "../evil": "x"]).archive(), .replacing, current: nil)
    }
    #expect(try folder.names == ["backup.db.files"])
  }

  @Test func `a file in the place of the folder is an error`() throws {
    try folder.write("mine", to: "other.db.files")
    let other = FileSets(ofDatabase: folder.path.appending("other.db"))
    #expect(throws: CofferError.self) { try other.stage(sample.archive(), .replacing, current: nil) }
    #expect(try folder.text(of: "other.db.files") == "mine")
  }
}
