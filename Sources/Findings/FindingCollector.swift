/// Takes findings in any order: counts all of them, and keeps the details of the first `limit` in document order.
///
/// Memory: at most 2 × `limit` findings. Which ones are kept depends on the findings alone, never on the order of their arrival.
public struct FindingCollector: Sendable {
  public private(set) var counts = FindingCounts()
  private let limit: Int
  private var kept: [Finding] = []
  /// Findings past this offset can no longer be among the first `limit`.
  public private(set) var lastOffset: Int

  /// - Parameter lastOffset: where a collector that this one will be merged into stands: findings past it are only counted.
  public init(limit: Int, lastOffset: Int = .max) {
    self.limit = max(0, limit)
    self.lastOffset = limit > 0 ? lastOffset : -1
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
  public func findings() -> [Finding] { Array(kept.sorted().prefix(limit)) }

  private mutating func keep(_ finding: Finding) {
    guard keeps(offset: finding.place.offset) else { return }
    kept.append(finding)
    guard kept.count / 2 >= limit else { return }
    kept.sort()
    kept.removeLast(kept.count - limit)
    lastOffset = kept[limit - 1].place.offset
  }
}
