import ByteStreams
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct FolderLockTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `only one writer at a time can lock a folder`() throws {
    var lock: FolderLock? = try FolderLock(writingTo: folder.path)
    #expect(lock?.isLocked == true)
    let error = #expect(throws: CofferError.self) { try FolderLock(writingTo: folder.path) }
    #expect(error?.code == .locked)
    #expect(error?.message == "\(folder.path) is in use by another run of coffer: try again when it has finished")
    lock = nil
    _ = try FolderLock(writingTo: folder.path)
    // No lock file is left.
    #expect(try folder.names == [])
  }

  @Test func `a lock through a link locks the linked folder`() throws {
    try folder.write("", to: "real/file")
    let link = folder.path.appending("link")
    try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: folder.path.appending("real").string)
    let lock = try FolderLock(writingTo: link)
    #expect(throws: CofferError.self) { try FolderLock(writingTo: folder.path.appending("real")) }
    #expect(lock.holds(folder.path.appending("real")))
  }

  @Test func `locking a missing folder or a file is an error`() throws {
    try folder.write("", to: "file")
    #expect(#expect(throws: CofferError.self) { try FolderLock(writingTo: folder.path.appending("none")) }?.code == .notFound)
    #expect(#expect(throws: CofferError.self) { try FolderLock(writingTo: folder.path.appending("file")) }?.code == .notFound)
  }
}
