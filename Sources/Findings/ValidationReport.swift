public import ByteStreams

/// The result of validating one document.
public struct ValidationReport: Sendable, Equatable {
  /// The document's name as given by the caller: a path, or `-`.
  public var file: String
  /// The format or rule document that the document was checked against. If `nil`, `formatProblem` or `error` gives the reason.
  public var format: String?
  /// The reason why no rules were applied. Such a document is not valid, even if it is well-formed.
  public var formatProblem: FormatProblem?
  /// The dialect of the format that the document uses, if it has a name.
  public var dialect: String?
  /// The detected formats: the one that fits, all that fit, or the nearest ones if none fits. Empty if the caller named the
  /// format.
  public var candidates: [FormatCandidate] = []
  /// The version that the document declares, as spelled there.
  public var version: String?
  /// The names of the collections that were not validated because the caller selected others.
  public var leftOut: [String] = []
  /// The container that the document is an entry of, or `nil` if the document is a file.
  public var container: ContainerSummary?
  /// The document's size in bytes (uncompressed), as far as it was read.
  public var bytes = 0
  /// The number of items in the root array, or in the arrays that are direct members of the root object.
  public var records = 0
  /// The records of each such array that was read to its end, in document order: at most 1,000.
  public var collections: [CollectionCount] = []
  public var counts = FindingCounts()
  /// A fair choice of the findings (`FairChoice`), up to the requested number, in document order.
  public var findings: [Finding] = []
  /// The findings among `counts` that a baseline accepts.
  public var acceptedCounts = FindingCounts()
  /// The findings of the baseline that the document no longer has, or `nil` if it wasn't compared with a baseline.
  public var resolved: ResolvedFindings?
  /// The rules that the document was checked against, those without findings too; empty: they aren't known.
  public var checkedRules: [CheckedRule] = []
  /// The values that rules applied to, sorted by their places. Rules that applied to none are left out. `nil`: not known.
  public var ruleValues: [RuleValues]?
  /// The syntax that the document's beginning shows, if its name and the caller say another one: `seq`.
  public var detectedSyntax: String?
  /// True if the document is an array, and the rules only describe other values: they may be meant for each item.
  public var mayNeedEach = false
  /// The error that ended reading before the document's end. `findings` still holds the findings before that place.
  public var error: CofferError?
  /// The time from the first byte to the result, in seconds.
  public var seconds = 0.0

  public init(file: String) { self.file = file }

  /// Decides which findings make the document invalid.
  public var policy = FailurePolicy()

  /// True if the document was checked against rules and read to its end without an error, and no finding makes it invalid: by
  /// default errors, except those that a baseline accepts.
  public var isValid: Bool { error == nil && formatProblem == nil && policy.failures(in: self).total == 0 }

  /// Returns the number of values that the rules at a place of the rule document applied to, or `nil` if there are none, or it isn't known.
  package func values(at schemaLocation: String) -> Int? {
    guard let ruleValues else { return nil }
    var (low, high) = (0, ruleValues.count)
    while low < high {
      let middle = (low + high) / 2
      if ruleValues[middle].schemaLocation < schemaLocation { low = middle + 1 } else { high = middle }
    }
    return low < ruleValues.count && ruleValues[low].schemaLocation == schemaLocation ? ruleValues[low].count : nil
  }

  /// Returns the number of values that a rule applied to, or `nil` if it isn't known.
  package func values(of rule: CheckedRule) -> Int? {
    rule.isCounted && ruleValues != nil ? values(at: rule.schemaLocation) ?? 0 : nil
  }

  /// The number of findings that were counted but not kept.
  public var notShown: Int { counts.total - findings.count }

  /// True if fewer findings than requested are kept because the details of more would exceed `FindingCollector.memoryLimit`.
  public var findingsExceedMemory = false
}

/// The reason why a document's format isn't known. Such a document is only checked for well-formedness.
public enum FormatProblem: String, Sendable, Codable {
  /// No known format fits.
  case unknown = "unknown-format"
  /// Several formats fit.
  case ambiguous = "ambiguous-format"
}

/// A format that a document may have, with the reasons.
public struct FormatCandidate: Sendable, Hashable, Codable {
  public var name: String
  /// Descriptions of the detection criteria that the document meets.
  public var reasons: [String]
  /// Descriptions of the detection criteria that the document doesn't meet; empty if the format fits.
  public var missing: [String]

  private enum CodingKeys: String, CodingKey { case name = "format", reasons, missing }

  public init(name: String, reasons: [String], missing: [String]) {
    self.name = name
    self.reasons = reasons
    self.missing = missing
  }
}

/// The number of records in an array.
public struct CollectionCount: Sendable, Hashable, Codable {
  /// The JSON Pointer of the array.
  public var pointer: String
  public var records: Int

  public init(pointer: String, records: Int) {
    self.pointer = pointer
    self.records = records
  }
}

/// A summary of a container's content.
public struct ContainerSummary: Sendable, Hashable, Codable {
  /// The kind of container, stable for programs: `zip`.
  public var kind: String
  public var entries: Int
  /// The uncompressed size of all entries.
  public var bytes: Int

  public init(kind: String, entries: Int, bytes: Int) {
    self.kind = kind
    self.entries = entries
    self.bytes = bytes
  }
}

/// A document's version in a report: a number if it is spelled as one, else a string.
package struct ReportedVersion: Codable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    text = try (try? value.decode(Int64.self)).map(String.init) ?? value.decode(String.self)
  }

  package func encode(to encoder: any Encoder) throws {
    if let number = Int64(text) { try number.encode(to: encoder) } else { try text.encode(to: encoder) }
  }
}

/// The report on one document:
///
///     {"file": "a.json", "format": "ev-charging-tracker", "version": 9, "valid": false, "bytes": 1048576, "records": 4711,
///       "collections": [{"pointer": "/cars", "records": 12}, …],
///       "counts": {"error": 2, "warning": 0, "note": 1, "byCode": {"foreign-key": 2, "unknown-field": 1}, "byRule": […]},
///       "values": {"/properties/cars/items/required": 12, …},
///       "notShown": 0,
///       "findings": [{"code": …, "keyword": …, "severity": …, "message": …, "pointer": …, "line": …, "column": …, "offset": …,
///                     "schema": …, "excerpt": …}],
///       "dialect": …, "syntax": "seq", "candidates": [{"format": …, "reasons": ["/cars exists"], "missing": []}],
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
    case file, format, formatProblem, version, leftOut, container, bytes, records, counts, findingsExceedMemory, findings,
      dialect, syntax
    case candidates, error, accepted, resolved, policy, collections, values
  }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "file": file, "format": format, "formatProblem": IfPresent(formatProblem), "version": version.map(ReportedVersion.init),
      "leftOut": IfPresent(leftOut.isEmpty ? nil : leftOut), "valid": isValid, "container": IfPresent(container), "bytes": bytes,
      "records": records, "collections": IfPresent(collections.isEmpty ? nil : collections), "counts": counts,
      "values": IfPresent(
        ruleValues.map { ReportMembers(Dictionary($0.map { ($0.schemaLocation, $0.count) }) { first, _ in first }) }),
      "notShown": notShown,
      "findingsExceedMemory": IfPresent(findingsExceedMemory ? true : nil), "findings": findings, "dialect": IfPresent(dialect),
      "syntax": IfPresent(detectedSyntax),
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
    // Reports add them. Integers, since sums of Doubles depend on the dictionary's order.
    var room = 1 << 53
    for count in (values ?? [:]).values {
      guard 0...room ~= count else {
        throw DecodingError.invalid("a number is out of range", at: decoder.codingPath + [CodingKeys.values])
      }
      room -= count
    }
    ruleValues = values?.map(RuleValues.init).sorted { $0.schemaLocation < $1.schemaLocation }
    findingsExceedMemory = try members.decodeIfPresent(Bool.self, forKey: .findingsExceedMemory) ?? false
    dialect = try members.decodeIfPresent(String.self, forKey: .dialect)
    detectedSyntax = try members.decodeIfPresent(String.self, forKey: .syntax)
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

/// An error in a report: `{"code": …, "message": …, "line": …, "column": …, "offset": …}`, without a place if it has none. The
/// message names the archive's entry.
extension CofferError: Codable {
  private enum CodingKeys: CodingKey { case code, message, line, column, offset }

  public func encode(to encoder: any Encoder) throws {
    let position = place.position
    try encoder.encode([
      "code": code.rawValue, "message": messageWithEntry, "line": IfPresent(position?.line),
      "column": IfPresent(position?.column), "offset": IfPresent(position?.offset),
    ])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    var place = Place()
    if members.contains(.line) {
      place.position = TextPosition(
        offset: try members.decode(Int.self, forKey: .offset), line: try members.decode(Int.self, forKey: .line),
        column: try members.decode(Int.self, forKey: .column))
    }
    self.init(
      Code(rawValue: try members.decode(String.self, forKey: .code)), try members.decode(String.self, forKey: .message),
      at: place)
  }
}
