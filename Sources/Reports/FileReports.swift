/// A report on several files.
///
///     {"formatVersion": 1, "files": [{"file": "a.json", …}, {"file": "b.json", …}]}
public struct FileReports<Report> {
  public var files: [Report]

  public init(_ files: [Report]) { self.files = files }
}

extension FileReports: Encodable where Report: Encodable {}

extension FileReports: Decodable where Report: Decodable {}

extension FileReports: Sendable where Report: Sendable {}

extension FileReports: Equatable where Report: Equatable {}
