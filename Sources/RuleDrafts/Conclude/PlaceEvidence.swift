import Findings
import JSONEvents
import Rules

/// The evidence for the rules of a place, as a comment.
///
///     1,204,331 values, 12 distinct, 3 to 90. Confidence: high.
extension ValueStatistics {
  /// - Parameters:
  ///   - documentCount: the number of documents.
  ///   - relation: the evidence for the relation of the values to others.
  func evidence(in documentCount: Int, with relation: String?) -> String? {
    guard count > 0 else { return nil }
    // Objects show their evidence in their members.
    if objects == count { return count.counted("object") }
    let values = count.counted(arrays == count ? "array" : "value")
    let parts = [
      values, nulls > 0 ? "\(nulls.grouped) null" : nil, distinctCount(in: documentCount), range, itemCounts, relation,
    ]
    return parts.compactMap(\.self).joined(separator: ", ") + ". " + Self.confidence(ofValues: count)
  }

  /// How far the number of values supports a rule.
  static func confidence(ofValues count: Int) -> String {
    "Confidence: \(count >= 100 ? "high" : count >= 10 ? "medium" : "low")."
  }

  private func distinctCount(in documentCount: Int) -> String? {
    if texts.count > 0, numbers.count > 0 { return nil }
    if texts.count + numbers.count > 0, !tally.isOver { return "\(tally.values.count.grouped) distinct" }
    if column.documents == 0 || column.hasOthers { return nil }
    let distinct = "\(column.isCountExact ? "" : "about ")\(column.largestDistinctCount.grouped) distinct"
    return documentCount > 1 ? "up to \(distinct) in a document" : distinct
  }

  private var range: String? {
    if numbers.count > 0 { return numbers.shownRange }
    let range = texts.formats.first.flatMap(texts.range(as:))
    return range.flatMap { $0.earliest == $0.latest ? nil : "\($0.earliest) to \($0.latest)" }
  }

  private var itemCounts: String? {
    guard arrays > 0, maximumItems > 0 else { return nil }
    let most = maximumItems.counted("item")
    return minimumItems == maximumItems ? most : "\(minimumItems.grouped) to \(most)"
  }
}

extension TextStatistics {
  /// The first and the last of the points in time, written in a format that all texts have.
  func range(as format: StringFormat) -> (earliest: String, latest: String)? {
    guard format.isPointInTime, let earliest, let latest else { return nil }
    // `2026-06-01T00:00:00Z`
    func text(_ instant: Instant) -> String { format == .date ? String("\(instant)".prefix { $0 != "T" }) : "\(instant)" }
    return (text(earliest), text(latest))
  }
}
