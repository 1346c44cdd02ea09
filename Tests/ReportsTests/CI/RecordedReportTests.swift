import ByteStreams
import Foundation
import Reports
import TestSupport
import Testing

/// The reports in Tests/Fixtures/Reports, which Scripts/check-reports.sh checks with other programs.
///
/// `COFFER_RECORD=1 swift test --filter RecordedReportTests` writes them.
@Suite struct RecordedReportTests {
  private static let cases = ValidationResults.samples.flatMap { sample in
    ReportFormat.allCases.filter { $0 != .text && $0 != .json }.map {
      Case(name: sample.name, results: sample.results, format: $0)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let results: ValidationResults
    let format: ReportFormat
    var testDescription: String { "\(name).\(format.rawValue)" }
  }

  @Test(arguments: cases) func `reports are as recorded`(sample: Case) throws {
    let text = try sample.results.text(as: sample.format)
    #expect(try text == Recording.of(text, in: "Reports/\(sample.name).\(Self.ending(of: sample.format))"))
  }

  private static func ending(of format: ReportFormat) -> String {
    switch format {
    case .text, .github: "\(format).txt"
    case .json, .gitlab: "\(format).json"
    case .sarif, .rdjsonl, .html: format.rawValue
    case .junit, .checkstyle: "\(format).xml"
    case .markdown: "md"
    }
  }
}

extension ValidationResults {
  func text(as format: ReportFormat) throws -> String {
    var sink = MemorySink()
    try write(as: format, to: &sink)
    return try #require(String(validating: sink.bytes, as: UTF8.self))
  }
}
