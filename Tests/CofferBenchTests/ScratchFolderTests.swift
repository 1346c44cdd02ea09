import ByteStreams
import Platform
import SystemPackage
import TestSupport
import Testing

@testable import CofferBench

@Suite struct ScratchFolderTests {
  let around: TemporaryFolder

  init() throws { around = try TemporaryFolder() }

  /// The target of a link doesn't belong to the folder.
  @Test func `a scratch folder is removed with its contents but not the targets of links`() throws {
    try around.write("kept", to: "other/file")
    do {
      let scratch = try ScratchFolder(within: around.path)
      let name = try #require(scratch.path.lastComponent?.string)
      #expect(name.hasPrefix(".coffer-"))
      #expect(try around.names == [name, "other"])
      try around.write("", to: "\(name)/a/b/c")
      #expect(symlink(around.path.appending("other").string, scratch.path.appending("link").string) == 0)
      try FileDescriptor.open(scratch.path.appending("locked"), .writeOnly, options: .create, permissions: .ownerRead).close()
    }
    #expect(try around.names == ["other"])
    #expect(try around.text(of: "other/file") == "kept")
  }

  @Test func `the leftover of a killed bench is removed`() throws {
    try around.write("", to: ".coffer-4711-0.tmp/database/x.db")
    let scratch = try ScratchFolder(within: around.path)
    #expect(try around.names == [scratch.path.lastComponent?.string])
  }

  @Test func `a folder inside can be emptied repeatedly`() throws {
    let scratch = try ScratchFolder(within: around.path)
    let name = try #require(scratch.path.lastComponent?.string)
    let inner = scratch.path.appending("database")
    try scratch.empty(inner)
    try around.write("", to: "\(name)/database/old/file")
    try scratch.empty(inner)
    #expect(rmdir(inner.string) == 0)
  }

  @Test func `the available space is known`() throws {
    #expect(try ScratchFolder(within: around.path).availableBytes() > 0)
  }

  @Test func `a scratch folder in a missing folder is an error`() throws {
    let error = #expect(throws: CofferError.self) { _ = try ScratchFolder(within: around.path.appending("nowhere")) }
    #expect(error?.code == .notFound)
  }
}
