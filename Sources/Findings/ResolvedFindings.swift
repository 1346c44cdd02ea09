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
