/// Chooses which findings to keep if there are too many: a share for every rule, so that no flood of one rule hides another.
///
/// All rules share half of the places evenly, or more if half has fewer than one for each. The others go to errors first, then to
/// warnings, then to notes, evenly by the rules of each. A rule that needs less leaves the rest to the others:
///
///     1200 enum, 1 foreign-key, 3 unknown-field (notes), of which 100 are kept:  96, 1, 3
///
/// Half of a rule's share are its first findings, the other half is spread over the document: those whose offsets have the
/// smallest hashes. In each half, the first finding that doesn't fit ends the choice.
///
/// So the choice depends only on the findings, not on their order of arrival, and it can be made in parts: what one part drops, the
/// whole would drop, because shares only get smaller when more findings come.
package struct FairChoice: Sendable {
  /// The findings of one rule that were not dropped.
  package var findings: [Finding] = []
  /// The first of those that were dropped, in document order and in that of the hashes. None that comes later in both is chosen.
  package var firstEnd: Finding?
  package var spreadEnd: Finding?

  package init() {}

  /// Ends the choice where another one, of other findings of the rule, ended.
  mutating func end(as other: FairChoice) {
    firstEnd = [firstEnd, other.firstEnd].compactMap(\.self).min()
    spreadEnd = [spreadEnd, other.spreadEnd].compactMap(\.self).min(by: Self.isSpreadBefore)
  }

  /// Drops the findings that don't fit in the rule's share.
  ///
  /// - Parameters:
  ///   - isSpread: false if only the first ones are wanted.
  ///   - cost: the places that a finding takes.
  package mutating func cut(to share: Int, isSpread: Bool = true, cost: (Finding) -> Int = { _ in 1 }) {
    /// Returns how many findings fit, up to the first that doesn't.
    func fitting(_ findings: some Sequence<Finding>, in share: Int, before isBefore: (Finding) -> Bool = { _ in true }) -> Int {
      var rest = share
      return findings.prefix { finding in
        rest -= cost(finding)
        return rest >= 0 && isBefore(finding)
      }.count
    }
    findings.sort()
    if firstEnd == nil, fitting(findings, in: share) == findings.count { return }
    let spreadShare = isSpread ? share / 2 : 0
    let firstCount = fitting(findings, in: share - spreadShare) { finding in firstEnd.map { finding <= $0 } ?? true }
    let first = findings.prefix(firstCount)
    var others = Array(findings.dropFirst(firstCount))
    firstEnd = [firstEnd, others.first].compactMap(\.self).min()
    others.sort(by: Self.isSpreadBefore)
    let spreadCount = fitting(others, in: spreadShare) { finding in spreadEnd.map { !Self.isSpreadBefore($0, finding) } ?? true }
    spreadEnd = [spreadEnd, others.dropFirst(spreadCount).first].compactMap(\.self).min(by: Self.isSpreadBefore)
    findings = first + others.prefix(spreadCount).sorted()
  }

  private static func isSpreadBefore(_ a: Finding, _ b: Finding) -> Bool {
    let (hashA, hashB) = (hash(of: a.place.offset), hash(of: b.place.offset))
    return hashA == hashB ? a < b : hashA < hashB
  }

  /// A hash that spreads offsets evenly: the finalizer of SplitMix64.
  static func hash(of offset: Int) -> UInt64 {
    var hash = UInt64(bitPattern: Int64(offset)) &+ 0x9E37_79B9_7F4A_7C15
    hash = (hash ^ hash >> 30) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 27) &* 0x94D0_49BB_1331_11EB
    return hash ^ hash >> 31
  }

  // MARK: Shares

  /// The places that the findings of a rule need.
  package struct Demand {
    package var severity: Severity
    package var places: Int

    package init(severity: Severity, places: Int) {
      self.severity = severity
      self.places = places
    }
  }

  /// Returns each rule's share of `limit` places.
  ///
  /// - Parameter demands: those of the rules, in an order that depends only on the rules.
  package static func shares(of limit: Int, among demands: [Demand]) -> [Int] {
    let half = limit / 2 + limit % 2
    var shares = evenly(half, demands.map(\.places))
    if demands.count(where: { $0.places > 0 }) > half {
      // One for each rule takes more.
      shares = demands.map { _ in 0 }
      let order = demands.indices.sorted { (demands[$1].severity, $0) < (demands[$0].severity, $1) }
      for index in order.lazy.filter({ demands[$0].places > 0 }).prefix(limit) { shares[index] = 1 }
    }
    var left = limit - shares.reduce(0, +)
    for severity in Severity.mostSevereFirst where left > 0 {
      let more = evenly(left, zip(demands, shares).map { $0.severity == severity ? $0.places - $1 : 0 })
      for index in shares.indices { shares[index] += more[index] }
      left -= more.reduce(0, +)
    }
    return shares
  }

  /// Distributes places evenly. If they can't be, the first ones get one more.
  private static func evenly(_ places: Int, _ demands: [Int]) -> [Int] {
    var left = places
    var shares = demands.map { _ in 0 }
    // The smallest demands first: each takes at most an equal part of what is left.
    let order = demands.indices.sorted { demands[$0] < demands[$1] }
    var level = 0
    for (position, index) in order.enumerated() {
      level = left / (order.count - position)
      if demands[index] > level { break }
      shares[index] = demands[index]
      left -= demands[index]
    }
    for index in demands.indices where demands[index] > shares[index] {
      shares[index] = level
      left -= level
    }
    for index in demands.indices where left > 0 && demands[index] > shares[index] {
      shares[index] += 1
      left -= 1
    }
    return shares
  }
}

extension [Finding] {
  /// Returns a fair choice of at most `limit` findings, in document order.
  ///
  /// - Parameter rule: the rule with which a finding shares places.
  package func fairChoice(of limit: Int, by rule: (Finding) -> FindingRule = \.rule) -> [Finding] {
    guard count > limit else { return sorted() }
    let groups = Dictionary(grouping: self, by: rule).sorted { $0.key < $1.key }
    let shares = FairChoice.shares(
      of: limit, among: groups.map { FairChoice.Demand(severity: $0.key.severity, places: $0.value.count) })
    return zip(groups, shares).flatMap { $0.value.fairChoice(ofRule: $1) }.sorted()
  }

  /// Returns the findings of one rule that fit in its share, in document order.
  package func fairChoice(ofRule share: Int) -> [Finding] {
    var choice = FairChoice()
    choice.findings = self
    choice.cut(to: share)
    return choice.findings
  }
}
