import ByteStreams
import Foundation
import SystemPackage
import Testing

@Suite struct MemorySourceTests {
  @Test(arguments: [(1, 8, [1, 1, 1, 1, 1]), (2, 8, [2, 2, 1]), (8, 2, [2, 2, 1]), (5, 5, [5]), (.max, 8, [5])])
  func readsGiveAtMostAChunkOrTheBuffer(chunkSize: Int, bufferSize: Int, expected: [Int]) throws {
    var source = MemorySource([1, 2, 3, 4, 5], chunkSize: chunkSize)
    let pieces = try source.pieces(bufferSize: bufferSize)
    #expect(pieces.map(\.count) == expected)
    #expect(Array(pieces.joined()) == [1, 2, 3, 4, 5])
  }

  @Test func nothingEndsAtOnce() throws {
    var source = MemorySource([])
    #expect(try source.pieces(bufferSize: 4) == [])
  }
}

@Suite struct PrefixedSourceTests {
  @Test(arguments: [("", "rest"), ("pre", "rest"), ("pre", ""), ("", "")])
  func prefixComesBeforeTheRest(prefix: String, rest: String) throws {
    for size in 1...9 {
      var source = PrefixedSource(prefix: Array(prefix.utf8), rest: MemorySource(rest.utf8, chunkSize: 2))
      #expect(try source.text(bufferSize: size) == prefix + rest)
    }
  }

  @Test func errorsOfTheRestComeBehindThePrefix() throws {
    var source = PrefixedSource(prefix: [65], rest: BrokenSource())
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4, alignment: 1)
    defer { buffer.deallocate() }
    #expect(try source.read(into: buffer) == 1)
    #expect(throws: ByteStreamError.self) { try source.read(into: buffer) }
  }

  private struct BrokenSource: ByteSource {
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(ByteStreamError) -> Int {
      throw ByteStreamError(code: .inputOutput, message: "cannot read")
    }
  }
}

@Suite struct FileSourceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ["", "a", "some longer text"])
  func fileIsReadToItsEnd(text: String) throws {
    try folder.write(text, to: "file")
    var source = try FileSource(path: folder.path.appending("file"))
    #expect(try source.text() == text)
  }

  @Test func missingFileIsNamed() {
    let path = folder.path.appending("missing")
    let error = #expect(throws: ByteStreamError.self) { try FileSource(path: path) }
    #expect(error?.code == .notFound)
    #expect(error?.errno == .noSuchFileOrDirectory)
    #expect(error?.message == "cannot open \(path): no such file or directory")
  }

  @Test func fileInPlaceOfAFolderIsNotFound() throws {
    try folder.write("", to: "file")
    let error = #expect(throws: ByteStreamError.self) { try FileSource(path: folder.path.appending("file").appending("inner")) }
    #expect(error?.code == .notFound)
  }

  @Test func folderIsNotAFile() {
    let error = #expect(throws: ByteStreamError.self) { try FileSource(path: folder.path) }
    #expect(error?.code == .isDirectory)
    #expect(error?.message.contains(folder.path.string) == true)
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything"))
  func unreadableFileIsDenied() throws {
    try folder.write("secret", to: "file")
    let path = folder.path.appending("file")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path.string)
    let error = #expect(throws: ByteStreamError.self) { try FileSource(path: path) }
    #expect(error?.code == .permissionDenied)
  }
}
