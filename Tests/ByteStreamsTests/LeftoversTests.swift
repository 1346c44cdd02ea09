import ByteStreams
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// The next run that writes into a folder removes the files that a killed process left. `AbandonedFolderTests` cover folders.
@Suite struct LeftoversTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(mayBeUnnamed: Bool = true) throws {
    var file = try AtomicFile(folder.path.appending("out"), existing: .replace, mayBeUnnamed: mayBeUnnamed)
    try file.write("new")
    try file.commit()
  }

  @Test(arguments: [true, false]) func `a temporary file without a lock is removed`(mayBeUnnamed: Bool) throws {
    // The second name has the number of a running process: an earlier process with that number may have been killed.
    for name in [".coffer-4711-0.tmp", ".coffer-\(getpid())-0.tmp"] { try folder.write("left", to: name) }
    try write(mayBeUnnamed: mayBeUnnamed)
    #expect(try folder.names == ["out"])
  }

  @Test(arguments: [true, false]) func `a file that is being written stays`(isReplaced: Bool) throws {
    if isReplaced { try folder.write("old", to: "other") }
    var file = try AtomicFile(folder.path.appending("other"), existing: .replace, mayBeUnnamed: false)
    try file.write("text")
    try write()
    try file.commit()
    #expect(try folder.text(of: "other") == "text")
    #expect(try folder.names.sorted() == ["other", "out"])
  }

  @Test(arguments: [".coffer-1.tmp", ".coffer-a-0.tmp", ".coffer-1-0", "coffer-1-0.tmp", ".backup.db.coffer-import"])
  func `files with other names stay`(name: String) throws {
    try folder.write("theirs", to: name)
    try write()
    #expect(try folder.text(of: name) == "theirs")
  }

  @Test func `links and pipes stay`() throws {
    try folder.write("precious", to: "precious")
    let link = folder.path.appending(".coffer-4711-0.tmp").string
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path.appending("precious").string)
    try #require(mkfifo(folder.path.appending(".coffer-4711-1.tmp").string, 0o600) == 0)
    try write()
    #expect(try folder.names.sorted() == [".coffer-4711-0.tmp", ".coffer-4711-1.tmp", "out", "precious"])
    #expect(try folder.text(of: "precious") == "precious")
  }
}
