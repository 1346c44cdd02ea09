public import Findings

/// The result of an export.
public struct DatabaseExportReport: Sendable, Equatable {
  public let database: String
  public let format: String
  public let version: Int?
  /// The collections, in the format's order.
  public let collections: [Collection]
  /// True if the rows' files weren't exported, because only an archive can hold them.
  public let leavesFilesOut: Bool
  /// The number of files that were left out because no exported record names them.
  public let unnamedFiles: Int
  /// Mismatches between an archive's document and its files.
  public let findings: [Finding]

  public struct Collection: Sendable, Equatable, Encodable {
    public let title: String
    public let count: Int
  }

  public var records: Int { collections.reduce(0) { $0 + $1.count } }
}

/// An export and the file that was written, in a report:
///
///     {"database": "backup.db", "file": "export.json", "format": "ev-charging-tracker", "version": 9,
///       "records": 2003, "collections": [{"title": "cars", "count": 3}, {"title": "expenses", "count": 2000}]}
public struct WrittenExport: Sendable, Encodable {
  public let report: DatabaseExportReport
  public let file: String

  public init(_ report: DatabaseExportReport, to file: String) {
    self.report = report
    self.file = file
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "database": report.database, "file": file, "format": report.format, "version": IfPresent(report.version),
      "records": report.records, "collections": report.collections,
    ])
  }
}
