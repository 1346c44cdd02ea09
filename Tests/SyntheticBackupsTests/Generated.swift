import BackupFormats
import ByteStreams
import JSONEvents
import Rules
import SyntheticBackups

/// A generated document with its ledger.
struct Generated {
  let bytes: [UInt8]
  let ledger: [LedgerEntry]
  let summary: SyntheticBackup.Summary

  /// Returns the format that has an independent check: ``FormatRules``.
  static func tracker() throws -> SyntheticFormat { try SyntheticFormats.named("ev-charging-tracker") }

  /// Returns a format made from plain rules.
  static func format(_ rules: String) throws -> SyntheticFormat {
    try SyntheticFormat(RuleDocument(MemorySource(rules.utf8)), name: "rules")
  }

  init(_ options: SyntheticBackup.Options, format: SyntheticFormat? = nil) throws {
    try self.init(SyntheticBackup(of: try format ?? Self.tracker(), options: options))
  }

  /// Generates a document of about 100 KB in which every collection has room for twenty defects.
  init(defects: [DefectKind: Int], seed: UInt64 = 1) throws {
    let options = SyntheticBackup.Options(size: 0, seed: seed, defects: defects, layout: .compact)
    try self.init(SyntheticBackup(of: Self.tracker(), options: options, counts: RecordCounts(["/expenses": 200]), others: 40))
  }

  private init(_ backup: SyntheticBackup) throws {
    var sink = MemorySink()
    var entries: [LedgerEntry] = []
    summary = try backup.write(to: &sink) { entry throws(CofferError) in entries.append(entry) }
    bytes = sink.bytes
    ledger = entries
  }

  /// The findings expected from the ledger.
  var expectedFindings: [String] { ledger.map { "\($0.code) \($0.pointer)" }.sorted() }

  /// The findings of the format's rules, in no particular order.
  var findings: [String] {
    get throws { FormatRules.findings(in: try JSONValue(parsing: bytes)).sorted() }
  }

  /// The 64-bit FNV-1a hash, which detects a changed byte.
  var digest: UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
