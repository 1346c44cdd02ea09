import ByteStreams
import Findings
import JSONEvents

extension ValidationReport {
  /// A report with one finding of each severity, one of them with characters that must not reach a terminal.
  static var sample: ValidationReport {
    var report = ValidationReport(file: "export.json")
    report.format = "ev-charging-tracker"
    report.version = "9"
    report.bytes = 104_857_600
    report.records = 321_098
    report.seconds = 0.3149
    var collector = FindingCollector(limit: 3)
    collector.add(
      Finding(
        code: "foreign-key", keyword: "foreignKeys", severity: .error,
        message: "carId 99 refers to no record of /cars",
        place: Place(pointer: "/expenses/1204/carId", at: TextPosition(offset: 4_194_311, line: 18062, column: 17)),
        schemaLocation: "/properties/expenses/foreignKeys/0", excerpt: "99"))
    collector.add(
      Finding(
        code: "unknown-field", keyword: "not", severity: .note, message: "no schema version of this format has this field",
        place: Place(pointer: "/expenses/0/\u{1B}[31mred\u{202E}", at: TextPosition(offset: 40, line: 3, column: 5)),
        schemaLocation: "/$defs/unknown/not"))
    collector.add(
      Finding(
        code: "type", keyword: "type", severity: .warning, message: "expected object, found an array",
        place: Place(pointer: "", at: TextPosition(offset: 0, line: 1, column: 1)), schemaLocation: "/type"))
    collector.count(
      1234, FindingRule(severity: .error, code: "foreign-key", schemaLocation: "/properties/expenses/foreignKeys/0"))
    report.counts = collector.counts
    report.findings = collector.findings()
    return report
  }

  static var truncated: ValidationReport {
    var report = ValidationReport(file: "cut.json")
    report.bytes = 7
    report.error = CofferError(
      .truncated, "the document ends where ',' or ']' was expected, with 1 bracket open",
      at: .init(position: TextPosition(offset: 7, line: 1, column: 8)))
    return report
  }

  static var missing: ValidationReport {
    var report = ValidationReport(file: "gone.json")
    report.error = CofferError(.notFound, "cannot open gone.json: no such file or directory")
    return report
  }

  static var unknown: ValidationReport {
    var report = ValidationReport(file: "-")
    report.formatProblem = .unknown
    report.bytes = 2
    return report
  }
}
