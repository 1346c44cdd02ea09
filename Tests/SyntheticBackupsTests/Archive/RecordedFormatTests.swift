import BackupFormats
import ByteStreams
import SyntheticBackups
import TestSupport
import Testing

/// Compares generated backups of the built-in formats with recorded ones.
///
/// A difference is not necessarily a mistake: rules and hints change. It must be intended because benchmarks and other people's
/// tests rely on seeds.
@Suite struct RecordedFormatTests {
  /// None may be lost unnoticed. `COFFER_RECORD=1 swift test --filter RecordedFormatTests` writes them.
  @Test(arguments: FormatCatalog.builtIn.names) func `a format has the recorded defects`(name: String) throws {
    let format = try #require(FormatCatalog.builtIn[name])
    let synthetic = try SyntheticFormats.of(format, archived: format.archive != nil)
    let lines = synthetic.defects.map { "\($0.kind.rawValue)  \($0.pointer)  \($0.code)\n" }.joined()
    #expect(try lines == Recording.of(lines, in: "Defects/\(name).txt"))
  }

  @Test func `every built-in format is recorded`() throws {
    let names = FormatCatalog.builtIn.formats.map(\.name).sorted()
    #expect(Self.documents.map(\.0).sorted() == names)
  }

  @Test(arguments: documents) func `a document of a seed has the recorded bytes`(name: String, digest: UInt64) throws {
    let format = try SyntheticFormats.of(#require(FormatCatalog.builtIn[name]), archived: false)
    var sink = MemorySink()
    _ = try SyntheticBackup(of: format, options: .init(size: 20_000, seed: 7)).write(to: &sink)
    #expect(Self.digest(sink.bytes) == digest)
  }

  /// Covers the document and the files, but not the compressed bytes of the document, which depend on zlib.
  @Test(arguments: archives)
  func `an archive of a seed has the recorded document and files`(name: String, digest: UInt64) throws {
    let format = try SyntheticFormats.of(#require(FormatCatalog.builtIn[name]), archived: true)
    var document = MemorySink()
    var files: [UInt8] = []
    _ = try SyntheticBackup(of: format, options: .init(size: 20_000, seed: 7)).writeArchive(to: &document) {
      _ throws(CofferError) in
    } part: { part throws(CofferError) in
      switch part {
      case .document: break
      case .sideDocument(_, let bytes), .file(_, let bytes): files += bytes
      }
    }
    #expect(Self.digest(document.bytes + files) == digest)
  }

  /// Returns the 64-bit FNV-1a hash, which detects a changed byte.
  private static func digest(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  static let documents: [(String, UInt64)] = [
    ("aquavate", 0x35B6_EE63_382D_BEA4),
    ("ev-charging-tracker", 0xD3E4_9E2A_D231_64CE),
    ("ev-charging-tracker-specification", 0x9145_D044_9D54_C9CC),
    ("keeptrack", 0x2893_B8C6_FE0D_183C),
    ("keeptrack-legacy-entries", 0x8776_5656_8E27_D07E),
    ("keeptrack-legacy-goals", 0x758B_3D9A_B5B2_8033),
    ("keeptrack-legacy-intake-types", 0x2BC8_0727_7AF5_FE53),
    ("keeptrack-specification", 0x301B_D903_8B45_D647),
    ("smilepile", 0x82B8_3E19_8079_A31C),
    ("smilepile-specification", 0x5F8D_9657_CBBC_990E),
    ("swiff", 0xE790_D366_ADCE_BED9),
    ("swiff-database-copy", 0x2CA5_5FD1_3B55_342D),
  ]

  static let archives: [(String, UInt64)] = [
    ("smilepile", 0xB4EE_C010_3C18_0865),
    ("smilepile-specification", 0x8B6F_6AA1_194D_6DC1),
  ]
}
