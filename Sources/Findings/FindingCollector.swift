/// Takes findings in any order: counts all of them, and keeps the details of the first in document order.
///
/// It keeps the first `limit`, or fewer if their details take more than ``memoryLimit``. Which ones are kept depends on the findings alone, never on
/// the order of their arrival.
///
/// Memory: at most 2 × `limit` findings, and 1.25 × ``memoryLimit``.
public struct FindingCollector: Sendable {
  /// How many bytes the details of the findings that are kept may take.
  public static let memoryLimit = 32 << 20

  public private(set) var counts = FindingCounts()
  private let limit: Int
  private let memoryLimit: Int
  private var kept: [Finding] = []
  private var memory = 0
  /// Findings past this offset can no longer be among those that are kept.
  public private(set) var lastOffset: Int

  /// - Parameter lastOffset: where a collector that this one will be merged into stands: findings past it are only counted.
  public init(limit: Int, lastOffset: Int = .max) {
    self.init(limit: limit, lastOffset: lastOffset, memoryLimit: Self.memoryLimit)
  }

  init(limit: Int, lastOffset: Int = .max, memoryLimit: Int) {
    self.limit = max(0, limit)
    self.lastOffset = limit > 0 ? lastOffset : -1
    self.memoryLimit = memoryLimit
  }

  /// Whether a finding at `offset` could still be kept: who asks first need not word one that is only counted.
  public func keeps(offset: Int) -> Bool { offset <= lastOffset }

  /// Counts a finding without its details.
  public mutating func count(_ count: Int = 1, severity: Severity, code: String) {
    counts.add(count, severity: severity, code: code)
  }

  /// Counts a finding and keeps it if it is among the first.
  public mutating func add(_ finding: Finding) {
    counts.add(severity: finding.severity, code: finding.code)
    keep(finding)
  }

  /// Adds what another collector has taken, as if its findings had come here.
  public mutating func merge(_ other: FindingCollector) {
    counts.merge(other.counts)
    for finding in other.kept { keep(finding) }
  }

  /// The findings that were kept, in document order.
  public func findings() -> [Finding] {
    let sorted = kept.sorted()
    return Array(sorted.prefix(shown(of: sorted)))
  }

  private mutating func keep(_ finding: Finding) {
    guard keeps(offset: finding.place.offset) else { return }
    kept.append(finding)
    memory += finding.memory
    guard kept.count / 2 >= limit || memory > memoryLimit + memoryLimit / 4 else { return }
    kept.sort()
    kept.removeLast(kept.count - shown(of: kept))
    memory = kept.reduce(0) { $0 + $1.memory }
    lastOffset = kept.last?.place.offset ?? -1
  }

  /// How many of `findings`, which are in order, may be kept.
  ///
  /// Of fewer findings at least those of them are kept that are kept of all: what is dropped early would be dropped at the end.
  private func shown(of findings: [Finding]) -> Int {
    var memory = 0
    for (index, finding) in findings.enumerated() {
      memory += finding.memory
      if index == limit || memory > memoryLimit { return index }
    }
    return findings.count
  }
}

extension Finding {
  /// What its details take, in bytes. Texts of the rules, which findings share, don't count.
  fileprivate var memory: Int {
    let texts = [message, place.pointer, place.entry, excerpt]
    return MemoryLayout<Finding>.stride + texts.reduce(0) { $0 + ($1.map { $0.utf8.count + 32 } ?? 0) }
  }
}
