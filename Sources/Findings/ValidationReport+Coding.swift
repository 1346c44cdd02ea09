import ByteStreams

/// The report on one document:
///
///     {"file": "a.json", "format": "ev-charging-tracker", "version": 9, "valid": false, "bytes": 1048576, "records": 4711,
///       "collections": [{"pointer": "/cars", "records": 12}, …],
///       "counts": {"error": 2, "warning": 0, "note": 1, "byCode": {"foreign-key": 2, "unknown-field": 1}, "byRule": […]},
///       "values": {"/properties/cars/items/required": 12, …},
///       "distribution": {"partSize": 16384, "parts": [{"offset": 16384, "error": 2, "note": 1}]}, "notShown": 0,
///       "findings": [{"code": …, "keyword": …, "severity": …, "message": …, "pointer": …, "line": …, "column": …, "offset": …,
///                     "schema": …, "excerpt": …}],
///       "dialect": …, "candidates": [{"format": …, "reasons": ["/cars exists"], "missing": []}],
///       "accepted": {"error": 1, …}, "resolved": {"count": 1, "findings": [{"code": …, "collection": …, "key": …, …}]}}
///
/// `policy` is present if it isn't the default: `{"failOn": "warning", "tolerated": {"order": "3", "foreign-key": "0.1%"}}`.
///
/// `findingsExceedMemory` is present, and true, if fewer findings are shown than requested because their details take too much
/// memory. `values` has the number of values that each rule applied to, by the rule's place, except for rules that applied to none; it
/// is present if rules were applied. `leftOut` names the collections that were not validated, if only some were. `formatProblem` is
/// present if no rules were applied: `unknown-format` or `ambiguous-format`. The time and the checked rules are not part of the
/// report.
extension ValidationReport: Codable {
  private enum CodingKeys: CodingKey {
    case file, format, formatProblem, version, leftOut, container, bytes, records, counts, findingsExceedMemory, findings, dialect
    case candidates, error, accepted, resolved, policy, distribution, collections, values
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "file": file, "format": format, "formatProblem": IfPresent(formatProblem), "version": version.map(ReportedVersion.init),
      "leftOut": IfPresent(leftOut.isEmpty ? nil : leftOut), "valid": isValid, "container": IfPresent(container), "bytes": bytes,
      "records": records, "collections": IfPresent(collections.isEmpty ? nil : collections), "counts": counts,
      "values": IfPresent(valuesByPlace.map { ReportMembers($0) }),
      "distribution": IfPresent(distribution.total == 0 ? nil : distribution),
      "notShown": notShown,
      "findingsExceedMemory": IfPresent(findingsExceedMemory ? true : nil), "findings": findings, "dialect": IfPresent(dialect),
      "candidates": IfPresent(candidates.isEmpty ? nil : candidates), "error": IfPresent(error),
      "accepted": IfPresent(resolved == nil && acceptedCounts.total == 0 ? nil : acceptedCounts), "resolved": IfPresent(resolved),
      "policy": IfPresent(policy == FailurePolicy() ? nil : policy),
    ])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(file: try members.decode(String.self, forKey: .file))
    format = try members.decodeIfPresent(String.self, forKey: .format)
    formatProblem = try members.decodeIfPresent(FormatProblem.self, forKey: .formatProblem)
    version = try members.decodeIfPresent(ReportedVersion.self, forKey: .version)?.text
    leftOut = try members.decodeIfPresent([String].self, forKey: .leftOut) ?? []
    container = try members.decodeIfPresent(ContainerSummary.self, forKey: .container)
    bytes = try members.decode(Int.self, forKey: .bytes)
    records = try members.decode(Int.self, forKey: .records)
    for (key, count) in [(CodingKeys.bytes, bytes), (.records, records)] where !(0...1 << 53).contains(count) {
      throw DecodingError.invalid("the number is out of range", at: decoder.codingPath + [key])
    }
    collections = try members.decodeIfPresent([CollectionCount].self, forKey: .collections) ?? []
    findings = try members.decode([Finding].self, forKey: .findings)
    counts = try FindingCounts(from: members.superDecoder(forKey: .counts), of: findings)
    let values = try members.decodeIfPresent([String: Int].self, forKey: .values)
    // Reports add them.
    if let counts = values?.values, counts.contains(where: { $0 < 0 }) || counts.reduce(0.0, { $0 + Double($1) }) > 0x1p53 {
      throw DecodingError.invalid("a number is out of range", at: decoder.codingPath + [CodingKeys.values])
    }
    ruleValues = values?.map(RuleValues.init).sorted { $0.schemaLocation < $1.schemaLocation }
    distribution = try members.decodeIfPresent(FindingDistribution.self, forKey: .distribution) ?? FindingDistribution()
    findingsExceedMemory = try members.decodeIfPresent(Bool.self, forKey: .findingsExceedMemory) ?? false
    dialect = try members.decodeIfPresent(String.self, forKey: .dialect)
    candidates = try members.decodeIfPresent([FormatCandidate].self, forKey: .candidates) ?? []
    error = try members.decodeIfPresent(CofferError.self, forKey: .error)
    if members.contains(.accepted) {
      acceptedCounts = try FindingCounts(
        from: members.superDecoder(forKey: .accepted), of: findings.filter(\.isAccepted))
    }
    resolved = try members.decodeIfPresent(ResolvedFindings.self, forKey: .resolved)
    policy = try members.decodeIfPresent(FailurePolicy.self, forKey: .policy) ?? FailurePolicy()
  }
}
