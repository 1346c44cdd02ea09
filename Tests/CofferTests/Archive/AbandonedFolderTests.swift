import ByteStreams
import Coffer
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// Unpacking removes temporary folders of killed processes in the same folder.
@Suite struct AbandonedFolderTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func unpack() throws {
    try Unpacker().unpackStream(MemorySource(SampleBackup().archive()), to: folder.path.appending("out"))
  }

  @Test func `temporary folders of dead processes are removed`() throws {
    try folder.write([1], to: ".coffer-4711-0.tmp/photos/deep/1.jpg")
    try folder.write([1], to: ".coffer-4711-0.tmp/metadata.json")
    try folder.write([1], to: ".coffer-4712-13.tmp/a")
    try unpack()
    #expect(try folder.names == ["out"])
  }

  @Test func `a locked temporary folder is kept`() throws {
    try folder.write([1], to: ".coffer-4711-0.tmp/a")
    let descriptor = open(folder.path.appending(".coffer-4711-0.tmp").string, O_RDONLY)
    defer { close(descriptor) }
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    try unpack()
    #expect(try folder.names.sorted() == [".coffer-4711-0.tmp", "out"])
    #expect(try folder.bytes(of: ".coffer-4711-0.tmp/a") == [1])
  }

  @Test(arguments: [".coffer-1.tmp", ".coffer-a-0.tmp", ".coffer-1-0", "coffer-1-0.tmp", ".coffer-1-0-0.tmp", ".coffer--0.tmp"])
  func `folders with other names are kept`(name: String) throws {
    try folder.write([1], to: "\(name)/a")
    try unpack()
    #expect(try folder.names.sorted() == [name, "out"].sorted())
  }

  @Test func `symbolic links are not followed`() throws {
    try folder.write([1], to: "precious/a")
    try folder.write([1], to: ".coffer-4711-0.tmp/b")
    for link in [".coffer-4712-0.tmp", ".coffer-4711-0.tmp/link"] {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path.appending(link).string, withDestinationPath: folder.path.appending("precious").string)
    }
    try unpack()
    #expect(try folder.names.sorted() == [".coffer-4712-0.tmp", "out", "precious"])
    #expect(try folder.bytes(of: "precious/a") == [1])
  }

  /// Concurrent runs in one folder never remove each other's temporary folders.
  @Test func `concurrent runs in one folder all get their output`() async throws {
    let archive = try SampleBackup().archive()
    let path = folder.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<10 {
            try Unpacker().unpackStream(MemorySource(archive), to: path.appending("out-\(number)-\(round)"))
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try folder.names.count == 80)
    #expect(try folder.files(below: "out-7-9").count == 3)
  }
}
