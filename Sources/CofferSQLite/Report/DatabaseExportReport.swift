public import Findings

/// The result of an export.
///
///     {"database": "backup.db", "file": "export.json", "format": "ev-charging-tracker", "version": 9,
///       "records": 2003, "collections": [{"title": "cars", "count": 3}, {"title": "expenses", "count": 2000}]}
///
/// `leavesFilesOut` and `unnamedFiles` occur only if the database has files that were not exported.
public struct DatabaseExportReport: Sendable, Equatable, Encodable {
  public let database: String
  /// The name of the file that was written, if it is known.
  public var file: String?
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

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "database": database, "file": IfPresent(file), "format": format, "version": IfPresent(version), "records": records,
      "collections": collections, "leavesFilesOut": IfPresent(leavesFilesOut ? true : nil),
      "unnamedFiles": IfPresent(unnamedFiles > 0 ? unnamedFiles : nil),
    ])
  }
}
