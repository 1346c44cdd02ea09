import Coffer
import Testing

/// Verbs that read only documents refuse ZIP archives and say what to do: it is not a syntax error.
@Suite struct ArchiveRefusalTests {
  private static let message = "this is a ZIP archive: unpack it, and use the document in it instead"

  @Test(arguments: ["PK\u{3}\u{4}\u{14}", "PK\u{5}\u{6}\0\0"])
  func `a ZIP archive is refused with advice to unpack it`(text: String) async throws {
    var sink = MemorySink()
    let converting = #expect(throws: CofferError.self) { try Converter().convert(MemorySource(text.utf8), to: &sink) }
    #expect(converting?.code == .zipArchive && converting?.message == Self.message)
    let reading = await #expect(throws: CofferError.self) {
      try await Backup(bytes: Array(text.utf8)).events { _ in }
    }
    #expect(reading?.code == .zipArchive && reading?.message == Self.message)
  }

  @Test(arguments: ["PK", "PK\u{1}\u{2}", "P"])
  func `input that only resembles a ZIP signature is a syntax error`(text: String) throws {
    var sink = MemorySink()
    #expect(throws: CofferError.self) { try Converter().convert(MemorySource(text.utf8), to: &sink) }
  }
}
