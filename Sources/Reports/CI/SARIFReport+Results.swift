import ByteStreams
import Findings
import JSONEvents

/// The results: one for each finding.
extension SARIFReport {
  func writeResults(_ json: inout JSONEventWriter, to sink: inout some ByteSink) throws(CofferError) {
    json.key("results")
    json.beginArray()
    var quota = quota
    var fingerprints = FingerprintMaker(isRedacted: results.isRedacted)
    for (index, report) in results.reports.enumerated() {
      fingerprints.beginFile(report.reportedPath)
      for finding in report.reportedFindings where quota.takes(finding) {
        write(finding, file: index, fingerprints.fingerprint(of: finding), &json)
        try json.drainPrintable(to: &sink)
      }
    }
    json.endArray()
  }

  private func write(
    _ finding: Finding, file: Int, _ fingerprint: (digest: String, occurrence: Int), _ json: inout JSONEventWriter
  ) {
    json.beginObject()
    json.member("ruleId", finding.code)
    if let index = ruleIndices[finding.code] { json.member("ruleIndex", index) }
    json.member("level", finding.severity.rawValue)
    json.key("message")
    json.text(finding.message.isEmpty ? finding.code : finding.message)
    json.key("locations")
    json.beginArray()
    json.beginObject()
    json.key("physicalLocation")
    json.beginObject()
    json.key("artifactLocation")
    writeLocation(file: file, entry: finding.place.entry, &json)
    json.key("region")
    write(finding.place, excerpt: finding.excerpt, &json)
    json.endObject()
    let pointer = finding.place.pointer
    if !pointer.isEmpty {
      json.key("logicalLocations")
      json.beginArray()
      json.beginObject()
      let token = pointer[(pointer.lastIndex(of: "/").map(pointer.index(after:)) ?? pointer.startIndex)...]
      let isItem = !token.isEmpty && token.allSatisfy(\.isWholeNumber)
      if !token.isEmpty { json.member("name", String(token)) }
      json.member("fullyQualifiedName", pointer)
      json.member("kind", isItem ? "value" : "property")
      json.endObject()
      json.endArray()
    }
    json.endObject()
    json.endArray()
    json.key("partialFingerprints")
    json.beginObject()
    let text = "\(fingerprint.digest):\(fingerprint.occurrence)"
    json.member("cofferFinding/v1", text)
    json.member("primaryLocationLineHash", text)
    json.endObject()
    if hasBaseline { writeBaseline(finding.baseline ?? .new, &json) }
    writeProperties(finding, &json)
    json.endObject()
  }

  private func writeBaseline(_ baseline: BaselineState, _ json: inout JSONEventWriter) {
    switch baseline {
    case .new: json.member("baselineState", "new")
    case .known(let reason):
      json.member("baselineState", "unchanged")
      json.key("suppressions")
      json.beginArray()
      json.beginObject()
      json.member("kind", "external")
      json.member("status", "accepted")
      if let reason, !reason.isEmpty { json.member("justification", reason) }
      json.endObject()
      json.endArray()
    }
  }

  private func writeProperties(_ finding: Finding, _ json: inout JSONEventWriter) {
    json.key("properties")
    json.beginObject()
    json.member("schema", finding.schemaLocation)
    if let excerpt = finding.excerpt { json.member("excerpt", excerpt) }
    if let record = finding.record {
      json.key("record")
      json.beginObject()
      json.member("collection", record.collection)
      if let title = record.title { json.member("title", title) }
      if let key = record.key { json.member("key", results.isRedacted ? Self.redactionToken : key) }
      json.endObject()
    }
    json.endObject()
  }

  private func write(_ place: Place, excerpt: String?, _ json: inout JSONEventWriter) {
    writeRegion(place.line, place.column, place.offset, end: place.end, &json)
    if let end = place.end {
      // A snippet is the region's whole text, which excerpts of long values aren't.
      let snippet = results.isRedacted ? Self.redactionToken : excerpt?.utf8.count == end.offset - place.offset ? excerpt : nil
      if let snippet {
        json.key("snippet")
        json.beginObject()
        json.member("text", snippet)
        json.endObject()
      }
    }
    json.endObject()
  }

  /// Writes a region without its closing bracket.
  func writeRegion(_ line: Int, _ column: Int, _ offset: Int, end: Place.End?, _ json: inout JSONEventWriter) {
    json.beginObject()
    json.member("startLine", max(1, line))
    json.member("startColumn", max(1, column))
    json.member("endLine", max(1, end?.line ?? line))
    json.member("endColumn", max(1, end?.column ?? column))
    json.member("byteOffset", offset)
    json.member("byteLength", max(0, (end?.offset ?? offset) - offset))
  }
}
