import Findings

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
