import Findings

/// A report preceded by the name of the file it is about: `{"file": "export.json", …}`.
public struct NamedReport<Report: Encodable>: Encodable {
  public var file: String
  public var report: Report

  public init(_ report: Report, named file: String) {
    self.file = file
    self.report = report
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(["file": file])
    try report.encode(to: encoder)
  }
}
