/// Findings that are known and accepted.
///
/// It is a JSON document that `coffer validate --update-baseline` writes, a line for each finding, so that version control
/// shows what changes. `count` is present if several findings have the same identity; `reason` is for people:
///
///     {
///       "formatVersion": 1,
///       "findings": [
///         {"code": "foreign-key", "collection": "/expenses", "key": "28", "pointer": "/carId", "reason": "car sold in 2019"},
///         {"code": "maximum", "pointer": "/trips/*/km", "count": 3}
///       ]
///     }
///
/// For example:
///
///     options.baseline = Baseline([.init(identity, reason: "car sold in 2019")])
///     let report = try Validator(rules, options: options).validate(source, named: "export.json")
///     report.isValid                              // true if it has no other errors
public struct Baseline: Sendable, Equatable {
  /// The most findings in a baseline.
  public static let limit = 1 << 20

  /// Findings with the same identity.
  public struct Entry: Sendable, Hashable {
    public var identity: FindingIdentity
    public private(set) var count: Int
    /// Why they are accepted.
    public var reason: String?

    public init(_ identity: FindingIdentity, count: Int = 1, reason: String? = nil) {
      self.identity = identity
      self.count = min(Baseline.limit, max(1, count))
      self.reason = reason
    }
  }

  public private(set) var entries: [Entry]

  public init(_ entries: [Entry]) { self.entries = entries }

  /// Creates a baseline that accepts all findings of these reports, with the reasons of an earlier one.
  ///
  /// If several reports have findings of one identity, it has the highest of their counts.
  public init(accepting reports: [ValidationReport], reasonsOf earlier: Baseline? = nil) {
    var counts: [FindingIdentity: Int] = [:]
    for report in reports {
      let identities = report.findings.map { ($0.identity, 1) }
      counts.merge(Dictionary(identities, uniquingKeysWith: +), uniquingKeysWith: max)
    }
    let reasons = Dictionary((earlier?.entries ?? []).map { ($0.identity, $0.reason) }) { first, _ in first }
    entries = counts.map { Entry($0.key, count: $0.value, reason: reasons[$0.key] ?? nil) }
    entries.sort { $0.identity < $1.identity }
  }

  /// The number of findings that it accepts, at most ``limit``.
  public var count: Int { entries.reduce(0) { min(Self.limit, $0 + $1.count) } }
}

extension FindingIdentity: Comparable {
  /// Orders by entry, collection and code, then by key (numbers as numbers) and pointer.
  public static func < (a: FindingIdentity, b: FindingIdentity) -> Bool {
    (a.entry ?? "", a.collection ?? "", a.code, a.numberLength, a.key ?? "", a.pointer)
      < (b.entry ?? "", b.collection ?? "", b.code, b.numberLength, b.key ?? "", b.pointer)
  }

  /// The number of digits of a key that is a natural number: of two without leading zeros, the longer one is greater.
  private var numberLength: Int {
    guard let key, key.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return .max }
    return key.utf8.count
  }
}

extension Finding {
  public var identity: FindingIdentity { FindingIdentity(self) }
}

extension ValidationReport {
  /// Compares the findings with those of a baseline. It accepts the first ones of each identity, as many as it has.
  ///
  /// Findings that were only counted are new. If more than `limit` findings are kept, those that the baseline accepts become
  /// counts first.
  ///
  /// - Parameter limit: the number of findings to keep.
  package mutating func compare(with baseline: Baseline, keeping limit: Int) {
    var known = Dictionary(baseline.entries.map { ($0.identity, (count: $0.count, reason: $0.reason)) }) { first, second in
      (min(Baseline.limit, first.count + second.count), first.reason ?? second.reason)
    }
    acceptedCounts = FindingCounts()
    for index in findings.indices {
      let identity = findings[index].identity
      guard let entry = known[identity], entry.count > 0 else {
        findings[index].baseline = .new
        continue
      }
      known[identity]?.count -= 1
      findings[index].baseline = .known(reason: entry.reason)
      let rule = findings[index].rule
      // Some are counted without their places in the rules.
      acceptedCounts.add(1, counts.byRule[rule] == nil ? rule.kind : rule)
    }
    // A document that was read or compared only in part may still have the others.
    if error == nil, leftOut.isEmpty, notShown == 0 {
      var resolved = ResolvedFindings()
      for entry in baseline.entries {
        guard let rest = known.removeValue(forKey: entry.identity), rest.count > 0 else { continue }
        resolved.count = min(Baseline.limit, resolved.count + rest.count)
        if resolved.entries.count < limit {
          resolved.entries.append(Baseline.Entry(entry.identity, count: rest.count, reason: rest.reason))
        }
      }
      self.resolved = resolved
    } else {
      resolved = ResolvedFindings()
    }
    keep(limit)
  }

  private mutating func keep(_ limit: Int) {
    guard findings.count > limit else { return }
    let new = findings.filter { !$0.isAccepted }.fairChoice(of: limit)
    findings = (new + findings.filter(\.isAccepted).fairChoice(of: limit - new.count)).sorted()
  }
}

/// How a finding compares with a baseline, a list of findings that are accepted.
public enum BaselineState: Sendable, Hashable {
  /// The baseline doesn't have it.
  case new
  /// The baseline accepts it, for this reason if it gives one.
  case known(reason: String?)
}

/// The findings of a baseline that a document no longer has:
///
///     {"count": 1, "findings": [{"code": "foreign-key", "collection": "/expenses", "key": "28", "pointer": "/carId"}]}
public struct ResolvedFindings: Sendable, Equatable, Codable {
  /// The number of resolved findings.
  public var count = 0
  /// The first ones, in the baseline's order, up to the number of findings that the report shows.
  public var entries: [Baseline.Entry] = []

  private enum CodingKeys: String, CodingKey { case count, entries = "findings" }

  public init(_ entries: [Baseline.Entry] = []) {
    self.entries = entries
    count = entries.reduce(0) { $0 + $1.count }
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    count = try members.decode(Int.self, forKey: .count)
    entries = try members.decode([Baseline.Entry].self, forKey: .entries)
    guard (0...Baseline.limit).contains(count) else {
      throw DecodingError.dataCorruptedError(forKey: .count, in: members, debugDescription: "the number is out of range")
    }
  }
}

extension [ValidationReport] {
  /// Keeps only the resolved findings that no document has any more, in the first report.
  package mutating func joinResolved() {
    guard count > 1, let first = first?.resolved else { return }
    var common = first.entries
    for report in dropFirst() {
      let resolved = Set(report.resolved?.entries.map(\.identity) ?? [])
      common.removeAll { !resolved.contains($0.identity) }
    }
    for index in indices { self[index].resolved = ResolvedFindings(index == 0 ? common : []) }
  }
}

/// A baseline's entry: the members of its identity, `count` if it isn't 1, and `reason` if it has one.
extension Baseline.Entry: Codable {
  private enum CodingKeys: CodingKey { case count, reason }

  public func encode(to encoder: any Encoder) throws {
    try encoder.encode([
      "code": identity.code, "entry": IfPresent(identity.entry), "collection": IfPresent(identity.collection),
      "key": IfPresent(identity.key), "pointer": identity.pointer, "count": IfPresent(count == 1 ? nil : count),
      "reason": IfPresent(reason),
    ])
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    let count = try members.decodeIfPresent(Int.self, forKey: .count) ?? 1
    self.init(
      try FindingIdentity(from: decoder), count: count, reason: try members.decodeIfPresent(String.self, forKey: .reason))
    guard (1...Baseline.limit).contains(count) else {
      throw DecodingError.dataCorruptedError(
        forKey: .count, in: members, debugDescription: "the number is not in 1...\(Baseline.limit)")
    }
  }
}
