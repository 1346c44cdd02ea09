import ByteStreams
import Findings
import JSONEvents

/// Results as SARIF 2.1.0 (OASIS, errata 01), with the members that GitHub's code scanning requires in addition to the schema.
///
/// - One run with one artifact for each file: GitHub refuses several runs of one tool.
/// - At most 5,000 results, the most severe ones: GitHub keeps no more.
/// - A region is the value; if its end isn't known, it is empty, because a region without an end is the rest of the line.
/// - A file that can't be read is a notification: it has no results, or not all.
/// - `primaryLocationLineHash` is Coffer's own. The hash that GitHub's action would compute is one of the line's text: all
///   findings in a backup without line breaks would have the same.
struct SARIFReport {
  static let resultLimit = 5000
  private static let baseID = "%SRCROOT%"
  static let redactionToken = "[REDACTED]"

  let results: ValidationResults
  let rules: [ReportedRule]
  let ruleIndices: [String: Int]
  let hasBaseline: Bool
  let quota: FindingQuota
  /// The notifications' codes.
  private let notifications: [String]
  private let artifacts: Artifacts

  /// The files, and the entries of containers that results are about.
  private struct Artifacts {
    var entries: [(name: String, parent: Int)] = []
    /// The indices of entries by name, for each file.
    var entryIndices: [[String: Int]] = []
  }

  init(_ results: ValidationResults) {
    self.results = results
    rules = results.rules()
    ruleIndices = Dictionary(rules.enumerated().map { ($0.element.code, $0.offset) }, uniquingKeysWith: { first, _ in first })
    hasBaseline = results.reports.contains { $0.reportedFindings.contains { $0.baseline != nil } }
    quota = FindingQuota(results.reports, limit: Self.resultLimit)
    var codes = Set(results.reports.compactMap(\.error?.code.rawValue))
    if quota.leftOut > 0 { codes.insert(Self.limitCode) }
    notifications = codes.sorted()
    var artifacts = Artifacts()
    var quota = quota
    for (file, report) in results.reports.enumerated() {
      var indices: [String: Int] = [:]
      for finding in report.reportedFindings where quota.takes(finding) {
        guard let entry = finding.place.entry, !entry.isEmpty, indices[entry] == nil else { continue }
        indices[entry] = results.reports.count + artifacts.entries.count
        artifacts.entries.append((entry, file))
      }
      artifacts.entryIndices.append(indices)
    }
    self.artifacts = artifacts
  }

  func write(to sink: inout some ByteSink) throws(CofferError) {
    var json = JSONEventWriter(layout: .pretty(indent: 2))
    json.beginObject()
    json.key("$schema")
    json.string("https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json")
    json.member("version", "2.1.0")
    json.key("runs")
    json.beginArray()
    json.beginObject()
    json.key("tool")
    try writeTool(&json, to: &sink)
    writeInvocation(&json)
    json.key("originalUriBaseIds")
    json.beginObject()
    json.key(Self.baseID)
    json.beginObject()
    json.key("description")
    json.text("The folder in which Coffer ran, if possible the root of the repository.")
    json.endObject()
    json.endObject()
    try writeArtifacts(&json, to: &sink)
    json.member("columnKind", "unicodeCodePoints")
    if results.isRedacted {
      json.key("redactionTokens")
      json.beginArray()
      json.string(Self.redactionToken)
      json.endArray()
    }
    try writeResults(&json, to: &sink)
    json.endObject()
    json.endArray()
    json.endObject()
    try json.flushPrintable(to: &sink)
  }
}

// MARK: The tool and its run

extension SARIFReport {
  private static let limitCode = "findings-left-out"

  private func writeTool(_ json: inout JSONEventWriter, to sink: inout some ByteSink) throws(CofferError) {
    json.beginObject()
    json.key("driver")
    json.beginObject()
    json.member("name", "Coffer")
    json.member("version", results.toolVersion)
    json.member("semanticVersion", results.toolVersion)
    json.key("shortDescription")
    json.text("Validates JSON backups of any size.")
    json.key("rules")
    json.beginArray()
    for rule in rules {
      write(rule, &json)
      try json.drainPrintable(to: &sink)
    }
    json.endArray()
    if !notifications.isEmpty {
      json.key("notifications")
      json.beginArray()
      for code in notifications {
        json.beginObject()
        json.member("id", code)
        json.key("shortDescription")
        json.text(code == Self.limitCode ? "Not all findings are listed." : "The file could not be read completely: \(code).")
        json.endObject()
      }
      json.endArray()
    }
    json.endObject()
    json.endObject()
  }

  private func write(_ rule: ReportedRule, _ json: inout JSONEventWriter) {
    json.beginObject()
    json.member("id", rule.code)
    // GitHub's limit is 255 characters.
    json.member("name", String(rule.keyword.prefix(255)))
    json.key("shortDescription")
    json.text(rule.summary)
    json.key("fullDescription")
    json.text(rule.description)
    json.key("help")
    json.beginObject()
    let isKeyword = results.keywordSummaries[rule.keyword] != nil
    let hint = isKeyword ? " More: coffer rules explain \(rule.keyword.shellQuoted)" : ""
    json.member("text", rule.description.escapedForSARIF + hint)
    var markdown = "**\(rule.keyword.markdown)**: \(rule.description.markdown)\n"
    if !rule.schemaLocations.isEmpty {
      markdown += "\nIn the rules:\n\n" + rule.schemaLocations.map { "- <code>\($0.markdown)</code>\n" }.joined()
    }
    if isKeyword { markdown += "\n`coffer rules explain \(rule.keyword.shellQuoted)` explains the keyword.\n" }
    json.member("markdown", markdown.replacingScalars { "{}".unicodeScalars.contains($0) ? "\($0)\($0)" : nil })
    json.endObject()
    json.key("defaultConfiguration")
    json.beginObject()
    json.member("level", rule.severity.rawValue)
    json.endObject()
    json.key("properties")
    json.beginObject()
    json.key("tags")
    json.beginArray()
    json.string("backup")
    if rule.keyword != "backup" { json.string(rule.keyword) }
    json.endArray()
    json.member("precision", "very-high")
    json.member("problem.severity", rule.severity == .note ? "recommendation" : rule.severity.rawValue)
    json.endObject()
    json.endObject()
  }

  private func writeInvocation(_ json: inout JSONEventWriter) {
    json.key("invocations")
    json.beginArray()
    json.beginObject()
    json.key("executionSuccessful")
    json.boolean(results.reports.allSatisfy { $0.error == nil })
    if !notifications.isEmpty {
      json.key("toolExecutionNotifications")
      json.beginArray()
      for (index, report) in results.reports.enumerated() {
        guard let error = report.error else { continue }
        writeNotification(error.code.rawValue, "error", error.messageWithEntry, file: index, error.place.position, &json)
      }
      if quota.leftOut > 0 {
        let count = quota.leftOut.grouped
        let message =
          "\(count) more \(quota.leftOut == 1 ? "finding is" : "findings are") not listed: the most severe ones come first."
        writeNotification(Self.limitCode, "note", message, file: nil, nil, &json)
      }
      json.endArray()
    }
    json.endObject()
    json.endArray()
  }

  private func writeNotification(
    _ code: String, _ level: String, _ message: String, file: Int?, _ position: TextPosition?,
    _ json: inout JSONEventWriter
  ) {
    json.beginObject()
    json.key("descriptor")
    json.beginObject()
    json.member("id", code)
    if let index = notifications.firstIndex(of: code) { json.member("index", index) }
    json.endObject()
    json.member("level", level)
    json.key("message")
    json.text(message)
    if let file {
      json.key("locations")
      json.beginArray()
      json.beginObject()
      json.key("physicalLocation")
      json.beginObject()
      json.key("artifactLocation")
      writeLocation(file: file, entry: nil, &json)
      if let position {
        json.key("region")
        writeRegion(position.line, position.column, position.offset, end: nil, &json)
        json.endObject()
      }
      json.endObject()
      json.endObject()
      json.endArray()
    }
    json.endObject()
  }
}

// MARK: Artifacts

extension SARIFReport {
  private func writeArtifacts(_ json: inout JSONEventWriter, to sink: inout some ByteSink) throws(CofferError) {
    json.key("artifacts")
    json.beginArray()
    for (index, report) in results.reports.enumerated() {
      json.beginObject()
      json.key("location")
      writeLocation(file: index, entry: nil, &json)
      json.key("roles")
      json.beginArray()
      json.string("analysisTarget")
      if report.isStandardInput { json.string("standardStream") }
      json.endArray()
      json.member("mimeType", report.container?.kind == "zip" ? "application/zip" : "application/json")
      json.key("properties")
      json.beginObject()
      json.member("verdict", results.verdict(on: report).rawValue)
      if let format = report.format { json.member("format", format) }
      if let version = report.version { json.member("formatVersion", version) }
      json.member("bytes", report.bytes)
      json.member("records", report.records)
      json.key("findings")
      json.beginObject()
      let counts = report.reportedCounts
      for severity in Severity.allCases.reversed() {
        json.key(severity.rawValue)
        json.integer(Int64(counts.count(severity)))
      }
      json.endObject()
      json.endObject()
      json.endObject()
      try json.drainPrintable(to: &sink)
    }
    for entry in artifacts.entries {
      json.beginObject()
      json.key("location")
      json.beginObject()
      json.member("uri", entry.name.uriPath)
      json.endObject()
      json.member("parentIndex", entry.parent)
      json.endObject()
      try json.drainPrintable(to: &sink)
    }
    json.endArray()
  }

  func writeLocation(file: Int, entry: String?, _ json: inout JSONEventWriter) {
    let report = results.reports[file]
    json.beginObject()
    if let entry, let index = artifacts.entryIndices[file][entry] {
      json.member("uri", entry.uriPath)
      json.member("index", index)
    } else {
      let path = report.reportedPath
      let isAbsolute = path.hasPrefix("/")
      json.member("uri", (isAbsolute ? "file://" : "") + path.uriPath)
      if !isAbsolute, !report.isStandardInput { json.member("uriBaseId", Self.baseID) }
      json.member("index", file)
    }
    json.endObject()
  }
}

extension JSONEventWriter {
  /// Writes a message object with a plain text.
  mutating func text(_ text: String) {
    beginObject()
    member("text", text.escapedForSARIF)
    endObject()
  }
}

extension String {
  /// The text with doubled braces, which would be placeholders (section 3.11.5), and without links (3.11.6).
  fileprivate var escapedForSARIF: String {
    let hasLinks = zip(unicodeScalars, unicodeScalars.dropFirst()).contains { $0 == "]" && $1 == "(" }
    return replacingScalars {
      switch $0 {
      case "{": "{{"
      case "}": "}}"
      case "[" where hasLinks, "]" where hasLinks: "\\\($0)"
      default: nil
      }
    }
  }

  /// The keyword for a shell: `'$ref'`.
  fileprivate var shellQuoted: String { hasPrefix("$") ? "'\(self)'" : self }
}
