import ByteStreams
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite struct FileSourceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: ["", "a", "some longer text"])
  func `a file is read to its end`(text: String) throws {
    try folder.write(text, to: "file")
    var source = try FileSource(path: folder.path.appending("file"))
    #expect(try source.text() == text)
  }

  @Test func `opening a missing file is an error with its path`() {
    let path = folder.path.appending("missing")
    let error = #expect(throws: CofferError.self) { try FileSource(path: path) }
    #expect(error?.code == .notFound)
    #expect(error?.underlying as? Errno == Errno.noSuchFileOrDirectory)
    #expect(error?.message == "cannot open \(path): no such file or directory")
  }

  @Test func `a path through a file is not found`() throws {
    try folder.write("", to: "file")
    let error = #expect(throws: CofferError.self) { try FileSource(path: folder.path.appending("file").appending("inner")) }
    #expect(error?.code == .notFound)
  }

  @Test func `opening a folder is an error with its path`() {
    let error = #expect(throws: CofferError.self) { try FileSource(path: folder.path) }
    #expect(error?.code == .isDirectory)
    #expect(error?.message.contains(folder.path.string) == true)
  }

  @Test(.enabled(if: getuid() != 0, "root may read everything"))
  func `opening an unreadable file is denied`() throws {
    try folder.write("secret", to: "file")
    let path = folder.path.appending("file")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path.string)
    let error = #expect(throws: CofferError.self) { try FileSource(path: path) }
    #expect(error?.code == .permissionDenied)
  }

  enum Change: CaseIterable { case growth, truncation, replacement }

  /// Changes the file after its first byte was read.
  private func changing(_ change: Change, at path: FilePath) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: path.string))
    switch change {
    case .growth:
      try file.seekToEnd()
      try file.write(contentsOf: Data("more".utf8))
    case .truncation: try file.truncate(atOffset: 3)
    case .replacement: try file.write(contentsOf: Data("other".utf8))
    }
    try file.close()
    // File systems have coarse clocks.
    let future = Date(timeIntervalSinceNow: 60)
    try FileManager.default.setAttributes([.modificationDate: future], ofItemAtPath: path.string)
  }

  @Test(arguments: Change.allCases)
  func `a file that changes while it is read is an error`(_ change: Change) throws {
    try folder.write("some longer text", to: "file")
    let path = folder.path.appending("file")
    var source = try FileSource(path: path)
    _ = try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { try source.read(into: $0) }
    try changing(change, at: path)
    let error = #expect(throws: CofferError.self) { try source.text() }
    #expect(error?.code == .inputChanged)
    #expect(error?.message == "\(path) changed while it was being read")
  }

  @Test func `truncated stored bytes are an error`() throws {
    try folder.write("some longer text", to: "file")
    let path = folder.path.appending("file")
    let stored = try #require(StoredBytes(try FileSource(path: path)))
    try changing(.truncation, at: path)
    var source = StoredSource(stored)
    let error = #expect(throws: CofferError.self) { try source.text() }
    #expect(error?.code == .inputChanged)
  }
}
