import Coffer
import Testing

/// Where ZIP archives can't be read, the error says so and what to do: it is not a syntax error.
@Suite struct ArchiveRefusalTests {
  private static let message = "this is a ZIP archive: unpack it (coffer unpack), and name the document that it holds instead"
  private static let now = Instant(seconds: 1_782_681_300)

  @Test(arguments: ["PK\u{3}\u{4}\u{14}", "PK\u{5}\u{6}\0\0"])
  func `a ZIP archive is refused with advice to unpack it`(text: String) throws {
    let source = MemorySource(text.utf8)
    var sink = MemorySink()
    let catalog = try FormatCatalog.builtIn()
    var validator = Validator(.detected(catalog), options: ValidationOptions(now: Self.now))
    let report = try validator.validate(source, named: "a.json")
    #expect(report.error?.code == "zip-archive" && report.error?.message == Self.message)
    let inspection = try Inspector(.detected(catalog), options: InspectionOptions(now: Self.now)).inspect(source, named: "a.json")
    #expect(inspection.error?.code == "zip-archive" && inspection.error?.message == Self.message)
    let converting = #expect(throws: ByteStreamError.self) { try Converter().convert(source, to: &sink) }
    #expect(converting?.code == .zipArchive && converting?.message == Self.message)
    let migrator = Migrator(catalog, options: MigrationOptions(now: Self.now))
    let migrating = #expect(throws: ByteStreamError.self) { try migrator.migrate(source, to: &sink) }
    #expect(migrating?.code == .zipArchive)
  }

  @Test(arguments: ["PK", "PK\u{1}\u{2}", "P"])
  func `input that only resembles a ZIP signature is a syntax error`(text: String) throws {
    var sink = MemorySink()
    #expect(throws: JSONReadError.self) { try Converter().convert(MemorySource(text.utf8), to: &sink) }
  }
}
