import ByteStreams
import SystemPackage
import TestSupport
import Testing

@testable import CofferBench

@Suite struct DocumentSurveyTests {
  private func survey(_ report: String, kind: DocumentKind = .json) throws -> DocumentSurvey {
    try DocumentSurvey(kind: kind, storedBytes: 500, report: Array(report.utf8))
  }

  @Test func `a survey has the figures of a report`() throws {
    let report = """
      {"formatVersion": 1, "files": [{"file": "a.json", "format": "swiff", "version": 3, "valid": true, "bytes": 2001587, "records": 6202}]}
      """
    #expect(
      try survey(report, kind: .lz4)
        == DocumentSurvey(
          kind: .lz4, storedBytes: 500, bytes: 2_001_587, records: 6202, format: "swiff", version: "3", isValid: true))
  }

  @Test func `the size of an archive is that of all its entries`() throws {
    let report = """
      {"files": [{"format": null, "version": "1.0", "valid": false, "container": {"kind": "zip", "entries": 3, "bytes": 9000}, "bytes": 70, "records": 7}]}
      """
    #expect(
      try survey(report, kind: .zip)
        == DocumentSurvey(kind: .zip, storedBytes: 500, bytes: 9000, records: 7, version: "1.0", isValid: false))
  }

  /// Steps other than parsing read all of the file.
  @Test func `a truncated document is as long as its file`() throws {
    let report = """
      {"files": [{"format": null, "version": null, "valid": false, "bytes": 70, "records": 7, "error": {"code": "truncated", "message": "ends"}}]}
      """
    let survey = try survey(report)
    #expect(survey.bytes == 500)
    #expect(survey.error == "ends")
  }

  @Test(arguments: ["", "{}", #"{"files": []}"#, #"{"files": [{"bytes": "many", "records": 1}]}"#, "not JSON"])
  func `a malformed report is an error`(text: String) {
    let error = #expect(throws: CofferError.self) { try survey(text) }
    #expect(error?.code == .noReport)
  }

  @Test(
    arguments: [
      ([0x7B, 0x7D], DocumentKind.json), ([], .json), ([0x04, 0x22, 0x4D, 0x18, 0x40], .lz4), ([0x50, 0x4B, 0x03, 0x04], .zip),
    ] as [([UInt8], DocumentKind)])
  func `the kind of a document is detected by its first bytes`(bytes: [UInt8], kind: DocumentKind) throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("file")
    var file = try AtomicFile(path, existing: .replace)
    try file.write(bytes)
    try file.commit()
    #expect(try DocumentKind(ofFileAt: path) == kind)
  }

  @Test(arguments: [("/dev/null", CofferError.Code.alreadyRead), ("/", .alreadyRead), ("/nowhere/file", .notFound)])
  func `a file that cannot be read repeatedly is refused`(path: String, code: CofferError.Code) {
    let error = #expect(throws: CofferError.self) { try DocumentKind(ofFileAt: FilePath(path)) }
    #expect(error?.code == code)
  }
}
