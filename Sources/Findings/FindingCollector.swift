/// Collects findings in any order: counts all of them, and keeps the details of the first in document order.
///
/// It keeps the first `limit` findings, or fewer if their details take more than a memory limit. Which ones are kept depends
/// only on the findings, never on the order of their arrival.
///
/// Memory: at most 2 × `limit` findings, and 1.25 × the memory limit.
public struct FindingCollector: Sendable {
  /// The usual memory limit for details of kept findings, in bytes.
  public static let memoryLimit = 32 << 20

  public private(set) var counts = FindingCounts()
  private let limit: Int
  private let memoryLimit: Int
  private var kept: [Finding] = []
  private var memory = 0
  /// The last offset at which a finding can still be kept.
  public private(set) var lastOffset: Int

  /// - Parameters:
  ///   - limit: the number of findings to keep. Further ones are only counted.
  ///   - lastOffset: the `lastOffset` of the collector that this one will be merged into. Findings after it are only counted.
  ///   - memoryLimit: the most memory for their details, in bytes.
  public init(limit: Int, lastOffset: Int = .max, memoryLimit: Int = Self.memoryLimit) {
    self.limit = max(0, limit)
    self.lastOffset = limit > 0 ? lastOffset : -1
    self.memoryLimit = memoryLimit
  }

  /// Returns whether a finding at `offset` could still be kept. If not, the caller needn't compose its message.
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

  /// Adds the findings of another collector, as if they had been added to this one.
  public mutating func merge(_ other: FindingCollector) {
    counts.merge(other.counts)
    for finding in other.kept { keep(finding) }
  }

  /// Adds the findings of another part of the same document.
  ///
  /// Also keeps what that part knows about its limits: if its details exceeded the memory, those of later ones aren't shown.
  package mutating func merge(part other: FindingCollector) {
    merge(other)
    lastOffset = min(lastOffset, other.lastOffset)
  }

  /// Restores a collector of a part of a document.
  ///
  /// - Parameters:
  ///   - findings: the `findings()` of that collector.
  ///   - lastOffset: its ``finalLastOffset``.
  package init(counts: FindingCounts, findings: [Finding], lastOffset: Int, limit: Int, memoryLimit: Int) {
    self.init(limit: limit, lastOffset: lastOffset, memoryLimit: memoryLimit)
    for finding in findings { keep(finding) }
    self.counts = counts
  }

  /// The last offset at which a finding could still be among `findings()`.
  package var finalLastOffset: Int {
    let sorted = kept.sorted()
    let count = shown(of: sorted)
    return count == sorted.count ? lastOffset : min(lastOffset, count == 0 ? -1 : sorted[count - 1].place.offset)
  }

  /// Returns the kept findings in document order.
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

  /// Returns how many of the sorted `findings` may be kept.
  ///
  /// Early removal is safe: a finding that is dropped from a part of the findings would also be dropped from all of them.
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
  /// The memory of its details, in bytes. Strings of the rules don't count: findings share them.
  fileprivate var memory: Int {
    let texts = [message, place.pointer, place.entry, excerpt, record?.key]
    return MemoryLayout<Finding>.stride + texts.reduce(0) { $0 + ($1.map { $0.utf8.count + 32 } ?? 0) }
  }
}
