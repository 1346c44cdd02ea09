import ByteStreams
import Findings

/// Results as SARIF 2.1.0 (OASIS, errata 01), with the members that GitHub's code scanning requires in addition to the schema.
///
/// - One run with one artifact for each file: GitHub refuses several runs of one tool.
/// - At most 5,000 results, with a share for every rule: GitHub keeps no more.
/// - A region is the value; if its end isn't known, it is empty, because a region without an end is the rest of the line.
/// - A file that can't be read is a notification: it has no results, or not all.
/// - `primaryLocationLineHash` is Coffer's own. The hash that GitHub's action would compute is one of the line's text: all
///   findings in a backup without line breaks would have the same.
struct SARIFReport: Encodable {
  static let resultLimit = 5000
  private static let baseID = "%SRCROOT%"
  static let redactionToken = "[REDACTED]"

  let results: ValidationResults
  let rules: [ReportedRule]
  let ruleIndices: [String: Int]
  let hasBaseline: Bool
  let quota: FindingQuota
  private let notificationCodes: [String]
  /// The entries of containers that results are about.
  private let entries: [(name: String, parent: Int)]
  /// The indices of entries by name, for each file.
  private let entryIndices: [[String: Int]]

  init(_ results: ValidationResults) {
    self.results = results
    rules = results.rules()
    ruleIndices = Dictionary(rules.enumerated().map { ($0.element.code, $0.offset) }, uniquingKeysWith: { first, _ in first })
    hasBaseline = results.reports.contains { $0.reportedFindings.contains { $0.baseline != nil } }
    quota = FindingQuota(results.reports, limit: Self.resultLimit)
    var codes = Set(results.reports.compactMap(\.error?.code.rawValue))
    if quota.leftOut > 0 { codes.insert(Self.limitCode) }
    if results.notAppliedNote != nil { codes.insert(Self.notAppliedCode) }
    notificationCodes = codes.sorted()
    var (entries, entryIndices): ([(name: String, parent: Int)], [[String: Int]]) = ([], [])
    for (file, findings) in quota.findings.enumerated() {
      var indices: [String: Int] = [:]
      for finding in findings {
        guard let entry = finding.place.entry, !entry.isEmpty, indices[entry] == nil else { continue }
        indices[entry] = results.reports.count + entries.count
        entries.append((entry, file))
      }
      entryIndices.append(indices)
    }
    (self.entries, self.entryIndices) = (entries, entryIndices)
  }

  func encode(to encoder: any Encoder) throws {
    let run: ReportMembers = [
      "tool": ["driver": driver], "invocations": [invocation],
      "originalUriBaseIds": [
        Self.baseID: ["description": Message("The folder in which Coffer ran, if possible the root of the repository.")]
      ],
      "artifacts": artifactMembers, "columnKind": "unicodeCodePoints",
      "redactionTokens": IfPresent(results.isRedacted ? [Self.redactionToken] : nil), "results": Results(report: self),
      "properties": IfPresent(results.configuration.map { ["configuration": $0] }),
    ]
    try encoder.encode([
      "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
      "version": "2.1.0", "runs": [run],
    ])
  }

  /// A message (section 3.11) with a plain text.
  struct Message: Encodable {
    private let text: String

    init(_ text: String) { self.text = text.escapedForSARIF }
  }
}

// MARK: The tool and its run

extension SARIFReport {
  private static let limitCode = "findings-left-out"
  private static let notAppliedCode = "rules-not-applied"

  private var driver: ReportMembers {
    let descriptors = notificationCodes.map { code in
      let text =
        switch code {
        case Self.limitCode: "Not all findings are listed."
        case Self.notAppliedCode: "Not all rules are applied."
        default: "The file could not be read completely: \(code)."
        }
      return ["id": code, "shortDescription": Message(text)] as ReportMembers
    }
    return [
      "name": "Coffer", "version": results.toolVersion, "semanticVersion": results.toolVersion,
      "shortDescription": Message("Validates JSON backups of any size."), "rules": rules.map(members),
      "notifications": IfPresent(descriptors.isEmpty ? nil : descriptors),
    ]
  }

  private func members(of rule: ReportedRule) -> ReportMembers {
    let isKeyword = results.keywordSummary(rule.keyword) != nil
    let hint = isKeyword ? " More: coffer rules explain \(rule.keyword.shellWord)" : ""
    var markdown = "**\(rule.keyword.markdown)**: \(rule.description.markdown)\n"
    if !rule.schemaLocations.isEmpty {
      markdown += "\nIn the rules:\n\n" + rule.schemaLocations.map { "- <code>\($0.markdown)</code>\n" }.joined()
    }
    if isKeyword { markdown += "\n`coffer rules explain \(rule.keyword.shellWord)` explains the keyword.\n" }
    markdown = markdown.replacingScalars { "{}".unicodeScalars.contains($0) ? "\($0)\($0)" : nil }
    return [
      // GitHub's limit is 255 characters.
      "id": rule.code, "name": String(rule.keyword.prefix(255)), "shortDescription": Message(rule.summary),
      "fullDescription": Message(rule.description),
      "help": ["text": rule.description.escapedForSARIF + hint, "markdown": markdown] as ReportMembers,
      "defaultConfiguration": ["level": rule.severity],
      "properties": [
        "tags": rule.keyword == "backup" ? ["backup"] : ["backup", rule.keyword], "precision": "very-high",
        "problem.severity": rule.severity == .note ? "recommendation" : rule.severity.rawValue,
      ] as ReportMembers,
    ]
  }

  private var invocation: ReportMembers {
    var notifications = results.reports.enumerated().compactMap { index, report in
      report.error.map { error in
        let place = physicalLocation(file: index, region: error.place.position.map { region(Place(at: $0)) })
        let locations = [["physicalLocation": place]]
        return notification(error.code.rawValue, "error", error.messageWithEntry, locations: locations)
      }
    }
    if let note = results.notAppliedNote { notifications.append(notification(Self.notAppliedCode, "warning", note)) }
    if quota.leftOut > 0 {
      let findings = "\(quota.leftOut.grouped) more \(quota.leftOut == 1 ? "finding is" : "findings are")"
      notifications.append(
        notification(Self.limitCode, "note", "\(findings) not listed: each rule has a share of the list, errors first."))
    }
    return [
      "executionSuccessful": results.reports.allSatisfy { $0.error == nil },
      "toolExecutionNotifications": IfPresent(notifications.isEmpty ? nil : notifications),
    ]
  }

  private func notification(
    _ code: String, _ level: String, _ message: String, locations: [[String: ReportMembers]]? = nil
  ) -> ReportMembers {
    [
      "descriptor": ["id": code, "index": IfPresent(notificationCodes.firstIndex(of: code))] as ReportMembers,
      "level": level, "message": Message(message), "locations": IfPresent(locations),
    ]
  }
}

// MARK: Artifacts and locations

extension SARIFReport {
  private var artifactMembers: [ReportMembers] {
    let files = results.reports.enumerated().map { index, report in
      [
        "location": artifactLocation(file: index),
        "roles": report.isStandardInput ? ["analysisTarget", "standardStream"] : ["analysisTarget"],
        "mimeType": report.container?.kind == "zip" ? "application/zip" : "application/json",
        "properties": [
          "verdict": report.verdict.rawValue, "format": IfPresent(report.format),
          "formatVersion": IfPresent(report.version), "bytes": report.bytes, "records": report.records,
          "findings": report.reportedCounts.severityCounts,
        ] as ReportMembers,
      ] as ReportMembers
    }
    return files + entries.map { ["location": ["uri": $0.name.uriPath], "parentIndex": $0.parent] }
  }

  private func artifactLocation(file: Int, entry: String? = nil) -> ReportMembers {
    if let entry, let index = entryIndices[file][entry] { return ["uri": entry.uriPath, "index": index] }
    let report = results.reports[file]
    let path = report.reportedPath
    let isAbsolute = path.hasPrefix("/")
    return [
      "uri": (isAbsolute ? "file://" : "") + path.uriPath,
      "uriBaseId": IfPresent(isAbsolute || report.isStandardInput ? nil : Self.baseID), "index": file,
    ]
  }

  func physicalLocation(file: Int, entry: String? = nil, region: ReportMembers?) -> ReportMembers {
    ["artifactLocation": artifactLocation(file: file, entry: entry), "region": IfPresent(region)]
  }

  func region(_ place: Place, snippet: String? = nil) -> ReportMembers {
    [
      "startLine": max(1, place.line), "startColumn": max(1, place.column), "endLine": max(1, place.end?.line ?? place.line),
      "endColumn": max(1, place.end?.column ?? place.column), "byteOffset": place.offset,
      "byteLength": max(0, (place.end?.offset ?? place.offset) - place.offset),
      "snippet": IfPresent(snippet.map { ["text": $0] }),
    ]
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
}

extension SARIFReport {
  /// The results: one for each finding.
  struct Results: Encodable {
    let report: SARIFReport

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      var fingerprints = FingerprintMaker(isRedacted: report.results.isRedacted)
      for (index, (file, findings)) in zip(report.results.reports, report.quota.findings).enumerated() {
        fingerprints.beginFile(file.reportedPath)
        for finding in findings {
          try list.encode(report.result(of: finding, file: index, fingerprints.fingerprint(of: finding)))
        }
      }
    }
  }

  private func result(of finding: Finding, file: Int, _ fingerprint: (digest: String, occurrence: Int)) -> ReportMembers {
    let place = physicalLocation(
      file: file, entry: finding.place.entry, region: region(finding.place, snippet: snippet(of: finding)))
    let fingerprint = "\(fingerprint.digest):\(fingerprint.occurrence)"
    let baseline = hasBaseline ? finding.baseline ?? .new : nil
    return [
      "ruleId": finding.code, "ruleIndex": IfPresent(ruleIndices[finding.code]), "level": finding.severity,
      "message": Message(finding.message.isEmpty ? finding.code : finding.message),
      "locations": [
        ["physicalLocation": place, "logicalLocations": IfPresent(logicalLocation(finding.place.pointer).map { [$0] })]
          as ReportMembers
      ],
      "partialFingerprints": ["cofferFinding/v1": fingerprint, "primaryLocationLineHash": fingerprint] as ReportMembers,
      "baselineState": IfPresent(baseline.map { $0 == .new ? "new" : "unchanged" }),
      "suppressions": IfPresent(baseline.flatMap(suppression).map { [$0] }), "properties": properties(of: finding),
    ]
  }

  /// The snippet of a region is its whole text, which excerpts of long values aren't.
  private func snippet(of finding: Finding) -> String? {
    guard let end = finding.place.end else { return nil }
    if results.isRedacted { return Self.redactionToken }
    return finding.excerpt?.utf8.count == end.offset - finding.place.offset ? finding.excerpt : nil
  }

  private func logicalLocation(_ pointer: String) -> ReportMembers? {
    guard !pointer.isEmpty else { return nil }
    let token = pointer[(pointer.lastIndex(of: "/").map(pointer.index(after:)) ?? pointer.startIndex)...]
    let isItem = !token.isEmpty && token.allSatisfy(\.isWholeNumber)
    return [
      "name": IfPresent(token.isEmpty ? nil : String(token)), "fullyQualifiedName": pointer,
      "kind": isItem ? "value" : "property",
    ]
  }

  private func suppression(_ baseline: BaselineState) -> ReportMembers? {
    guard case .known(let reason) = baseline else { return nil }
    return ["kind": "external", "status": "accepted", "justification": IfPresent(reason?.isEmpty == true ? nil : reason)]
  }

  private func properties(of finding: Finding) -> ReportMembers {
    let record = finding.record.map { record in
      let key = record.key.map { results.isRedacted ? Self.redactionToken : $0 }
      return ["collection": record.collection, "title": IfPresent(record.title), "key": IfPresent(key)] as ReportMembers
    }
    return ["schema": finding.schemaLocation, "excerpt": IfPresent(finding.excerpt), "record": IfPresent(record)]
  }
}
