import Coffer
import Foundation

/// Helpers that return a migrated document.
enum Migrating {
  static let now = Instant(seconds: 1_782_900_000)  // 2026-07-01T10:00:00Z

  private static let builtIn = FormatCatalog.builtIn

  /// Returns a format with versions 1 to 3 at `/version` and the given migrations.
  static func format(_ migrations: String, named name: String = "notes") throws -> BackupFormat {
    try BackupFormat(
      descriptor: """
        {"backup": {"name": "\(name)", "version": {"pointer": "/version", "current": 3, "oldest": 1, "ifAbsent": 1},
         "detect": "/notes", "migrations": \(migrations)}}
        """)
  }

  /// Returns a format with one migration to version 3.
  static func format(steps: String) throws -> BackupFormat { try format(#"[{"to": 3, "steps": [\#(steps)]}]"#) }

  static func migrate(
    _ bytes: [UInt8], _ format: BackupFormat?, others: [BackupFormat] = [], chunkSize: Int = .max,
    _ change: (inout MigrationOptions) -> Void = { _ in }
  ) throws -> (bytes: [UInt8], report: MigrationReport) {
    var options = MigrationOptions(now: now)
    options.execution.jobs = 1
    change(&options)
    var sink = MemorySink()
    let catalog = FormatCatalog(others + builtIn.formats)
    let report = try Migrator(catalog, format: format, options: options)
      .migrate(OpenedBackup(named: "") { MemorySource(bytes, chunkSize: chunkSize) }, to: &sink)
    return (sink.bytes, report)
  }

  static func migrate(
    _ text: String, _ format: BackupFormat?, others: [BackupFormat] = [], _ change: (inout MigrationOptions) -> Void = { _ in }
  ) throws -> (text: String, report: MigrationReport) {
    let (bytes, report) = try migrate(Array(text.utf8), format, others: others, change)
    return (String(decoding: bytes, as: UTF8.self), report)
  }

  /// Migrates a version 1 document; returns its members without the version, and for each step how often it changed and skipped a
  /// value: `1 0`.
  static func run(_ steps: String, on members: String) throws -> (members: String, counts: [String]) {
    let (text, report) = try migrate(#"{"version":1,\#(members)}"#, format(steps: steps))
    let prefix = #"{"version":3,"#
    guard text.hasPrefix(prefix), text.hasSuffix("}") else { return (text, []) }
    return (String(text.dropFirst(prefix.count).dropLast()), report.steps.map { "\($0.changed) \($0.skipped)" })
  }
}
