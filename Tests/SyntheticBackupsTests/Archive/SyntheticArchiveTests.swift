import BackupFormats
import ByteStreams
import Coffer
import Subprocess
import SyntheticBackups
import SystemPackage
import TestSupport
import Testing

@Suite struct SyntheticArchiveTests {
  static let names = ["smilepile", "smilepile-specification"]

  struct Generated {
    var bytes: [UInt8] = []
    var ledger: [String] = []
    /// The findings in the form of the ledger.
    var findings: [String] = []
  }

  static func generated(
    _ name: String, seed: UInt64, _ defects: [DefectKind: Int] = [:], size: Int = 30_000
  ) throws -> Generated {
    let format = try #require(FormatCatalog.builtIn[name])
    let synthetic = try SyntheticFormats.of(format, archived: true)
    let archive = try SyntheticArchive(of: synthetic, options: .init(size: size, seed: seed, defects: defects))
    var sink = MemorySink()
    var generated = Generated()
    _ = try archive.write(to: &sink) { entry throws(CofferError) in
      generated.ledger.append("\(entry.code) \(entry.entry ?? entry.pointer)")
    }
    generated.bytes = sink.bytes
    // Two days after the time of the generated backups.
    var options = ValidationOptions(now: Instant(seconds: 1_782_677_700 + 2 * 86_400))
    options.execution.jobs = 2
    let validator = Validator(.format(format), options: options)
    let report = try validator.validate(MemorySource(sink.bytes), named: "a.zip")
    #expect(report.error == nil)
    generated.findings = report.findings.map { "\($0.code) \($0.place.entry ?? $0.place.pointer)" }
    return generated
  }

  @Test(arguments: names, 1...TestDepth.count(everyday: 2, deep: 10) as ClosedRange<UInt64>)
  func `an archive without defects has no findings`(name: String, seed: UInt64) throws {
    #expect(try Self.generated(name, seed: seed).findings == [])
  }

  @Test(
    arguments: [.checksum, .size, .fileMissing, .fileExtra, .pathUnsafe] as [DefectKind],
    1...TestDepth.count(everyday: 2, deep: 10) as ClosedRange<UInt64>)
  func `defects planted in an archive are found`(kind: DefectKind, seed: UInt64) throws {
    let generated = try Self.generated("smilepile", seed: seed, [kind: 3])
    #expect(generated.ledger.count == 3)
    #expect(generated.findings.sorted() == generated.ledger.sorted())
  }

  @Test(arguments: names) func `defects planted in the document of an archive are found`(name: String) throws {
    let format = try SyntheticFormats.of(#require(FormatCatalog.builtIn[name]), archived: true)
    let kinds = format.defectKinds
    #expect(kinds.count > 8)
    for kind in kinds {
      for seed in 1...TestDepth.count(everyday: 1, deep: 3) as ClosedRange<UInt64> {
        let generated = try Self.generated(name, seed: seed, [kind: 1])
        #expect(generated.ledger.count == 1)
        #expect(generated.findings == generated.ledger, "\(kind) \(seed)")
      }
    }
  }

  @Test func `equal seeds give equal bytes`() throws {
    let first = try Self.generated("smilepile", seed: 3)
    #expect(try Self.generated("smilepile", seed: 3).bytes == first.bytes)
    #expect(try Self.generated("smilepile", seed: 4).bytes != first.bytes)
  }

  /// Readers of such backups accept ten thousand entries.
  @Test func `a large archive has no more entries than readers accept`() throws {
    #expect(try Self.generated("smilepile", seed: 1, size: 8_000_000).findings == [])
  }

  /// Without a hint for file names, generated names are safe on any system, and unique.
  @Test(
    arguments: [
      "", #""pattern": "^[A-Za-z .]{2,9}$""#, #""pattern": "^(?:[A-C]:|\\.\\.|[a-e]{2,3})/[a-z]{1,4}$""#, #""maxLength": 12"#,
    ], [1, 2, 3] as [UInt64])
  func `file names without hints are safe and unique`(rule: String, seed: UInt64) throws {
    let name = #"{"type": "string", "containerEntry": true\#(rule.isEmpty ? "" : ", " + rule)}"#
    let records = #"{"type": "array", "items": {"type": "object", "required": ["file"], "properties": {"file": \#(name)}}}"#
    let format = try BackupFormat(
      descriptor: """
        {"backup": {"name": "mine", "version": {"pointer": "/v", "current": 1}, "detect": "/a", "archive": {"metadata": "mine.json"}},
         "type": "object", "required": ["v", "a"\(rule.isEmpty ? #", "b""# : "")],
         "properties": {"v": {"const": 1}, "a": \(records)\(rule.isEmpty ? #", "b": "# + records : "")}}
        """)
    let archive = try SyntheticArchive(of: .archived(format), options: .init(size: 4000, seed: seed))
    var sink = MemorySink()
    let summary = try archive.write(to: &sink)
    #expect(summary.entries > 6)
    let validator = Validator(.format(format), options: ValidationOptions(now: Instant(seconds: 1_782_850_500)))
    let report = try validator.validate(MemorySource(sink.bytes), named: "a.zip")
    #expect(report.error == nil)
    #expect(report.findings.map { "\($0.code) \($0.place.entry ?? $0.place.pointer)" } == [])
  }

  @Test func `a format without archives is refused`() throws {
    let format = try #require(FormatCatalog.builtIn["swiff"])
    let error = #expect(throws: CofferError.self) { try SyntheticFormat.archived(format) }
    #expect(error?.code == .noArchive)
  }

  /// Skipped if the program is missing.
  @Test func `unzip accepts a generated archive`() async throws {
    let folder = try TemporaryFolder()
    var file = try AtomicFile(folder.path.appending("a.zip"))
    try file.write(Self.generated("smilepile", seed: 5).bytes)
    try file.commit()
    let run: Subprocess.ExecutionResult<Void, StringOutput<UTF8>, StringOutput<UTF8>>
    do {
      run = try await Subprocess.run(
        .name("unzip"), arguments: ["-tq", "a.zip"], workingDirectory: folder.path, output: .string(limit: 1 << 16),
        error: .string(limit: 1 << 16))
    } catch { return }
    #expect(run.terminationStatus == .exited(0), "\(run.standardOutput)")
  }
}
