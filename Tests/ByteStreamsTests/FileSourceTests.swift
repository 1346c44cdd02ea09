import ByteStreams
import Foundation
import SystemPackage
import TestSupport
import Testing

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
