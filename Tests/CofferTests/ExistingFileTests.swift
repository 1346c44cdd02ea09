import Coffer
import TestSupport
import Testing

/// By default, nothing that writes files replaces an existing one.
@Suite struct ExistingFileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path.appending("old.json").string }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("old", to: "old.json")
  }

  private func expectKept(_ error: CofferError?, _ location: SourceLocation = #_sourceLocation) throws {
    #expect(error?.code == .alreadyExists, sourceLocation: location)
    #expect(try folder.text(of: "old.json") == "old", sourceLocation: location)
    #expect(try folder.names == ["old.json"], sourceLocation: location)
  }

  @Test func `an existing file is kept by default`() async throws {
    try expectKept(#expect(throws: CofferError.self) { _ = try AtomicFile(FilePath(path)) })
    try expectKept(#expect(throws: CofferError.self) { _ = try BackupWriter(path: path) })
    try expectKept(await #expect(throws: CofferError.self) { try await Backup(bytes: Array("[1]".utf8)).convert(to: path) })
  }

  @Test func `an existing file is replaced on request`() async throws {
    try await Backup(bytes: Array("[1]".utf8)).convert(to: path, existing: .replace)
    #expect(try folder.text(of: "old.json") == "[1]")
  }
}
