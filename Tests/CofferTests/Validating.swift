import Coffer
import Foundation
import Synchronization
import SyntheticBackups
import TestSupport

/// Helpers that return a report.
enum Validating {
  static let now = Instant(seconds: 1_782_900_000)  // 2026-07-01

  static func report(
    on bytes: [UInt8], rules: RuleSource? = nil, chunkSize: Int = 64 << 10, sourceChunkSize: Int = .max
  ) throws -> ValidationReport {
    var options = ValidationOptions(now: now)
    options.limits.chunkSize = chunkSize
    let validator = Validator(rules ?? .detected(.builtIn), options: options)
    var report = try validator.validate(MemorySource(bytes, chunkSize: sourceChunkSize), named: "test")
    report.seconds = 0
    return report
  }

  static func report(on text: String) throws -> ValidationReport { try report(on: Array(text.utf8)) }

  /// Returns a generated backup and its ledger.
  ///
  /// - Parameter counts: records by collection, and of each other collection (default: as the options' size says).
  static func backup(
    _ options: SyntheticBackup.Options, of format: String = "ev-charging-tracker", counts: (RecordCounts, others: Int)? = nil
  ) throws -> (bytes: [UInt8], ledger: [LedgerEntry]) {
    var sink = MemorySink()
    var ledger: [LedgerEntry] = []
    let format = try synthetic(format)
    let backup =
      try counts.map { try SyntheticBackup(of: format, options: options, counts: $0.0, others: $0.others) }
      ?? SyntheticBackup(of: format, options: options)
    _ = try backup.write(to: &sink) { entry throws(CofferError) in ledger.append(entry) }
    return (sink.bytes, ledger)
  }

  /// Returns a format, which is made once for all tests.
  static func synthetic(_ name: String) throws -> SyntheticFormat {
    if let format = known.withLock({ $0[name] }) { return format }
    guard let format = FormatCatalog.builtIn[name] else { preconditionFailure("there is no format \(name)") }
    let made = try SyntheticFormat(format)
    known.withLock { $0[name] = made }
    return made
  }

  private static let known = Mutex<[String: SyntheticFormat]>([:])

  /// `code pointer`, in document order.
  static func lines(_ report: ValidationReport) -> [String] { report.findings.map { "\($0.code) \($0.place.pointer)" } }
}
