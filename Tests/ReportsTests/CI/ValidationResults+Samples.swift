import ByteStreams
import Findings
import JSONEvents
import Reports
import TestSupport

/// Results that use all fields, for recorded outputs.
extension ValidationResults {
  /// The recorded samples by the name of their files.
  static let samples: [(name: String, results: ValidationResults)] = [
    ("valid", .valid), ("mixed", .mixed), ("hostile", .hostile),
  ]

  private static let summaries = [
    "foreignKeys": "These fields together refer to an existing record of another collection.",
    "primaryKey": "These fields together identify a record of the collection.",
    "type": "The value has one of these types.",
    "required": "The named members are present.",
    "formatMaximum": "The time is at most this.",
    "minimum": "The number is at least, at most, more than or less than this.",
    "enum": "The value is one of these.",
    "pattern": "The string matches this regular expression.",
    "format": "The string has this format.",
    "not": "The value doesn't satisfy this schema.",
  ]

  private static let rules = [
    CheckedRule(
      code: "foreign-key", keyword: "foreignKeys", severity: .error, schemaLocation: "/properties/expenses/foreignKeys/0",
      places: ["/expenses/*/carId"], expectation: "the key of a record of /cars"),
    CheckedRule(
      code: "foreign-key", keyword: "foreignKeys", severity: .error, schemaLocation: "/properties/documents/foreignKeys/0",
      places: ["/documents/*/carId"], expectation: "the key of a record of /cars"),
    CheckedRule(
      code: "primary-key", keyword: "primaryKey", severity: .error, schemaLocation: "/properties/cars/primaryKey",
      places: ["/cars/*/id"], expectation: "a unique value"),
    CheckedRule(
      code: "type", keyword: "type", severity: .error, schemaLocation: "/$defs/car/properties/id/type", places: ["/cars/*/id"],
      expectation: "integer"),
    CheckedRule(
      code: "required", keyword: "required", severity: .error, schemaLocation: "/$defs/car/required",
      places: ["/cars/*/id", "/cars/*/name", "/cars/*/carType"], expectation: "present"),
    CheckedRule(
      code: "odometer", keyword: "minimum", severity: .warning, title: "Odometer", description: "Distances are in kilometres.",
      message: "the odometer must not run backwards", schemaLocation: "/$defs/expense/properties/odometer/minimum",
      places: ["/expenses/*/odometer"], expectation: "at least 0"),
    CheckedRule(
      code: "format-maximum", keyword: "formatMaximum", severity: .error,
      schemaLocation: "/$defs/expense/properties/date/formatMaximum", places: ["/expenses/*/date"],
      expectation: "no later than the current time"),
    CheckedRule(
      code: "format", keyword: "format", severity: .error, schemaLocation: "/$defs/expense/properties/date/format",
      places: ["/expenses/*/date"], expectation: "a date"),
    // A schema that is used in several places.
    CheckedRule(
      code: "enum", keyword: "enum", severity: .error, schemaLocation: "/$defs/kind/enum", expectation: "one of 'car', 'van'"),
    CheckedRule(code: "unknown-field", keyword: "not", severity: .note, schemaLocation: "/$defs/unknown/not"),
  ]

  private static let collections = [
    CollectionCount(pointer: "/cars", records: 12), CollectionCount(pointer: "/expenses", records: 4699),
    CollectionCount(pointer: "/log", records: 0),
  ]

  static var valid: ValidationResults {
    var report = ValidationReport(file: "./backups/2026 11.json")
    report.format = "ev-charging-tracker"
    report.version = "9"
    report.bytes = 1_048_576
    report.records = 4711
    report.collections = collections
    report.checkedRules = rules
    var results = ValidationResults([report], toolVersion: "0.1.0")
    results.keywordSummary = { summaries[$0] }
    return results
  }

  /// One file with many findings, one that is valid, one that is cut, an archive, and standard input of an unknown format.
  static var mixed: ValidationResults {
    var results = ValidationResults(
      [large, valid.reports[0], .truncated, archive, .unknown], toolVersion: "0.1.0")
    results.keywordSummary = { summaries[$0] }
    return results
  }

  private static var large: ValidationReport {
    var report = ValidationReport(file: "backups/export.json")
    report.format = "ev-charging-tracker"
    report.version = "9"
    report.bytes = 104_857_600
    report.records = 321_098
    report.collections = collections.map { CollectionCount(pointer: $0.pointer, records: $0.records * 68) }
    report.seconds = 0.3149
    report.checkedRules = rules
    var collector = FindingCollector(limit: 44)
    func add(_ finding: Finding, at offset: Int, length: Int, _ baseline: BaselineState) {
      var finding = finding
      finding.place.end = TextPosition(offset: offset + length, line: finding.place.line, column: finding.place.column + length)
      finding.baseline = baseline
      collector.add(finding)
      if finding.isAccepted { report.acceptedCounts.add(1, finding.rule) }
    }
    for index in 0..<34 {
      let (row, offset) = (index * index * 241 + 12, index * index * 78_643 + 4_310)
      add(
        Finding(
          code: "foreign-key", keyword: "foreignKeys", severity: .error,
          message: "carId \(99 + index % 3) refers to no record of /cars",
          place: Place(pointer: "/expenses/\(row)/carId", at: TextPosition(offset: offset, line: row * 14 + 3, column: 16)),
          schemaLocation: "/properties/expenses/foreignKeys/0", excerpt: String(99 + index % 3),
          record: RecordIdentity(collection: "/expenses", title: "expenses", key: String(row + 40))),
        at: offset, length: String(99 + index % 3).utf8.count, index == 3 ? .known(reason: "the car was sold") : .new)
    }
    for index in 0..<6 {
      let (row, offset) = (index * 17_003 + 800, index * 9_000_000 + 41_000_000)
      add(
        Finding(
          code: "odometer", keyword: "minimum", severity: .warning, message: "the odometer must not run backwards",
          place: Place(pointer: "/expenses/\(row)/odometer", at: TextPosition(offset: offset, line: row * 14 + 7, column: 19)),
          schemaLocation: "/$defs/expense/properties/odometer/minimum", excerpt: "-\(index)",
          record: RecordIdentity(collection: "/expenses", title: "expenses", key: String(row + 40))),
        at: offset, length: 2, .new)
    }
    for index in 0..<3 {
      let offset = index * 310 + 900
      add(
        Finding(
          code: "unknown-field", keyword: "not", severity: .note, message: "no schema version of this format has this field",
          place: Place(pointer: "/cars/\(index)/colour", at: TextPosition(offset: offset, line: 40 + index * 12, column: 7)),
          schemaLocation: "/$defs/unknown/not", excerpt: "\"red\"",
          record: RecordIdentity(collection: "/cars", title: "cars", key: String(index + 1))),
        at: offset, length: 5, .new)
    }
    add(
      Finding(
        code: "type", keyword: "type", severity: .error, message: "expected a string, found a number",
        place: Place(pointer: "/userSettings/currency", at: TextPosition(offset: 41, line: 2, column: 30)),
        schemaLocation: "/properties/userSettings/properties/currency/type", excerpt: "7"),
      at: 41, length: 1, .new)
    let foreignKey = FindingRule(severity: .error, code: "foreign-key", schemaLocation: "/properties/expenses/foreignKeys/0")
    collector.count(1200, foreignKey)
    report.counts = collector.counts
    report.findings = collector.findings()
    return report
  }

  private static var archive: ValidationReport {
    var report = ValidationReport(file: "backups/smile #1.zip")
    report.format = "smilepile"
    report.version = "3"
    report.bytes = 20_480
    report.records = 12
    report.container = ContainerSummary(kind: "zip", entries: 14, bytes: 3_300_000)
    var collector = FindingCollector(limit: 10)
    for name in ["photos/a%20b ü.jpg", "photos/2.jpg"] {
      collector.add(
        Finding(
          code: "file-missing", keyword: "containerEntry", severity: .error, message: "the archive has no such file",
          place: Place(entry: name), schemaLocation: "/backup/archive"))
    }
    collector.add(
      Finding(
        code: "limit", keyword: "entries", severity: .error,
        message: "the archive has 14 entries, but its reader accepts only 10",
        place: Place(entry: ""), schemaLocation: "/backup/archive/limits/entries"))
    var place = Place(pointer: "/name", at: TextPosition(offset: 14, line: 2, column: 11))
    place.entry = "settings.json"
    collector.add(
      Finding(
        code: "type", keyword: "type", severity: .warning, message: "expected a string, found null", place: place,
        schemaLocation: "/type", excerpt: "null"))
    report.counts = collector.counts
    report.findings = collector.findings()
    return report
  }

  /// Texts that mean something in one of the formats.
  static let hostileTexts = [
    "\u{0}\u{1}\u{8}\u{B}\u{1B}[31mred\u{7F}\u{85}", "\u{202E}txt.exe\u{2066}", "a\r\nb\u{2028}c\td", "]]>", "::error::injected",
    "\n::error file=x::injected\n", "##[error]injected", "##vso[task.logissue]injected", "<script>alert(1)</script>",
    "\" onclick='x' &amp; &#0;", "| a | b |", "```\n# heading\n```", "`code` *b* _i_ ~~s~~ [a](https://evil.example) ![i](x)",
    "www.evil.example https://evil.example @someone #12 :bomb:", "{0} {{1}} [link](1)", "%25 %0A::error::injected",
    "\u{FFFE}\u{FFFF}",
    "</style></title><!-- --!>", "</failure></system-out>", "שלום עולם مرحبا", "日本語 🎉 e\u{301}", "", "%s %n ${{ secrets.TOKEN }}",
    "::stop-commands::x", String(repeating: "long ", count: 300), "://?#[]@!$&'()*+,;=",
  ]

  static var hostile: ValidationResults {
    var reports: [ValidationReport] = []
    for (index, text) in hostileTexts.enumerated() {
      var report = ValidationReport(file: index % 5 == 0 ? "a\(text)b.json" : "dir\(index)/hostile.json")
      report.format = text
      report.version = text
      report.dialect = text
      report.leftOut = [text]
      report.bytes = 1000
      report.records = 1
      report.checkedRules = [
        CheckedRule(
          code: "code \(text)", keyword: "key\(text)", severity: .error, title: text, description: text, message: text,
          schemaLocation: "/a\(text)", places: ["/\(text)"], expectation: text)
      ]
      var place = Place(
        pointer: "/\(text)", at: TextPosition(offset: index, line: index == 2 ? 3_000_000_000 : index + 1, column: 5))
      place.entry = index % 4 == 3 ? "entry\(text)" : nil
      var finding = Finding(
        code: "code \(text)", keyword: "key\(text)", severity: Severity.allCases[index % 3], message: text, place: place,
        schemaLocation: "/a\(text)", excerpt: text, record: RecordIdentity(collection: "/*", title: text, key: text))
      if index % 6 == 0 { finding.baseline = .known(reason: text) }
      report.findings = [finding]
      report.counts.add(1, finding.rule)
      if index % 6 == 0 { report.acceptedCounts.add(1, finding.rule) }
      if index % 7 == 1 {
        report.error = CofferError(.syntax, text, at: .init(position: TextPosition(offset: 9, line: index, column: 1)))
      }
      if index % 9 == 8 {
        report.formatProblem = .ambiguous
        report.candidates = [FormatCandidate(name: text, reasons: [text], missing: [])]
      }
      reports.append(report)
    }
    var results = ValidationResults(reports, toolVersion: "0.1.0")
    results.keywordSummary = { ["key<script>alert(1)</script>": "A <b>sentence</b>."][$0] }
    return results
  }

  /// A hundred thousand findings, or a million in a deep run: a thousand in each report, which share them.
  static let manyReportCount = TestDepth.count(everyday: 100, deep: 1000)

  static var many: ValidationResults {
    var report = ValidationReport(file: "many.json")
    report.bytes = 1_000_000
    report.findings = (0..<1000).map { index in
      Finding(
        code: "code-\(index % 7)", keyword: "type", severity: Severity.allCases[index % 3], message: "expected a string",
        place: Place(pointer: "/records/\(index)/name", at: TextPosition(offset: index * 100, line: index + 1, column: 9)),
        schemaLocation: "/type")
    }
    for finding in report.findings { report.counts.add(1, finding.rule) }
    return ValidationResults(
      (0..<manyReportCount).map { number in
        var report = report
        report.file = "\(number).json"
        return report
      }, toolVersion: "0.1.0")
  }
}
