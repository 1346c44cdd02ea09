import ByteStreams
import Findings
import Reports
import Testing

/// Fingerprints in SARIF and GitLab's reports.
@Suite struct FingerprintTests {
  private func finding(
    _ pointer: String, line: Int = 1, code: String = "type", message: String = "wrong", record: RecordIdentity? = nil
  ) -> Finding {
    Finding(
      code: code, keyword: "type", severity: .error, message: message,
      place: Place(pointer: pointer, at: TextPosition(offset: line * 100, line: line, column: 1)), schemaLocation: "/type",
      record: record)
  }

  private func fingerprints(of findings: Finding..., file: String = "a.json", redacts: Bool = false) throws -> [Substring] {
    var report = ValidationReport(file: file)
    report.findings = findings
    for finding in findings { report.counts.add(severity: finding.severity, code: finding.code) }
    var results = ValidationResults([report], toolVersion: "1")
    results.isRedacted = redacts
    return try results.text(as: .gitlab).split(separator: "\n").filter { $0.contains("\"fingerprint\"") }
  }

  @Test func `a record that moves keeps its fingerprint`() throws {
    let record = RecordIdentity(collection: "/expenses", key: "28")
    #expect(
      try fingerprints(of: finding("/expenses/12/carId", line: 80, record: record))
        == fingerprints(of: finding("/expenses/99/carId", line: 900, message: "other words", record: record)))
  }

  @Test func `records with different keys, fields, codes, entries and files have different fingerprints`() throws {
    func record(_ key: String) -> RecordIdentity { RecordIdentity(collection: "/expenses", key: key) }
    var inEntry = finding("/expenses/1/a", record: record("1"))
    inEntry.place.entry = "b.json"
    let all = try [
      fingerprints(of: finding("/expenses/1/a", record: record("1"))),
      fingerprints(of: finding("/expenses/1/a", record: record("2"))),
      fingerprints(of: finding("/expenses/1/b", record: record("1"))),
      fingerprints(of: finding("/expenses/1/a", code: "enum", record: record("1"))),
      fingerprints(of: finding("/expenses/1/a", record: record("1")), file: "b.json"), fingerprints(of: inEntry),
      fingerprints(of: finding("/expenses/1/a")),
    ].flatMap(\.self)
    #expect(Set(all).count == 7)
  }

  @Test func `findings without keys are numbered`() throws {
    let two = try fingerprints(of: finding("/cars/1/id"), finding("/cars/2/id", line: 2))
    #expect(two.count == 2)
    #expect(two[0] != two[1])
    #expect(try two == fingerprints(of: finding("/cars/7/id", line: 9), finding("/cars/8/id", line: 10)))
  }

  @Test func `a redacted report doesn't reveal keys by their fingerprints`() throws {
    func record(_ key: String) -> RecordIdentity { RecordIdentity(collection: "/expenses", key: key) }
    #expect(
      try fingerprints(of: finding("/expenses/1/a", record: record("1")), redacts: true)
        == fingerprints(of: finding("/expenses/1/a", record: record("2")), redacts: true))
    #expect(
      try fingerprints(of: finding("/expenses/1/a", record: record("1")))
        != fingerprints(of: finding("/expenses/1/a", record: record("2"))))
  }
}
