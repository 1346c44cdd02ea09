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
    ("aquavate", 0xB756_62F5_898C_71AC),
    ("ev-charging-tracker", 0x8E04_4186_A87C_A86D),
    ("ev-charging-tracker-specification", 0x2CE2_7EE5_F024_5BE3),
    ("keeptrack", 0x24F5_5A12_B420_F288),
    ("keeptrack-legacy-entries", 0x7ECD_580E_A052_8D18),
    ("keeptrack-legacy-goals", 0xA65C_B354_7E48_7008),
    ("keeptrack-legacy-intake-types", 0xDB0D_71FE_F1AA_830A),
    ("keeptrack-specification", 0x1D1E_18CF_9B20_14FE),
    ("smilepile", 0x2A0B_C077_9BF4_D2F6),
    ("smilepile-specification", 0xD126_1331_9670_4C3A),
    ("swiff", 0xCA91_19C6_3CBE_E683),
    ("swiff-database-copy", 0x93A2_DAC0_0527_75D0),
  ]

  static let archives: [(String, UInt64)] = [
    ("smilepile", 0x7176_6C53_41A3_640A),
    ("smilepile-specification", 0x7395_E7B9_BAE0_485E),
  ]
}
