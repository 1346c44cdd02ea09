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

  /// The format that has an independent check: ``FormatRules``.
  static func tracker() throws -> SyntheticFormat { try SyntheticFormats.named("ev-charging-tracker") }

  /// What plain rules come to.
  static func format(_ rules: String) throws -> SyntheticFormat {
    try SyntheticFormat(RuleDocument(MemorySource(rules.utf8)), name: "rules")
  }

  init(_ options: SyntheticBackup.Options, format: SyntheticFormat? = nil) throws {
    try self.init(SyntheticBackup(of: try format ?? Self.tracker(), options: options))
  }

  /// A document of some 100 KB in which every collection has room for twenty defects.
  init(defects: [DefectKind: Int], seed: UInt64 = 1, order: SyntheticBackup.Options.CollectionOrder = .sorted) throws {
    let options = SyntheticBackup.Options(size: 0, seed: seed, defects: defects, layout: .compact, collectionOrder: order)
    try self.init(SyntheticBackup(of: Self.tracker(), options: options, counts: RecordCounts(["/expenses": 200]), others: 40))
  }

  private init(_ backup: SyntheticBackup) throws {
    var sink = MemorySink()
    var entries: [LedgerEntry] = []
    summary = try backup.write(to: &sink) { entry throws(ByteStreamError) in entries.append(entry) }
    bytes = sink.bytes
    ledger = entries
  }

  /// The ledger as the findings that must come of it.
  var expectedFindings: [String] { ledger.map { "\($0.code) \($0.pointer)" }.sorted() }

  /// What the format's rules find, in no order.
  var findings: [String] {
    get throws { FormatRules.findings(in: try JSONValue(parsing: bytes)).sorted() }
  }

  /// FNV-1a, 64 bits: enough to notice a changed byte.
  var digest: UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
