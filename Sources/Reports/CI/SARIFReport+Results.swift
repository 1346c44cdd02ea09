import Findings

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
