import ByteStreams
import Foundation
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Files that a killed process left are removed by the next run that writes into the folder. `AbandonedFolderTests` are about folders.
@Suite struct LeftoversTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func write(mayBeUnnamed: Bool = true) throws {
    var file = try AtomicFile(replacing: folder.path.appending("out"), existing: .replace, mayBeUnnamed: mayBeUnnamed)
    try file.write("new")
    try file.commit()
  }

  @Test(arguments: [true, false]) func aFileThatNoProcessHoldsIsRemoved(mayBeUnnamed: Bool) throws {
    // A process of this number lives, and another one of it may have been killed.
    for name in [".coffer-4711-0.tmp", ".coffer-\(getpid())-0.tmp"] { try folder.write("left", to: name) }
    try write(mayBeUnnamed: mayBeUnnamed)
    #expect(try folder.names == ["out"])
  }

  @Test(arguments: [true, false]) func aFileThatIsBeingWrittenStays(isReplaced: Bool) throws {
    if isReplaced { try folder.write("old", to: "other") }
    var file = try AtomicFile(replacing: folder.path.appending("other"), existing: .replace, mayBeUnnamed: false)
    try file.write("text")
    try write()
    try file.commit()
    #expect(try folder.text(of: "other") == "text")
    #expect(try folder.names.sorted() == ["other", "out"])
  }

  @Test(arguments: [".coffer-1.tmp", ".coffer-a-0.tmp", ".coffer-1-0", "coffer-1-0.tmp", ".backup.db.coffer-import"])
  func otherNamesStay(name: String) throws {
    try folder.write("theirs", to: name)
    try write()
    #expect(try folder.text(of: name) == "theirs")
  }

  @Test func linksStay() throws {
    try folder.write("precious", to: "precious")
    let link = folder.path.appending(".coffer-4711-0.tmp").string
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.path.appending("precious").string)
    try #require(mkfifo(folder.path.appending(".coffer-4711-1.tmp").string, 0o600) == 0)
    try write()
    #expect(try folder.names.sorted() == [".coffer-4711-0.tmp", ".coffer-4711-1.tmp", "out", "precious"])
    #expect(try folder.text(of: "precious") == "precious")
  }
}
