import ByteStreams

/// Collects findings in any order: counts all of them by rule, and keeps the details of a fair choice (`FairChoice`).
///
/// It keeps the details of `limit` findings, or of fewer if they take much memory: each may take its part of a memory limit, and a
/// larger one takes the places of several. Which ones are kept depends only on the findings, never on the order of their arrival.
///
/// Memory: at most 1.25 × the memory limit, and three findings for each rule that has many.
public struct FindingCollector: Sendable {
  /// The usual memory limit for details of kept findings, in bytes.
  public static let memoryLimit = 32 << 20

  /// The findings of a rule.
  package struct Share {
    package let rule: FindingRule
    /// The number of all findings.
    package fileprivate(set) var count = 0
    /// The places of those that were offered with details, at least one for each. It is exact until one is removed.
    package fileprivate(set) var demand = 0
    package fileprivate(set) var kept = FairChoice()
    fileprivate var bound = Bound()
    fileprivate var isSpread = true
    /// The offsets of the findings in the document, if they are wanted.
    fileprivate var offsets: [Int] = []

    fileprivate init(_ rule: FindingRule, _ bound: Bound, isSpread: Bool) {
      self.rule = rule
      self.bound = bound
      self.isSpread = isSpread
    }

    /// Creates a share that was stored.
    package init(rule: FindingRule, count: Int, demand: Int, kept: FairChoice) {
      self.rule = rule
      self.count = count
      self.demand = demand
      self.kept = kept
    }
  }

  /// Decides about findings whose details aren't known yet.
  fileprivate struct Bound: Hashable {
    var lastOffset = Int.max
    var lastHash = UInt64.max

    func admits(offset: Int) -> Bool { offset <= lastOffset || FairChoice.hash(of: offset) <= lastHash }

    mutating func narrow(to choice: FairChoice) {
      if let end = choice.firstEnd { lastOffset = min(lastOffset, end.place.offset) }
      if let end = choice.spreadEnd { lastHash = min(lastHash, FairChoice.hash(of: end.place.offset)) }
    }
  }

  private var shares: [Share] = []
  private var indices: [FindingRule: Int] = [:]
  /// The shares in the order of their rules, when they were last sorted.
  private var order: [Int] = []
  /// The most places that are taken in addition because there are many rules.
  private static let ruleSlack = 1 << 12
  private let limit: Int
  /// The memory for a place.
  private let placeMemory: Int
  /// The places that are taken.
  private var taken = 0
  private let bounds: Bounds
  private let isSpread: Bool
  /// The number of offsets of errors that may still be added.
  private var offsetsLeft: Int

  /// What earlier findings leave for later ones: findings that it refuses are only counted.
  public struct Bounds: Sendable, Hashable {
    fileprivate var byRule: [FindingRule: Bound] = [:]
    /// The number of errors whose offsets are kept, even if their details aren't: 8 bytes for each.
    package var offsetLimit = 0

    public init() {}
  }

  /// - Parameters:
  ///   - limit: the number of findings to keep. Further ones are only counted.
  ///   - memoryLimit: the most memory for their details, in bytes.
  ///   - bounds: those of the collector that this one will be merged into.
  ///   - isSpread: false to keep only the first findings of each rule, because not all are offered with details.
  public init(limit: Int, memoryLimit: Int = Self.memoryLimit, bounds: Bounds = Bounds(), isSpread: Bool = true) {
    self.limit = max(0, min(limit, memoryLimit / MemoryLayout<Finding>.stride))
    placeMemory = max(1, memoryLimit / max(1, self.limit))
    self.bounds = bounds
    self.isSpread = isSpread
    offsetsLeft = bounds.offsetLimit
  }

  public var counts: FindingCounts {
    shares.reduce(into: FindingCounts()) { $0.add($1.count, $1.rule) }
  }

  /// What these findings leave for later ones.
  public var laterBounds: Bounds {
    var bounds = bounds
    for share in shares where share.bound != Bound() { bounds.byRule[share.rule] = share.bound }
    bounds.offsetLimit = offsetsLeft
    return bounds
  }

  /// Returns whether a finding can still be kept. If not, counts it, so that the caller needn't compose its message.
  public mutating func takes(_ rule: FindingRule, at offset: Int) -> Bool {
    let index = index(of: rule)
    if shares[index].bound.admits(offset: offset) { return true }
    shares[index].count += 1
    shares[index].demand += 1
    keep(offset: offset, in: index)
    return false
  }

  /// Counts findings without details.
  public mutating func count(_ count: Int, _ rule: FindingRule) {
    guard count > 0 else { return }
    shares[index(of: rule)].count += count
  }

  /// Counts a finding and keeps it if it is chosen. `rule` is the one with which it shares places, if that isn't its own.
  public mutating func add(_ finding: Finding, by rule: FindingRule? = nil) {
    let index = index(of: rule ?? finding.rule)
    shares[index].count += 1
    shares[index].demand += cost(of: finding)
    if finding.place.entry == nil { keep(offset: finding.place.offset, in: index) }
    keep(finding, in: index)
  }

  /// Adds findings of another report or collector, and counts those of which there are no details.
  public mutating func add(_ findings: [Finding], of counts: FindingCounts) {
    var rest = counts.byRule
    for finding in findings {
      // Some are counted without their places in the rules.
      let rule = rest[finding.rule] == nil ? finding.rule.kind : finding.rule
      rest[rule, default: 1] -= 1
      add(finding, by: rule)
    }
    for (rule, count) in rest { self.count(count, rule) }
  }

  /// Adds the findings of another collector, as if they had been added to this one.
  public mutating func merge(_ other: FindingCollector) {
    for share in other.shares { merge(share) }
  }

  private mutating func merge(_ share: Share) {
    let index = index(of: share.rule, isSpread: share.isSpread)
    shares[index].count += share.count
    shares[index].demand += share.demand
    for offset in share.offsets { keep(offset: offset, in: index) }
    shares[index].kept.end(as: share.kept)
    shares[index].bound.narrow(to: share.kept)
    for finding in share.kept.findings { keep(finding, in: index) }
  }

  /// Returns the kept findings in document order.
  public func findings() -> [Finding] {
    var final = self
    final.cut()
    return final.shares.flatMap(\.kept.findings).sorted()
  }

  /// Keeps the offset of an error that has been counted, if offsets are wanted.
  package mutating func keep(offset: Int, of rule: FindingRule) { keep(offset: offset, in: index(of: rule)) }

  private mutating func keep(offset: Int, in index: Int) {
    guard offsetsLeft > 0, shares[index].rule.severity == .error else { return }
    offsetsLeft -= 1
    shares[index].offsets.append(offset)
  }

  /// The offsets of the errors of each rule, as many as were wanted.
  package var errorOffsets: [(rule: FindingRule, offsets: [Int])] {
    shares.filter { !$0.offsets.isEmpty }.map { ($0.rule, $0.offsets) }
  }

  private mutating func index(of rule: FindingRule, isSpread: Bool? = nil) -> Int {
    if let index = indices[rule] { return index }
    indices[rule] = shares.count
    let bound = limit == 0 ? Bound(lastOffset: -1, lastHash: 0) : bounds.byRule[rule] ?? Bound()
    shares.append(Share(rule, bound, isSpread: isSpread ?? self.isSpread))
    return shares.count - 1
  }

  private mutating func keep(_ finding: Finding, in index: Int) {
    guard finding.place.entry != nil || shares[index].bound.admits(offset: finding.place.offset) else { return }
    shares[index].kept.findings.append(finding)
    taken += cost(of: finding)
    // Few sorts of many findings and rules.
    if taken - limit > max(limit / 4, min(shares.count, Self.ruleSlack)) { cut() }
  }

  /// Returns the places that a finding takes.
  private func cost(of finding: Finding) -> Int { finding.places(of: placeMemory) }

  /// Removes all findings that aren't chosen.
  private mutating func cut() {
    // Places may be free although findings were removed: those that came next needed several.
    guard shares.reduce(0, { $0 + $1.demand }) > limit else { return }
    if order.count < shares.count { order = shares.indices.sorted { shares[$0].rule < shares[$1].rule } }
    let places = FairChoice.shares(
      of: limit, among: order.map { (shares[$0].rule.severity, shares[$0].demand) })
    taken = 0
    // A closure with `self` would copy all shares for each of them.
    let cost = { [placeMemory] (finding: Finding) in finding.places(of: placeMemory) }
    for (index, share) in zip(order, places) {
      shares[index].kept.cut(to: share, isSpread: shares[index].isSpread, cost: cost)
      shares[index].bound.narrow(to: shares[index].kept)
      taken += shares[index].kept.findings.reduce(0) { $0 + cost($1) }
    }
  }
}

// MARK: Storing

extension FindingCollector {
  /// The findings by rule, in an order that depends only on the rules.
  package var storedShares: [Share] {
    var final = self
    final.cut()
    return final.shares.sorted { $0.rule < $1.rule }
  }

  /// Adds stored findings.
  package mutating func restore(_ stored: [Share]) {
    for var share in stored {
      share.isSpread = isSpread
      merge(share)
    }
  }
}

extension Finding {
  /// The places that it takes, each of which has so much memory.
  fileprivate func places(of placeMemory: Int) -> Int { (memory + placeMemory - 1) / placeMemory }

  /// The memory of its details, in bytes. Strings of the rules don't count: findings share them.
  var memory: Int {
    let texts = [message, place.pointer, place.entry, excerpt, record?.key]
    return MemoryLayout<Finding>.stride + texts.reduce(0) { $0 + ($1.map { $0.utf8.count + 32 } ?? 0) }
  }
}

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

  /// A hash that spreads offsets evenly.
  static func hash(of offset: Int) -> UInt64 { (UInt64(bitPattern: Int64(offset)) &+ 0x9E37_79B9_7F4A_7C15).scattered }

  // MARK: Shares

  /// The places that the findings of a rule need.
  package typealias Demand = (severity: Severity, places: Int)

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
      of: limit, among: groups.map { ($0.key.severity, $0.value.count) })
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
