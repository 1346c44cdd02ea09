import ByteStreams
import Coffer
import CofferFolders
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct PruneRunTests {
  private let trips: TripFolder
  private let policy: RetentionPolicy

  init() throws {
    trips = try TripFolder()
    policy = try #require(RetentionPolicy(keepLast: 2))
    for days in 1...4 { try trips.write("t\(days).json", daysAgo: Int64(days)) }
    try trips.folder.write("precious", to: "notes.txt")
    try trips.folder.write("{}", to: "other.json")
    try trips.folder.write(TripFolder.document(at: Instant(seconds: 0)), to: "folder/old.json")
    try trips.link("link.json", to: "t4.json")
  }

  private static let rest = ["folder", "link.json", "notes.txt", "other.json"]

  @Test func `only planned backups are removed, the oldest first`() throws {
    let run = try trips.backups().pruning(by: policy)
    #expect(run.plan.remove.map(\.backup.name) == ["t3.json", "t4.json"])
    let outcome = run.carryOut()
    #expect(outcome.removed.map(\.name) == ["t4.json", "t3.json"])
    #expect(outcome.isClean)
    #expect(outcome.bytes == 2 * TripFolder.document(at: TripFolder.now).utf8.count)
    #expect(try trips.folder.names == Self.rest + ["t1.json", "t2.json"])
    #expect(try trips.folder.text(of: "folder/old.json").isEmpty == false)
  }

  @Test func `a preview removes nothing and needs no lock`() throws {
    let names = try trips.folder.names
    let lock = try FolderLock(writingTo: trips.folder.path)
    let (listing, plan) = try trips.backups().preview(of: policy)
    #expect(listing.backups.count == 4)
    #expect(plan.remove.count == 2)
    #expect(try trips.folder.names == names)
    withExtendedLifetime(lock) {}
  }

  @Test(arguments: ["written to", "replaced", "gone", "a link"])
  func `a file that changed since the plan is kept, and the others are removed`(_ change: String) throws {
    let run = try trips.backups().pruning(by: policy)
    let path = trips.folder.path.appending("t4.json").string
    switch change {
    case "written to":
      try trips.folder.write("something of the same place, but longer than it was before, and of other content", to: "t4.json")
    case "replaced":
      // Another file with the same content and date.
      let date = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
      try FileManager.default.copyItem(atPath: path, toPath: path + ".new")
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.moveItem(atPath: path + ".new", toPath: path)
      try FileManager.default.setAttributes([.modificationDate: try #require(date)], ofItemAtPath: path)
    case "gone": try FileManager.default.removeItem(atPath: path)
    default:
      try FileManager.default.removeItem(atPath: path)
      try trips.link("t4.json", to: "t1.json")
    }
    let outcome = run.carryOut()
    #expect(outcome.removed.map(\.name) == ["t3.json"])
    #expect(outcome.failures.map(\.backup.name) == ["t4.json"])
    #expect(outcome.failures.first?.error.code == .inputChanged)
    #expect(!outcome.isClean)
    #expect(try trips.folder.names == Self.rest + ["t1.json", "t2.json"] + (change == "gone" ? [] : ["t4.json"]))
  }

  @Test func `a second writer is refused until the first is done`() throws {
    var run: PruneRun? = try trips.backups().pruning(by: policy)
    #expect(try #require(throws: CofferError.self) { try trips.backups().pruning(by: policy) }.code == .locked)
    _ = run?.carryOut()
    run = nil
    #expect(try trips.backups().pruning(by: policy).plan.remove.isEmpty)
  }

  @Test func `a cancelled run keeps the remaining backups`() throws {
    let cancellation = Cancellation()
    let run = try trips.backups(cancellation: cancellation).pruning(by: policy)
    cancellation.request()
    let outcome = run.carryOut()
    #expect(outcome.isInterrupted)
    #expect(outcome.removed.isEmpty)
    #expect(try trips.folder.names == Self.rest + ["t1.json", "t2.json", "t3.json", "t4.json"])
  }

  @Test func `a folder that was renamed meanwhile is still the one pruned`() throws {
    let inner = try TripFolder()
    let path = inner.folder.path.appending("backups")
    for days in 1...3 {
      try inner.folder.write(
        TripFolder.document(at: Instant(seconds: TripFolder.now.seconds - Int64(days))), to: "backups/t\(days).json")
    }
    let folder = BackupFolder(path, formats: try TripFolder.formats.get(), options: .init(now: TripFolder.now))
    let run = try folder.pruning(by: policy)
    try FileManager.default.moveItem(atPath: path.string, toPath: inner.folder.path.appending("moved").string)
    try inner.folder.write("another one's", to: "backups/t3.json")
    #expect(run.carryOut().removed.map(\.name) == ["t3.json"])
    #expect(try inner.folder.text(of: "backups/t3.json") == "another one's")
    #expect(try FileManager.default.contentsOfDirectory(atPath: inner.folder.path.appending("moved").string).count == 2)
  }
}
